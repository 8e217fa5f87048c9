import Glibc
import Platform
import Storage
import Synchronization
import TestSupport

/// Eight threads of one process on one file, opened under several names: three that write, one that
/// waits for its turn without blocking, two that read, two that open and close a file all the time.
public final class Threads: Sendable {
  private let seconds: Int
  private let seed: UInt64
  private let isEncrypted: Bool
  private let directory = TemporaryDirectory()
  private let ledger = Ledger()
  private let end: UInt64
  private let findings = LockedValue<[String]>([])
  private let commits = LockedValue<[UInt64]>([0, 0, 0, 0])
  private let reads = Atomic<Int>(0)
  private let openings = Atomic<Int>(0)

  public init(seconds: Int, seed: UInt64, isEncrypted: Bool) {
    self.seconds = seconds
    self.seed = seed
    self.isEncrypted = isEncrypted
    end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
  }

  public func run() throws -> ScenarioReport {
    print("threads: \(seconds) s, seed \(seed)\(isEncrypted ? ", encrypted" : "")")
    let names = ["a.realm", "b.realm", "./a.realm"].map { directory.file($0) }
    var report = ScenarioReport()
    var database: Database? = try Database.open(path: names[0], options: options)
    unsafe symlink(names[0], names[1])
    report.expect(
      try Database.open(path: names[1], options: options) === database!
        && Database.open(path: names[2], options: options) === database!,
      "one file is open twice")
    let gate = Gate(count: 8)
    for thread in 0..<8 {
      try BackgroundThread.start(name: "thread-\(thread)") {
        do { try self.live(thread, names[thread % 3]) } catch { self.note("\(error)") }
        gate.leave()
      }
    }
    try within(seconds + 60, "eight threads") {
      gate.wait()
      let snapshot = try database!.pinNewest()
      let stored = try ledger.counters(snapshot)
      let counted = commits.withLock { $0 }
      report.expect(stored == counted, "\(stored) are stored, \(counted) were made")
      report.lines.append(
        "\(counted.reduce(0, +)) commits, \(reads.load(ordering: .relaxed)) versions read,"
          + " \(openings.load(ordering: .relaxed)) openings")
      report.findings += try database!.verify().findings.prefix(3).map(\.description)
    }
    database = nil
    report.findings += findings.withLock { $0.prefix(10) }
    return report
  }

  private var options: DatabaseOptions {
    var options = DurabilityMix.relaxed.options
    if isEncrypted { options.encryptionKey = .lab }
    // So small that the file outgrows it again and again.
    options.mappingReservation = 1 << 14
    return options
  }

  private var isOver: Bool { MonotonicClock.now() >= end }

  private func note(_ finding: String) { findings.withLock { $0.append(finding) } }

  private func live(_ thread: Int, _ name: String) throws {
    var random = SeededGenerator(seed: seed + UInt64(thread))
    while !isOver {
      switch thread {
      case 0, 1, 2:
        let database = try Database.open(path: name, options: options)
        try write(try database.beginWrite(), thread, &random)
      case 3:
        let gate = Gate(count: 1)
        let turn = LockedValue<Result<WriteTransaction, StorageError>?>(nil)
        try Database.open(path: name, options: options).beginWrite { result in
          turn.withLock { $0 = result }
          gate.leave()
        }
        gate.wait()
        try write(try turn.withLock { $0! }.get(), thread, &random)
      case 6, 7: try visit(thread)
      default: try read(try Database.open(path: name, options: options), &random)
      }
    }
  }

  private func write(
    _ transaction: WriteTransaction, _ writer: Int, _ random: inout SeededGenerator
  ) throws {
    try ledger.transfer(in: transaction, writer: writer, leaves: 4, &random)
    let durability: Durability = random.below(50) == 0 ? .full : .relaxed
    let snapshot = try transaction.commit(durability: durability, history: [1])
    commits.withLock { $0[writer] += 1 }
    if random.below(8) == 0, let violation = try ledger.violation(in: snapshot) { note(violation) }
  }

  private func read(_ database: Database, _ random: inout SeededGenerator) throws {
    let snapshot = try database.pinNewest()
    let second = try snapshot.duplicate()
    if let violation = try ledger.violation(in: snapshot) { note(violation) }
    snapshot.release()
    let newer = try database.pinNewest()
    if newer.version < second.version { note("\(newer.version) came after \(second.version)") }
    if let violation = try ledger.violation(in: second) { note("again: \(violation)") }
    reads.wrappingAdd(2, ordering: .relaxed)
  }

  /// A file that nobody keeps open: opened, written to and closed, while the other thread does so
  /// too.
  private func visit(_ thread: Int) throws {
    let path = directory.file("c.realm")
    let before = try Database.open(path: path, options: options).newestVersion
    let database = try Database.open(path: path, options: options)
    if database.newestVersion < before { note("version \(database.newestVersion) after \(before)") }
    var random = SeededGenerator(seed: before.rawValue)
    let transaction = try database.beginWrite()
    try ledger.transfer(in: transaction, writer: 0, leaves: 2, &random)
    _ = try transaction.commit()
    openings.wrappingAdd(1, ordering: .relaxed)
  }
}

/// Opens when as many have left as were counted.
@safe final class Gate: Sendable {
  private let left: Atomic<Int>
  private nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt32>>  // Only atomically.

  init(count: Int) {
    left = Atomic(count)
    unsafe word = .allocate(capacity: 1)
    unsafe word.initialize(to: Atomic(0))
  }

  deinit { unsafe word.deallocate() }

  func leave() {
    guard left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    unsafe word.pointee.store(1, ordering: .sequentiallyConsistent)
    unsafe Futex.wake(UnsafeMutableRawPointer(word))
  }

  func wait() {
    while unsafe word.pointee.load(ordering: .sequentiallyConsistent) == 0 {
      unsafe Futex.wait(UnsafeMutableRawPointer(word), while: 0)
    }
  }
}
