import Platform
import Storage
import TestSupport

/// Dies by its own hand at the n-th system call of a commit, of a flush, of a compaction, or of
/// opening the file. If there are fewer calls it says how many there were, and waits.
struct CrashingWriter {
  /// What it dies in.
  enum Deed: String, CaseIterable {
    case commit
    /// A commit that makes the file many times as large, larger than others have mapped.
    case growth
    case flush
    case compaction
    case opening
  }

  private let path: String
  private let deed: Deed
  private let call: Int
  private let mix: DurabilityMix
  private let system: FatalSystem
  private let ledger = Ledger()

  init(_ words: Words) {
    path = words.text(1)
    deed = Deed(rawValue: words.text(2)) ?? .commit
    call = words.number(3)
    system = FatalSystem(diesBefore: words.text(4) == "before")
    mix = words.mix(5)
  }

  func run() throws {
    if deed == .opening { system.arm(call: call) }
    let database = try Database.open(path: path, options: mix.options, system: system)
    if deed == .opening { return end() }
    // The same commit each time, for how many calls it takes to grow depends on what is written.
    var random = SeededGenerator(seed: deed == .growth ? 1 : UInt64(call))
    if deed == .flush {
      for _ in 0..<3 { try commit(database, durability: .relaxed, &random) }
    }
    say("ready")
    _ = readLine()
    switch deed {
    case .commit, .growth:
      var ledger = ledger
      if deed == .growth { ledger.fillingMax = 4000 }
      let leaves = deed == .growth ? nil : 8
      let transaction = try database.beginWrite()
      try ledger.transfer(in: transaction, writer: 1, leaves: leaves, &random)
      say("holding")
      _ = readLine()
      system.arm(call: call)
      _ = try transaction.commit(durability: mix.draw(&random), history: [1])
    case .flush:
      system.arm(call: call)
      try database.flush()
    case .compaction:
      system.arm(call: call)
      _ = try database.compactStep(force: true)
    case .opening: break
    }
    end()
  }

  private func commit(
    _ database: Database, durability: Durability, _ random: inout SeededGenerator
  ) throws {
    let transaction = try database.beginWrite()
    try ledger.transfer(in: transaction, writer: 1, leaves: 8, &random)
    _ = try transaction.commit(durability: durability, history: [1])
  }

  private func end() {
    say("survived \(system.disarm())")
    _ = readLine()
  }
}
