import Platform
import Storage
import TestSupport

/// Opens the file, commits a few times and closes it, over and over, until it is told to stop.
/// Being refused with a clear error, because of the lock-file or because another process is alone
/// with the file, is part of its life; it comes again then.
struct Visitor {
  private let path: String
  private let progress: Progress
  private let findings: FindingsFile
  private let position: Int
  private let mix: DurabilityMix
  private let ledger = Ledger()
  /// How long it stays away at most, microseconds.
  private let absenceMax: Int
  /// Whether versions are counted anew now and then, as a compact copy does.
  private let isReplaced: Bool
  private var random: SeededGenerator
  private var visits = 0
  private var refusals = 0
  private var commits = 0

  init(_ words: Words) throws {
    path = words.text(1)
    progress = try Progress(path: words.text(2))
    findings = FindingsFile(path: words.text(3))
    position = words.number(4)
    mix = words.mix(5)
    absenceMax = words.number(7)
    isReplaced = words.text(8) == "replaced"
    random = SeededGenerator(seed: UInt64(words.number(6)))
  }

  mutating func run() {
    let stop = Stop()
    say("ready")
    while !stop.isAsked {
      do throws(StorageError) {
        try visit()
        visits += 1
        let absence = random.below(absenceMax + 1)
        if absence > 0 { BackgroundThread.pause(nanoseconds: UInt64(absence) * 1000) }
      } catch {
        if error.code == .incompatibleLockFile || error.code == .inUse {
          refusals += 1
        } else {
          findings.add("\(error)")
        }
        BackgroundThread.pause(nanoseconds: 500_000)
      }
    }
    say("visits \(visits) refusals \(refusals) commits \(commits)")
  }

  private mutating func visit() throws(StorageError) {
    let database = try Database.open(path: path, options: mix.options)
    for _ in 0..<(1 + random.below(5)) {
      let acknowledged = progress.acknowledged(upTo: ledger.writers)
      let transaction = try database.beginWrite()
      let stored = try ledger.counters(transaction.source, transaction.root)
      for writer in 0..<ledger.writers
      where acknowledged[writer] > stored[writer]
        || stored[writer] > progress.attempted(writer)
      {
        findings.add(
          "\(stored[writer]) commits of \(writer) are stored, \(acknowledged[writer]) acknowledged")
      }
      try ledger.transfer(in: transaction, writer: position, leaves: 4, &random)
      progress.setAttempted(position, stored[position] + 1)
      let snapshot = try transaction.commit(durability: mix.draw(&random), history: [1])
      progress.setAcknowledged(position, stored[position] + 1)
      commits += 1
      let violation = try ledger.violation(
        snapshot.source, snapshot.root, version: isReplaced ? .max : snapshot.version)
      if let violation { findings.add(violation) }
    }
  }
}
