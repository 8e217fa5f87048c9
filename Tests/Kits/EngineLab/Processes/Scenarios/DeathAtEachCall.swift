import Foundation
import Platform
import Storage
import TestSupport

/// A process dies at every system call of a commit, of one that makes the file larger than others
/// have mapped, of a flush, a compaction step and an opening in turn, before it and after it, at
/// every level of durability; alone with the file or beside another that waits to write. The one
/// that comes after finds a whole version: the one before or the new one, and goes on from there.
/// Who only tries to write, because it must not wait, is turned away where something has to be
/// flushed first.
public struct DeathAtEachCall {
  private let seed: UInt64
  private let ledger = Ledger()
  private let watch = FlushWatch()

  private let levels: [DurabilityMix]

  public init(
    levels: [DurabilityMix] = [.full, .strict, .grouped, .relaxed, .inMemory], seed: UInt64
  ) {
    self.levels = levels
    self.seed = seed
  }

  private static let callsMax = 100

  public func run() throws -> ScenarioReport {
    print("death at each call: seed \(seed)")
    var report = ScenarioReport()
    for deed in CrashingWriter.Deed.allCases {
      // Growth is about durable slots, which the other levels write later.
      for mix in deed == .growth ? [.full, .strict] : levels
      where deed != .flush || mix == .relaxed {
        // An in-memory file begins anew with its first process.
        for hasCompany in mix == .inMemory || deed == .growth ? [true] : [false, true] {
          try within(120, "dying in \(deed)") {
            try dieAtEach(deed, mix, hasCompany: hasCompany, &report)
          }
        }
      }
    }
    return report
  }

  private func dieAtEach(
    _ deed: CrashingWriter.Deed, _ mix: DurabilityMix, hasCompany: Bool,
    _ report: inout ScenarioReport
  ) throws {
    let directory = TemporaryDirectory()
    var path = directory.file("a.realm")
    var deaths = 0
    var refusals = 0
    for moment in ["before", "after"] {
      for call in 1...Self.callsMax {
        let name = "\(deed), \(mix), \(moment) call \(call), company \(hasCompany)"
        // What has grown is not made to grow as much again.
        if deed == .growth { path = directory.file("\(moment)-\(call).realm") }
        let survived = try die(
          deed, mix, call, moment, path, hasCompany: hasCompany, name, &refusals, &report)
        if survived { break }
        deaths += 1
        if report.findings.count > 5 { return }
      }
    }
    report.lines.append(
      "\(deed), \(mix), company \(hasCompany): \(deaths) deaths, \(refusals) to recover from")
    if deed == .commit && mix == .full && hasCompany {
      report.expect(refusals > 0, "no death left anything to recover")
    }
    report.expect(deaths > 2, "\(deed), \(mix): only \(deaths) deaths")
  }

  /// Returns whether there was no such call.
  private func die(
    _ deed: CrashingWriter.Deed, _ mix: DurabilityMix, _ call: Int, _ moment: String,
    _ path: String,
    hasCompany: Bool, _ name: String, _ refusals: inout Int, _ report: inout ScenarioReport
  ) throws -> Bool {
    var random = SeededGenerator(seed: seed + UInt64(deed == .growth ? 0 : call))
    var options = mix.options
    if deed == .growth { options.mappingReservation = 1 << 14 }
    var database: Database? = try Database.open(path: path, options: options, system: watch)
    // An in-memory file is new each time; it should have reused what its first version had.
    for _ in 0..<(mix == .inMemory ? 200 : 2) { try commit(database!, &random) }
    if deed == .compaction { try spread(database!, &random) }
    let stored = try ledger.counters(try database!.pinNewest())[1]
    if !hasCompany { database = nil }
    let child = try ChildProcess(["die", path, deed.rawValue, "\(call)", moment, mix.rawValue])
    var survived = false
    do {
      var answer = try child.readLine()
      if answer == "ready" { answer = try child.ask("go") }
      if answer == "holding" { answer = try child.ask("go") }
      survived = answer.hasPrefix("survived")
      if !survived { report.findings.append("\(name): \(answer)") }
    } catch {
      guard case .ended(.some(9), _) = error else { throw error }
    }
    child.kill()
    if let database { try tryToWrite(database, mix, name, &refusals, &report) }
    try check(path, database, mix, stored: stored, deed, name, &report)
    if deed == .growth { try openCopy(of: path, mix, name, &report) }
    return survived
  }

  private func tryToWrite(
    _ database: Database, _ mix: DurabilityMix, _ name: String, _ refusals: inout Int,
    _ report: inout ScenarioReport
  ) throws {
    let before = watch.flushCount
    if let transaction = try database.tryBeginWrite() {
      transaction.cancel()
    } else {
      refusals += 1
    }
    // At other levels the background flushes as well.
    if mix == .full || mix == .strict {
      report.expect(watch.flushCount == before, "\(name): trying to write flushed something")
    }
  }

  private func check(
    _ path: String, _ company: Database?, _ mix: DurabilityMix, stored: UInt64,
    _ deed: CrashingWriter.Deed, _ name: String, _ report: inout ScenarioReport
  ) throws {
    let database = try company ?? Database.open(path: path, options: mix.options)
    let transaction = try database.beginWrite()
    let now = try ledger.counters(transaction.source, transaction.root)[1]
    // Those that are flushed later on are three; all have been acknowledged.
    let attempted: ClosedRange<UInt64> =
      switch deed {
      case .commit, .growth: stored...stored + 1
      case .flush: stored + 3...stored + 3
      case .compaction, .opening: stored...stored
      }
    report.expect(attempted.contains(now), "\(name): \(now) commits are there, not \(attempted)")
    var random = SeededGenerator(seed: seed)
    try ledger.transfer(in: transaction, writer: 0, leaves: 5, &random)
    let snapshot = try transaction.commit(
      durability: deed == .growth ? .relaxed : nil, history: [1])
    if let violation = try ledger.violation(in: snapshot) {
      report.findings.append("\(name): \(violation)")
    }
    let verified = try database.verify()
    report.findings += verified.findings.prefix(2).map { "\(name): \($0)" }
  }

  /// Who opens the file if everybody dies now, finds a whole version.
  private func openCopy(
    of path: String, _ mix: DurabilityMix, _ name: String, _ report: inout ScenarioReport
  ) throws {
    let copy = path + ".copy"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    do throws(StorageError) {
      let database = try Database.open(path: copy, options: mix.options)
      if let violation = try ledger.violation(in: try database.pinNewest()) {
        report.findings.append("\(name), opened again: \(violation)")
      }
      report.findings += try database.verify().findings.prefix(2).map {
        "\(name), opened again: \($0)"
      }
    } catch { report.findings.append("\(name), opened again: \(error)") }
  }

  /// Leaves free space below what the newest version needs, so that there is something to move.
  private func spread(_ database: Database, _ random: inout SeededGenerator) throws {
    var large = ledger
    large.fillingMax = 4000
    for ledger in [large, ledger, ledger] {
      let transaction = try database.beginWrite()
      try ledger.transfer(in: transaction, writer: 0, &random)
      _ = try transaction.commit(history: [1])
    }
  }

  private func commit(_ database: Database, _ random: inout SeededGenerator) throws {
    let transaction = try database.beginWrite()
    try ledger.transfer(in: transaction, writer: 0, leaves: 5, &random)
    _ = try transaction.commit(history: [1])
  }
}
