import ObjectStore
import Storage
import ToolReports

extension DatabaseFile {
  func verify() throws -> ToolReports.VerifyReport {
    let database = try open()
    let clock = ContinuousClock()
    let started = clock.now
    let versions = try database.pinEveryVersion()
    defer { for snapshot in versions { snapshot.release() } }
    let line = ProgressLine()
    defer { line.end() }
    let storage = try database.verify(versions) { line.show($0) }
    var problems = problems(storage)
    for snapshot in versions {
      let findings = try snapshot.readingThrough { source in
        StoreCheck.findings(root: snapshot.root, in: source) {
          line.show(version: snapshot.version, table: $0, objects: $1)
        }
      }
      let isNewest = snapshot === versions.last
      problems += findings.map { problem($0, version: isNewest ? nil : snapshot.version) }
    }
    return ToolReports.VerifyReport(
      path: path, versions: storage.versions.map(\.rawValue), nodes: storage.nodeCount,
      objects: objects(versions[versions.count - 1]), bytes: storage.logicalSize,
      seconds: (clock.now - started) / .seconds(1), problems: problems)
  }

  private func problems(
    _ report: Storage.VerifyReport
  ) -> [ToolReports.VerifyReport.Problem] {
    var problems = report.findings.map {
      ToolReports.VerifyReport.Problem(place: "nodes", offset: $0.offset, message: $0.message)
    }
    if report.findingsOmitted > 0 {
      problems.append(
        .init(place: "nodes", offset: nil, message: "\(report.findingsOmitted) more of the kind"))
    }
    return problems
  }

  private func problem(
    _ finding: StoreFinding, version: Version?
  ) -> ToolReports.VerifyReport.Problem {
    var place = version.map { "version \($0): " } ?? ""
    place += finding.table
    if let object = finding.object { place += "[\(object.rawValue)]" }
    if let column = finding.column { place += ".\(column)" }
    return .init(place: place, offset: nil, message: finding.message)
  }

  /// Damage to a table is a finding already; its objects are not counted then.
  private func objects(_ snapshot: Snapshot) -> Int {
    let root = snapshot.root
    guard let schema = try? StoreRoot.schema(root, in: snapshot.source) else { return 0 }
    return schema.classes.reduce(0) { sum, description in
      let table = try? StoreRoot.table(description.tableKey, root: root, in: snapshot.source)
      return sum + (table?.count ?? 0)
    }
  }
}
