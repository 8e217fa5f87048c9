import Coordination
import EngineLab
import Glibc
import Platform
import Storage
import TestSupport
import Testing

/// The kernel tells of a failed flush once; what it should have covered has to be written again.
@Suite struct FailedFlushTests {
  /// The second flush of the repair fails as well, then all of them, then none.
  @Test func `what a failed flush should have covered is written again before anything else`()
    throws
  {
    let bench = try Bench()
    try bench.commit()
    bench.system.faults = Self.everyFlush
    #expect(throws: StorageError.self) { try bench.commit() }
    #expect { try bench.database.beginWrite() } throws: { error in
      (error as? StorageError)?.code == .poisoned
    }
    // Reading goes on.
    try bench.check(try bench.database.pinNewest())
    bench.system.faults = FaultPlan()
    #expect(bench.database.newestVersion == 2)
    try bench.commit()
    #expect(bench.database.durableVersion == 3)
    try bench.open()
    #expect(bench.database.newestVersion == 3)
    try bench.verify()
  }

  @Test func `who wants to write after a failed flush waits for the transaction that is under way`()
    async throws
  {
    let bench = try Bench(durability: .relaxed)
    try bench.commit()
    let first = try bench.database.beginWrite()
    bench.system.faults = Self.everyFlush
    #expect(throws: StorageError.self) { try bench.database.flush() }
    bench.system.faults = FaultPlan()
    let database = try #require(bench.database)
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      do {
        try database.beginWrite { result in
          do {
            try result.get().cancel()
            done.resume()
          } catch { done.resume(throwing: error) }
        }
        first.cancel()
      } catch { done.resume(throwing: error) }
    }
    try bench.commit()
    try bench.open()
    try bench.verify()
  }

  /// The kernel tells of a failed flush once, and the next one succeeds without having written
  /// anything: the process that opens the file next must know.
  @Test(arguments: [Durability.full, .strict])
  func `what a recovery could not flush is written again by the next one`(
    durability: Durability
  ) throws {
    let (bench, open) = try failedRecovery(durability)
    bench.system.forgetCalls()
    let database = try open(bench.options)
    #expect(database.newestVersion == 2)
    try expectWritingBeforeFlush(bench)
    try bench.check(try database.pinNewest())
  }

  private static var everyFlush: FaultPlan {
    var plan = FaultPlan()
    plan.failingCall = 0
    plan.failsForGood = true
    plan.kinds = [.fdatasync]
    return plan
  }

  /// What the commit wrote, and its slot.
  private func expectWritingBeforeFlush(_ bench: Bench) throws {
    let first = try #require(bench.system.calls.firstIndex(of: .fdatasync))
    #expect(bench.system.calls[..<first].count { $0 == .write } >= 2)
  }

  /// As below, of a file of two versions.
  private func failedRecovery(
    _ durability: Durability
  ) throws -> (bench: Bench, open: (DatabaseOptions) throws -> Database) {
    let bench = try Bench()
    try bench.commit()
    bench.options.durability = durability
    return (bench, failedRecovery(of: bench))
  }

  /// Copies the file as a process leaves it that is killed; the first opening of the copy fails, in
  /// its first call of the kind.
  ///
  /// - Returns: what opens the copy.
  private func failedRecovery(
    of bench: Bench, in call: SystemCall = .fdatasync
  ) -> (DatabaseOptions) throws -> Database {
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
    func open(_ options: DatabaseOptions) throws -> Database {
      try Database.open(path: "/b.realm", options: options, system: bench.system)
    }
    var plan = FaultPlan()
    plan.failingCall = 0
    plan.kinds = [call]
    bench.system.faults = plan
    #expect(throws: StorageError.self) { try open(bench.options) }
    bench.system.faults = FaultPlan()
    return open
  }

  /// Only the page cache has the newest slot, and is read again while the nodes are being written.
  @Test func `a slot that disappears while it is being secured is given up, and no other`() throws {
    let bench = try Bench()
    try bench.commit()
    let slots = FileLayout.durableSlots[0]..<FileLayout.firstNode
    let onDisk = bench.system.contents(of: "/a.realm")[slots]
    try bench.commit()
    let open = failedRecovery(of: bench)
    var isReadAgain = false
    bench.system.observer = { system, path in
      guard path == "/b.realm", !isReadAgain else { return }
      isReadAgain = true
      system.readAgainLocked(onDisk, at: slots.lowerBound, of: path)
    }
    defer { bench.system.observer = nil }
    let database = try open(bench.options)
    #expect(isReadAgain)
    #expect(database.newestVersion == 2)
    try bench.check(try database.pinNewest())
  }

  /// The only one there is: a power loss while it is written could leave none.
  @Test func `a failed flush leaves the slot of a new file where it is, under strict`() throws {
    let bench = try Bench(durability: .strict)
    for call in [SystemCall.fdatasync, .write] {
      let open = failedRecovery(of: bench, in: call)
      let writes = LockedValue(0)
      bench.system.observer = { system, path in
        guard path == "/b.realm" else { return }
        for case .write(FileLayout.durableSlots[0], _) in system.pendingLocked(of: path).operations
        { writes.withLock { $0 += 1 } }
      }
      defer { bench.system.observer = nil }
      let database = try open(bench.options)
      #expect(database.newestVersion == 1)
      #expect(writes.withLock { $0 } == 0)
    }
  }

  /// A process that has the file for itself alone has no lock-file, and leaves one for this.
  @Test func `what an exclusive opening could not flush is written again by the next one`() throws {
    let bench = try Bench()
    try bench.commit()
    bench.options.durability = .strict
    bench.options.exclusive = true
    let open = failedRecovery(of: bench)
    bench.options.exclusive = false
    bench.system.forgetCalls()
    let database = try open(bench.options)
    try expectWritingBeforeFlush(bench)
    try bench.check(try database.pinNewest())
  }

  @Test func `an exclusive opening that has made a failed flush good says so`() throws {
    let bench = try Bench()
    try bench.commit()
    bench.options.durability = .strict
    bench.options.exclusive = true
    let open = failedRecovery(of: bench)
    var database: Database? = try open(bench.options)
    #expect(database?.newestVersion == 2)
    database = nil
    #expect(database == nil)
    bench.system.forgetCalls()
    try bench.check(try open(bench.options).pinNewest())
    #expect(!bench.system.calls.contains(.fdatasync))
  }

  @Test func `what a process alone with a file could not flush is written again by the next one`()
    throws
  {
    let bench = try Bench()
    bench.options.exclusive = true
    bench.options.durability = .relaxed
    try bench.open()
    try bench.commit()
    bench.system.faults = Self.everyFlush
    #expect(throws: StorageError.self) { try bench.database.flush() }
    func notesFailure() -> Bool {
      let bytes = bench.system.contents(of: "/a.realm.lock")
      return bytes.count > LockFileLayout.flushFailure
        && bytes[LockFileLayout.flushFailure] % 2 == 1
    }
    #expect(notesFailure(), "were the process killed, the next one would not know")
    bench.system.faults = FaultPlan()
    try bench.database.flush()
    #expect(!notesFailure())
    try bench.check(try bench.database.pinNewest())
  }

  /// A reader may begin the session, and writes nothing; the writer who joins it has to.
  @Test(arguments: [Durability.full, .strict])
  func `what a recovery could not flush is written again by a writer who joins a reader`(
    durability: Durability
  ) throws {
    let (bench, open) = try failedRecovery(durability)
    var readOnly = bench.options
    readOnly.readOnly = true
    let reader = try open(readOnly)
    try bench.check(try reader.pinNewest())
    bench.system.forgetCalls()
    let writer = try open(bench.options)
    let transaction = try writer.beginWrite()
    try expectWritingBeforeFlush(bench)
    transaction.cancel()
    #expect(writer.durableVersion == 2)
    try bench.check(try writer.pinNewest())
  }

  /// Wherever it is killed, the process that opens the file next must know.
  @Test func `a reader that is killed while it begins a session leaves the word of a failed flush`()
    throws
  {
    let (bench, open) = try failedRecovery(.strict)
    let data = bench.system.contents(of: "/b.realm")
    var readOnly = bench.options
    readOnly.readOnly = true
    let watch = SharedWordWatch {
      Array(bench.system.contents(of: "/b.realm.lock").prefix(LockFileLayout.participants))
    }
    do {
      Scheduling.enter(watch)
      defer { Scheduling.leave() }
      try bench.check(try open(readOnly).pinNewest())
    }
    #expect(watch.states.count > 5)
    for state in watch.states {
      bench.system.install(data, at: "/b.realm")
      bench.system.install(state, at: "/b.realm.lock")
      bench.system.forgetCalls()
      let database = try open(bench.options)
      try expectWritingBeforeFlush(bench)
      try bench.check(try database.pinNewest())
    }
  }

  /// A recovery that comes to nothing for another reason has flushed nothing.
  @Test func `a wrong key has nothing written again by the opening after it`() throws {
    let key = try #require(EncryptionKey([UInt8](repeating: 1, count: 64)))
    let bench = try Bench(key: key)
    try bench.commit()
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/c.realm")
    func open(_ path: String, _ key: EncryptionKey) throws -> Database {
      var options = bench.options
      options.encryptionKey = key
      return try Database.open(path: path, options: options, system: bench.system)
    }
    func writesOfOpening(_ path: String) throws -> Int {
      bench.system.forgetCalls()
      let database = try open(path, key)
      defer { withExtendedLifetime(database) {} }
      return bench.system.calls.count { $0 == .write || $0 == .fdatasync }
    }
    let wrong = try #require(EncryptionKey([UInt8](repeating: 2, count: 64)))
    #expect(throws: StorageError.self) { try open("/b.realm", wrong) }
    #expect(try writesOfOpening("/b.realm") == writesOfOpening("/c.realm"))
  }
}

/// What a thread leaves if it is killed before it touches a word that processes share.
private final class SharedWordWatch: ScheduledThread {
  private let look: () -> [UInt8]
  /// Each one once.
  private(set) var states: Set<[UInt8]> = []

  init(look: @escaping () -> [UInt8]) { self.look = look }

  func reachedSharedWord() { states.insert(look()) }
  func reachedLock() {}
  func waitForLock() { sched_yield() }
  func givesLockBack() {}
}
