import Platform
import Storage
import TestSupport

/// Writes as often as it gets the writer role, until it is killed. Says in shared memory what it
/// attempts before a commit and what was acknowledged after it, and compares what all contenders
/// said with what is stored whenever it writes.
struct Contender {
  let path: String
  let progress: Progress
  let findings: FindingsFile
  let position: Int
  let mix: DurabilityMix
  let ledger: Ledger
  /// Whether some of its leaves are large.
  let swells: Bool
  private var random: SeededGenerator
  /// Versions that it goes on reading for a while.
  private var kept: [Snapshot] = []

  private static let keptMax = 3
  private static let dwellMax = 3_000_000

  init(
    path: String, progress: Progress, findings: FindingsFile, position: Int, mix: DurabilityMix,
    ledger: Ledger, swells: Bool, seed: UInt64
  ) {
    self.path = path
    self.progress = progress
    self.findings = findings
    self.position = position
    self.mix = mix
    self.ledger = ledger
    self.swells = swells
    random = SeededGenerator(seed: seed)
  }

  mutating func run() {
    progress.setPhase(position, .opening)
    do {
      let database = try Database.open(path: path, options: mix.options)
      while true { try turn(database) }
    } catch {
      findings.add("\(error)")
      // Stays, so that the storm goes on and the finding is seen at its end.
      while true { BackgroundThread.pause(nanoseconds: 1_000_000_000) }
    }
  }

  private mutating func turn(_ database: Database) throws {
    let acknowledged = progress.acknowledged(upTo: ledger.writers)
    progress.setPhase(position, .waiting)
    let transaction = try database.beginWrite()
    progress.recordAcquisition(position)
    progress.setPhase(position, .holding)
    try compare(transaction, acknowledged: acknowledged)
    if random.below(3) == 0 {
      BackgroundThread.pause(nanoseconds: UInt64(random.below(Self.dwellMax)))
    }
    let written = swells ? ledger.swelling(to: 50_000, &random) : ledger
    try written.transfer(
      in: transaction, writer: position, leaves: 2 + random.below(6), &random)
    if random.below(16) == 0 {
      progress.setPhase(position, .between)
      return transaction.cancel()
    }
    let count = try ledger.counters(transaction.source, transaction.root)[position]
    progress.setAttempted(position, count)
    progress.setPhase(position, .committing)
    let snapshot = try transaction.commit(
      durability: mix.draw(&random), history: [1, 2, 3, 4, 5, 6, 7, 8])
    progress.setAcknowledged(position, count)
    progress.setPhase(position, .between)
    try keep(snapshot)
  }

  private func compare(_ transaction: WriteTransaction, acknowledged: [UInt64]) throws {
    let stored = try ledger.counters(transaction.source, transaction.root)
    let attempted = progress.attempted(upTo: ledger.writers)
    for writer in 0..<ledger.writers {
      guard acknowledged[writer] <= stored[writer], stored[writer] <= attempted[writer] else {
        findings.add(
          "version \(transaction.baseVersion): acknowledged \(acknowledged[writer]), stored"
            + " \(stored[writer]), attempted \(attempted[writer]) by writer \(writer)")
        return
      }
    }
  }

  /// Reads the version, keeps it perhaps, and lets go of an older one after reading it again.
  private mutating func keep(_ snapshot: Snapshot) throws {
    if let violation = try ledger.violation(in: snapshot) { findings.add(violation) }
    if random.below(4) == 0 { kept.append(snapshot) }
    guard kept.count > Self.keptMax else { return }
    let old = kept.remove(at: random.below(kept.count))
    if let violation = try ledger.violation(in: old) { findings.add("kept \(violation)") }
  }
}
