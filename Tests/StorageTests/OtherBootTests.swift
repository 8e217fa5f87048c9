import Coordination
import EngineLab
import Platform
import Storage
import TestSupport
import Testing

/// The boot's identifier is another one although the page cache is the same: a container is given
/// one of its own each time that it starts, and where none can be read it is drawn at random.
@Suite struct OtherBootTests {
  private final class Container: ForwardingSystem {
    let real: any System
    init(on machine: any System) { real = machine }
    func bootIdentifier() -> BootIdentifier { BootIdentifier(high: 1, low: 2) }
  }

  private let bench: Bench
  private let newest: Version

  /// The last process was killed before its last commit had been flushed.
  init() throws {
    bench = try Bench()
    for _ in 0..<5 { try bench.commit() }
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
    newest = try bench.commit().version
    let bytes = bench.system.contents(of: "/a.realm")
    let file = try bench.system.openFile(path: "/b.realm", mode: .readWrite)
    try unsafe bytes.withUnsafeBytes { try unsafe file.write($0, at: 0) }
    file.close()
  }

  private func commit(_ database: Database) throws {
    let transaction = try database.beginWrite()
    let version = transaction.version
    bench.leaves[version] = bench.model.next(
      bench.leaves[transaction.baseVersion]!, version: version)
    try bench.model.apply(to: transaction)
    try transaction.commit().release()
  }

  @Test(arguments: [Durability.full, .strict, .grouped, .relaxed])
  func `what seems to be of another boot is flushed before anything relies on it`(
    durability: Durability
  ) throws {
    let images = LockedValue<[[UInt8]]>([])
    bench.system.observer = { system, path in
      guard path == "/b.realm" else { return }
      let plan = system.pendingLocked(of: path)
      // None of what had not been flushed has arrived, and all that has been written since.
      let left = CrashPlan(base: plan.base, operations: Array(plan.operations.dropFirst()))
      images.withLock { $0.append(left.everything()) }
    }
    var options = bench.options
    options.durability = durability
    let database = try Database.open(
      path: "/b.realm", options: options, system: Container(on: bench.system))
    #expect(database.newestVersion == newest)
    for _ in 0..<3 { try commit(database) }
    try database.flush()
    bench.system.observer = nil
    for image in images.withLock({ $0 }) {
      let machine = SimulatedSystem()
      machine.install(image, at: "/c.realm")
      let found = try Database.open(path: "/c.realm", options: bench.options, system: machine)
      #expect(found.newestVersion >= newest.previous)
      try bench.check(try found.pinNewest())
    }
  }

  @Test func `a flush that has failed in another boot is heard of`() throws {
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
    var plan = FaultPlan()
    plan.failingCall = 0
    plan.kinds = [.fdatasync]
    bench.system.faults = plan
    #expect(throws: StorageError.self) {
      try Database.open(path: "/b.realm", options: bench.options, system: bench.system)
    }
    bench.system.faults = FaultPlan()
    bench.system.forgetCalls()
    let database = try Database.open(
      path: "/b.realm", options: bench.options, system: Container(on: bench.system))
    // What the commit wrote, and its slot.
    let first = try #require(bench.system.calls.firstIndex(of: .fdatasync))
    #expect(bench.system.calls[..<first].count { $0 == .write } >= 2)
    #expect(database.newestVersion == newest)
  }

  /// The other process's word for its boot is not this one's, and it died over its slot.
  @Test func `a slot of a process with another boot is kept while it may be on its way`() throws {
    bench.options.durability = .relaxed
    try bench.open()
    let flushed = try bench.commit().version
    try bench.database.flush()
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
    let published = try published(of: "/a.realm")
    let file = try bench.system.openFile(path: "/b.realm", mode: .readWrite)
    let member = try LockFile.open(path: "/b.realm.lock", dataFile: file, system: bench.system) {
      (_) throws(Never) in LockFile.Recovered(newest: published, durable: newest, flushed: flushed)
    }
    let database = try Database.open(
      path: "/b.realm", options: bench.options, system: Container(on: bench.system))
    try database.beginWrite().cancel()
    #expect(member.pendingSlot == flushed)
    member.close()
  }

  private func published(of path: String) throws -> PublishedVersion {
    let file = try bench.system.openFile(path: path, mode: .readWrite)
    let member = try LockFile.open(path: path + ".lock", dataFile: file, system: bench.system) {
      (_) throws(Never) in preconditionFailure("the database is open")
    }
    defer { member.close() }
    return try member.newest()
  }
}
