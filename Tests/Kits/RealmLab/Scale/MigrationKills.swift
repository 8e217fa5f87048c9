import EngineLab
import Foundation
import ObjectStore
import Platform
import RealmSwift
import Storage
import TestSupport

/// Processes that migrate a large file and are killed in the midst of it: the file is then the old
/// one or the new one, whole. Every second one is encrypted.
public struct MigrationKills {
  private let megabytes: Int
  private let kills: Int
  private let seed: UInt64
  private let directory = TemporaryDirectory()

  public init(megabytes: Int, kills: Int, seed: UInt64) {
    self.megabytes = megabytes
    self.kills = kills
    self.seed = seed
  }

  public func run() throws -> ScenarioReport {
    print("migration: \(megabytes) MB, \(kills) kills, seed \(seed)")
    var report = ScenarioReport()
    var random = SeededGenerator(seed: seed)
    let originals = ["plain.realm", RowFile.encryptedName].map { directory.file($0) }
    var durations: [UInt64] = []
    var count = 0
    for original in originals {
      count = try RowFile.fill(original, megabytes: megabytes)
      durations.append(try wholeRun(original, count, &report))
    }
    var news = 0
    for kill in 0..<kills where report.findings.isEmpty {
      let duration = durations[kill % 2]
      let path = try copy(originals[kill % 2])
      let child = try ChildProcess(labRole: ["migrate", path])
      _ = try child.readLine(seconds: 600)
      BackgroundThread.pause(nanoseconds: UInt64(random.below(Int(duration) * 11 / 10)))
      child.kill()
      news += try isNew(path, count, &report) ? 1 : 0
      try remove(path)
    }
    report.lines.append("\(kills) kills: \(kills - news) left the old file, \(news) the new one")
    return report
  }

  /// A migration that nothing interrupts.
  ///
  /// - Returns: how long it took, nanoseconds.
  private func wholeRun(
    _ original: String, _ count: Int, _ report: inout ScenarioReport
  ) throws -> UInt64 {
    let path = try copy(original)
    let size = try fileSize(path)
    let child = try ChildProcess(labRole: ["migrate", path])
    _ = try child.readLine(seconds: 600)
    let watch = Stopwatch()
    let memory = try child.readLine(seconds: 600)
    let duration = watch.elapsed
    child.kill()
    report.expect(try isNew(path, count, &report), "the whole run left the old file")
    report.lines.append(
      "\(URL(fileURLWithPath: original).lastPathComponent): \(count) rows, "
        + "\(Amount.mb(size)) migrated in \(Amount.ms(duration)), "
        + "\(Amount.mb(UInt64(memory) ?? 0)) of private memory at the most, "
        + "\(Amount.mb(try fileSize(path))) afterwards")
    try remove(path)
    return duration
  }

  /// Whether the file is the new one; that it is whole either way is checked.
  private func isNew(
    _ path: String, _ count: Int, _ report: inout ScenarioReport
  ) throws -> Bool {
    report.findings += try RowFile.findings(path)
    let version = try schemaVersionAtURL(
      URL(fileURLWithPath: path), encryptionKey: RowFile.key(path))
    let fault =
      version == 0
      ? try RowFile.faultBefore(path, count: count) : try RowFile.faultAfter(path, count: count)
    if let fault { report.findings.append(fault) }
    return version == 1
  }

  private func copy(_ original: String) throws -> String {
    let path = directory.file("copy-" + URL(fileURLWithPath: original).lastPathComponent)
    try FileManager.default.copyItem(atPath: original, toPath: path)
    return path
  }

  private func remove(_ path: String) throws {
    _ = try Database.delete(path: path, system: PosixSystem.shared)
  }

  private func fileSize(_ path: String) throws -> UInt64 {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.size] as? NSNumber)?.uint64Value ?? 0
  }
}

/// Migrates a file, between a line that says so and one with the bytes of memory that it took.
struct Migrator {
  let path: String

  func run() throws {
    let peak = AnonymousPeak()
    let before = peak.take()
    say("migrating")
    try Realm.performMigration(for: RowFile.after(path))
    let most = peak.take()
    say("\(most - min(most, before))")
    BackgroundThread.pause(nanoseconds: 600_000_000_000)
  }
}
