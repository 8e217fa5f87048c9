import Foundation
import ObjectStore
import Storage
import SyncProtocol

/// Looks for damage in all files of a server, while it runs or not.
public struct Verification: Sendable {
  private let administration: Administration

  /// What was found in one file.
  public struct Report: Sendable {
    /// The file.
    public var path: String
    /// How many objects of apps are in it, or records of accounts.
    public var objects: Int
    /// What is wrong; empty if nothing is.
    public var findings: [String]
  }

  /// A verification of a server's data.
  public init(_ administration: Administration) { self.administration = administration }

  /// Verifies all files, one after the other.
  public func run() throws -> [Report] {
    var reports = [check(administration.options.accountsPath) { _ in }]
    for name in administration.apps() {
      let path = administration.options.appPath(name.text) + "/data.realm"
      guard FileManager.default.fileExists(atPath: path) || KnownFile(path).wasMade else {
        continue
      }
      reports.append(
        check(path) { report in
          let check = try AppStorage.check(path: path)
          report.findings = check.findings
          report.objects = check.objects
        })
    }
    return reports
  }

  /// Verifies one file, and what is in it if it is sound. What cannot be opened is no reason not to
  /// look at the others.
  private func check(_ path: String, _ contents: (inout Report) throws -> Void) -> Report {
    var report = Report(path: path, objects: 0, findings: [])
    do {
      try KnownFile(path).check()
      report = try verify(path)
      if report.findings.isEmpty { try contents(&report) }
    } catch {
      report.findings.append("it cannot be read: \(error)")
    }
    return report
  }

  private func verify(_ path: String) throws -> Report {
    var options = DatabaseOptions()
    options.mustExist = true
    options.readOnly = true
    options.label = "sync-server verify"
    let database = try Database.open(path: path, options: options)
    let versions = try database.pinEveryVersion()
    defer { for snapshot in versions { snapshot.release() } }
    var findings = try database.verify(versions).findings.map(\.description)
    guard let newest = versions.last else { return Report(path: path, objects: 0, findings: []) }
    findings += newest.storeFindings().map { "\($0.table): \($0.message)" }
    let schema = try StoreRoot.schema(newest.root, in: newest.source)
    let objects = try schema.classes.reduce(0) {
      $0 + (try newest.table($1.tableKey)?.count ?? 0)
    }
    return Report(path: path, objects: objects, findings: findings)
  }
}

extension AppStorage {
  /// Whether every object can be read, has a row with its values in its class's table if it is
  /// alive, and whether there are no other rows.
  static func check(path: String) throws -> (objects: Int, findings: [String]) {
    let storage = try AppStorage(path: path, isReadOnly: true)
    var findings: [String] = []
    var living: [NameID: Int] = [:]
    var values = ValueCheck(storage)
    let all = try storage.objects(changedAfter: .zero)
    for id in all {
      guard let object = try storage.object(id) else {
        findings.append("\(id): its row is missing")
        continue
      }
      guard object.generation.isAlive, let type = storage.real[id.type], let key = type.key,
        id.key.stored(for: key, in: id) != nil
      else { continue }
      living[id.type, default: 0] += 1
      try values.check(object, id)
      if try storage.row(of: id) == nil {
        findings.append("\(type.description.name) \(id.storedKey): not in its table")
      }
    }
    for (type, count) in living {
      guard let known = storage.real[type] else { continue }
      let rows = try storage.snapshot.table(known.table)?.count ?? 0
      if rows != count {
        findings.append("\(known.description.name): \(rows) rows for \(count) objects")
      }
    }
    _ = try storage.clientFiles()
    return (all.count, findings + values.findings)
  }
}
