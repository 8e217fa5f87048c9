import Platform
import Storage
import TestSupport

/// Damages the lock-file while nobody has the file open, opens the file and compares it with what
/// was committed, again and again. Says how far it has come, so that its death tells where.
struct DamageWitness {
  private let path: String
  private let seed: UInt64
  private let rounds: Int
  private let ledger = Ledger()
  private let options: DatabaseOptions

  init(_ words: Words) {
    path = words.text(1)
    seed = UInt64(words.number(2))
    rounds = words.number(3)
    // Background work that begins as the file is closed would keep it open for as long as it takes,
    // and the damage would not find it at rest.
    var options = DatabaseOptions()
    options.relaxedFlushDelayMilliseconds = 3_600_000
    options.compactsInBackground = false
    self.options = options
  }

  func run() {
    var random = SeededGenerator(seed: seed)
    var expected = [UInt64](repeating: 0, count: ledger.writers)
    for round in 0..<rounds {
      do {
        var vandal = LockFileVandal(path: path + ".lock", seed: seed &+ UInt64(round))
        try vandal.ravage()
        let database = try Database.open(path: path, options: options)
        let snapshot = try database.pinNewest()
        let found = try ledger.counters(snapshot)
        if found != expected { say("wrong: round \(round): \(found), not \(expected)") }
        if let violation = try ledger.violation(in: snapshot) {
          say("wrong: round \(round): \(violation)")
        }
        if round % 4 == 0 {
          let writer = random.below(ledger.writers)
          let transaction = try database.beginWrite()
          try ledger.transfer(in: transaction, writer: writer, leaves: 3, &random)
          _ = try transaction.commit(durability: .relaxed, history: [1])
          expected[writer] += 1
        }
      } catch {
        say("wrong: round \(round): \(error)")
      }
      if round % 50 == 49 { say("round \(round)") }
    }
    say("done")
  }
}
