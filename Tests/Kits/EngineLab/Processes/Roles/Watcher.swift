import Glibc
import Platform
import Storage
import Synchronization
import TestSupport

/// Reads every version that it sees, and some older ones again that it has kept, until it is told
/// to stop; then says how many it read and what was wrong.
struct Watcher {
  private let path: String
  private let ledger = Ledger()
  private var random: SeededGenerator
  private var kept: [Snapshot] = []
  private var versions = 0
  private var rereadings = 0
  private var violations: [String] = []

  private static let keptMax = 4

  init(path: String, seed: UInt64) {
    self.path = path
    random = SeededGenerator(seed: seed)
  }

  mutating func run() throws {
    let database = try Database.open(path: path, options: DurabilityMix.relaxed.options)
    let stop = Stop()
    say("ready")
    var last = Version.zero
    while !stop.isAsked {
      let snapshot = try database.pinNewest()
      if snapshot.version < last { violations.append("\(snapshot.version) came after \(last)") }
      if snapshot.version != last { versions += 1 }
      last = snapshot.version
      do throws(StorageError) { try read(snapshot) } catch {
        violations.append("version \(snapshot.version): \(error)")
      }
    }
    say("versions \(versions) rereadings \(rereadings) violations \(violations.count)")
    for violation in violations.prefix(5) { say(violation) }
  }

  private mutating func read(_ snapshot: Snapshot) throws(StorageError) {
    if let violation = try ledger.violation(in: snapshot) { violations.append(violation) }
    if random.below(8) == 0 { kept.append(snapshot) }
    guard kept.count > Self.keptMax else { return }
    let old = kept.remove(at: random.below(kept.count))
    rereadings += 1
    if let violation = try ledger.violation(in: old) { violations.append("kept \(violation)") }
  }
}

/// Transfers between all accounts, so that every version writes every leaf anew, until it is told
/// to stop; then says how many transfers it made.
struct Transferrer {
  private let path: String
  private let writer: Int
  private let mix: DurabilityMix
  private let ledger = Ledger()
  private var random: SeededGenerator

  init(path: String, writer: Int, mix: DurabilityMix, seed: UInt64) {
    self.path = path
    self.writer = writer
    self.mix = mix
    random = SeededGenerator(seed: seed)
  }

  mutating func run() throws {
    let database = try Database.open(path: path, options: mix.options)
    let stop = Stop()
    say("ready")
    var count = 0
    while !stop.isAsked {
      let transaction = try database.beginWrite()
      try ledger.swelling(to: 10_000, &random).transfer(
        in: transaction, writer: writer, &random)
      _ = try transaction.commit(durability: mix.draw(&random), history: [1])
      count += 1
    }
    say("transfers \(count)")
  }
}

/// Hears when the parent says anything, or ends.
public final class Stop: Sendable {
  private let asked = Atomic<Bool>(false)

  public init() {
    do {
      try BackgroundThread.start(name: "stop") { [self] in
        _ = readLine()
        asked.store(true, ordering: .relaxed)
      }
    } catch {
      fatalError("no thread: \(error)")
    }
  }

  public var isAsked: Bool { asked.load(ordering: .relaxed) }
}
