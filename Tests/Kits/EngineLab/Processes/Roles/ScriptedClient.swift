import Platform
import Storage
import TestSupport

/// Does what it is told, a line at a time, and answers with a line.
final class ScriptedClient {
  private let path: String
  private let mix: DurabilityMix
  private let ledger = Ledger()
  private var random: SeededGenerator
  private var database: Database?
  private var snapshots: [Snapshot] = []
  private var transaction: WriteTransaction?

  init(path: String, mix: DurabilityMix) {
    self.path = path
    self.mix = mix
    random = SeededGenerator(seed: MonotonicClock.now())
  }

  func run() {
    say("ready")
    forEachCommand { words in try self.perform(words) }
  }

  private func perform(_ words: Words) throws -> String {
    switch words.text(0) {
    case "open":
      database = try Database.open(path: path, options: mix.options)
      return "opened \(database!.newestVersion)"
    case "close":
      snapshots = []
      transaction = nil
      database = nil
      return "closed"
    case "pin":
      snapshots.append(try database!.pinNewest())
      return "pinned \(snapshots.last!.version)"
    case "release":
      snapshots.removeLast()
      return "released"
    case "check":
      for snapshot in snapshots {
        if let violation = try ledger.violation(in: snapshot) { return violation }
      }
      return "sound"
    case "check-newest":
      let snapshot = try database!.pinNewest()
      return try ledger.violation(in: snapshot) ?? "sound \(snapshot.version)"
    default:
      return try write(words)
    }
  }

  private func write(_ words: Words) throws -> String {
    switch words.text(0) {
    case "commit":
      for _ in 0..<words.number(2) { try commit(writer: words.number(1)) }
      return "committed \(database!.newestVersion)"
    case "begin":
      transaction = try database!.beginWrite()
      return "begun \(transaction!.version)"
    case "end":
      try ledger.transfer(in: transaction!, writer: words.number(1), leaves: 3, &random)
      let snapshot = try transaction!.commit(history: [1])
      transaction = nil
      return "committed \(snapshot.version)"
    case "counters":
      let snapshot = try database!.pinNewest()
      let counters = try ledger.counters(snapshot)
      return "counters " + counters.map(String.init).joined(separator: " ")
    case "verify":
      let report = try database!.verify()
      return report.findings.first?.description ?? "sound"
    default:
      return "unknown \(words.text(0))"
    }
  }

  private func commit(writer: Int) throws {
    let transaction = try database!.beginWrite()
    try ledger.transfer(in: transaction, writer: writer, leaves: 3, &random)
    _ = try transaction.commit(durability: mix.draw(&random), history: [1])
  }
}
