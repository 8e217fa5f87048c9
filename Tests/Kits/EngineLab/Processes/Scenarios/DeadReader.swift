import Platform
import Storage
import TestSupport

/// A process pins versions and is killed. While another one goes on writing, the space that only
/// the dead one needed has to be reusable within a second, without anybody asking for it.
public struct DeadReader {
  private static let pins = 5
  private let rounds: Int
  private let seed: UInt64
  private let ledger = Ledger(writers: 4, leafCount: 200, fillingMax: 100)

  public init(rounds: Int, seed: UInt64) {
    self.rounds = rounds
    self.seed = seed
  }

  public func run() throws -> ScenarioReport {
    print("dead reader: \(rounds) rounds, seed \(seed)")
    let directory = TemporaryDirectory()
    let path = directory.file("pinned.realm")
    var random = SeededGenerator(seed: seed)
    var report = ScenarioReport()
    var options = DurabilityMix.inMemory.options
    options.compactsInBackground = false
    let database = try Database.open(path: path, options: options)
    var times = Latencies()
    for round in 0..<rounds {
      let reader = try ChildProcess(["obey", path, "inMemory"])
      _ = try reader.readLine()
      _ = try reader.ask("open")
      for _ in 0..<Self.pins {
        for _ in 0..<100 { try commit(database, &random) }
        let answer = try reader.ask("pin")
        report.expect(answer.hasPrefix("pinned"), answer)
      }
      for _ in 0..<(60 + random.below(400)) { try commit(database, &random) }
      let before = try database.freeSpaceInUse()
      reader.sendKill()
      let start = MonotonicClock.now()
      var time: UInt64 = 0
      var commits = 0
      // The writer's own snapshots are of the newest version, which waits for nothing.
      repeat {
        try commit(database, &random)
        commits += 1
        time = MonotonicClock.now() - start
      } while database.pins().contains { $0.version.advanced(by: 10) < database.newestVersion }
        && time < 10_000_000_000
      reader.waitForEnd()
      times.add(time)
      let after = try database.freeSpaceInUse()
      report.lines.append(
        "round \(round): \(before.waiting) bytes waited, \(after.waiting) after"
          + " \(time / 1_000_000) ms and \(commits) commits")
      report.expect(before.waiting > 200_000, "the reader kept only \(before.waiting) bytes")
      report.expect(after.waiting < 50_000, "\(after.waiting) bytes go on waiting for the dead")
      report.expect(after.reusable > before.reusable, "no more bytes than before can be reused")
      let size = database.newestLogicalSize
      for _ in 0..<300 { try commit(database, &random) }
      report.expect(
        database.newestLogicalSize <= size, "the file grows although there is free space")
      report.findings += try database.verify().findings.prefix(3).map(\.description)
    }
    report.lines.append("from the kill to the space being reusable: \(times.summary)")
    report.expect(times.maximum < 1000, "that took \(times.maximum) ms")
    return report
  }

  private func commit(_ database: Database, _ random: inout SeededGenerator) throws {
    let transaction = try database.beginWrite()
    try ledger.transfer(in: transaction, writer: 0, leaves: 4, &random)
    _ = try transaction.commit(history: [1])
  }
}

extension Database {
  /// The size of the newest version, bytes; 0 if it cannot be read.
  var newestLogicalSize: UInt64 { (try? pinNewest())?.logicalSize ?? 0 }
}
