import Coordination
import EngineLab
import Platform
import Storage
import TestSupport
import Testing

/// A process was killed in a flush that failed: the kernel has told nobody else of it, and nobody
/// has noted it.
@Suite struct DeadFlushTests {
  private let bench: Bench

  init() throws {
    bench = try Bench()
    for _ in 0..<5 { try bench.commit() }
  }

  private static let slots = FileLayout.durableSlots[0]..<FileLayout.firstNode

  private func open(_ durability: Durability = .full, readOnly: Bool = false) throws -> Database {
    var options = bench.options
    options.durability = durability
    options.readOnly = readOnly
    return try Database.open(path: "/b.realm", options: options, system: bench.system)
  }

  /// What a power loss leaves now if nothing arrives that has not been flushed.
  private func expectOnDisk(_ version: Version) throws {
    let machine = SimulatedSystem()
    machine.install(bench.system.pending(of: "/b.realm").base, at: "/c.realm")
    let database = try Database.open(path: "/c.realm", options: bench.options, system: machine)
    #expect(database.newestVersion == version)
    #expect(try database.verify().findings == [])
  }

  /// The newest version that the session of the bench's file knows of.
  private func published() throws -> PublishedVersion {
    let file = try bench.system.openFile(path: "/a.realm", mode: .readWrite)
    let member = try LockFile.open(path: "/a.realm.lock", dataFile: file, system: bench.system) {
      (_) throws(Never) in preconditionFailure("the database is open")
    }
    defer { member.close() }
    return try member.newest()
  }

  /// Another process's session of the copy, which begins with what was recovered.
  private func holdSession(_ recovered: LockFile.Recovered) throws -> LockFile {
    let data = try bench.system.openFile(path: "/b.realm", mode: .readWrite)
    return try LockFile.open(path: "/b.realm.lock", dataFile: data, system: bench.system) {
      (_) throws(Never) in recovered
    }
  }

  /// Somebody else holds the session, and knows of the slot that the dead process was flushing.
  @Test(arguments: [Durability.full, .grouped, .relaxed])
  func `a slot that another process had on its way is written anew before it counts`(
    durability: Durability
  ) throws {
    bench.options.durability = .relaxed
    try bench.open()
    try bench.commit().release()
    let durable = bench.database.durableVersion
    let published = try published()
    var disk = bench.system.contents(of: "/a.realm")
    try bench.database.flush()
    let cache = bench.system.contents(of: "/a.realm")
    // The nodes had been flushed, and the slot of the version before is on the disk.
    disk += cache[disk.count...]
    bench.system.install(disk, at: "/b.realm")
    bench.system.readAgain(cache[Self.slots], at: Self.slots.lowerBound, of: "/b.realm")
    let holder = try holdSession(
      LockFile.Recovered(newest: published, durable: durable, flushed: published.version))
    holder.pendingSlot = published.version
    let database = try open(durability)
    try database.flush()
    #expect(database.durableVersion == published.version)
    try expectOnDisk(published.version)
    holder.close()
  }

  /// It died before it could say that the slot is on its way. Power may fail before the next slot
  /// arrives, and by then the space of a version that nobody knows of could have been used again.
  @Test func `a flush does not write over a slot that a dead process has left`() throws {
    bench.options.durability = .relaxed
    try bench.open()
    let durable = bench.database.durableVersion
    let left = try bench.commit().version
    try bench.database.flush()
    try bench.commit().release()
    let published = try published()
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
    let holder = try holdSession(
      LockFile.Recovered(newest: published, durable: durable, flushed: durable))
    let database = try open(.relaxed)
    try database.flush()
    #expect(database.durableVersion == published.version)
    let bytes = bench.system.contents(of: "/b.realm")
    let versions = FileLayout.durableSlots.map { place in
      let start = place + FileLayout.slotVersion
      return (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
    }
    #expect(Set(versions) == [left.rawValue, published.version.rawValue])
    holder.close()
  }

  /// A writer died between its slot and publishing, and what it had written was dropped when the
  /// flush of another process failed, which died as well. Who had opened the file before, at the
  /// version before, does not hear of it.
  @Test(arguments: [Durability.grouped, .relaxed])
  func `what a dead writer left unflushed is written again before it counts as durable`(
    durability: Durability
  ) throws {
    bench.options.durability = .relaxed
    try bench.open()
    let published = try published()
    var disk = bench.system.contents(of: "/a.realm")
    let left = try bench.commit().version
    let cache = bench.system.contents(of: "/a.realm")
    disk += [UInt8](repeating: 0, count: cache.count - disk.count)
    bench.system.install(disk, at: "/b.realm")
    let holder = try holdSession(
      LockFile.Recovered(newest: published, durable: published.version))
    let database = try open(durability)
    bench.system.readAgain(
      cache[Self.slots.lowerBound...], at: Self.slots.lowerBound, of: "/b.realm")
    try database.beginWrite().cancel()
    #expect(database.newestVersion == left)
    try database.flush()
    #expect(database.durableVersion == left)
    try expectOnDisk(left)
    holder.close()
  }

  /// Of the last commit only the slot is there, which so names nothing.
  private func installSlotAlone() throws -> Version {
    var bytes = bench.system.contents(of: "/a.realm")
    let newest = try bench.commit().version
    let newer = bench.system.contents(of: "/a.realm")
    bytes += [UInt8](repeating: 0, count: max(0, newer.count - bytes.count))
    bytes.replaceSubrange(Self.slots, with: newer[Self.slots])
    bench.system.install(bytes, at: "/b.realm")
    return newest
  }

  /// A change that the lost commit did not make, so that its slot does not come to fit by chance.
  private func commit(_ database: Database) throws {
    let transaction = try database.beginWrite()
    let root = try transaction.writer.mutable(transaction.root)
    try transaction.writer.release(root.node.reference(0))
    root.setReference(0, .none)
    transaction.root = root.reference
    try transaction.commit().release()
  }

  @Test(arguments: [Durability.grouped, .relaxed])
  func `the slot of a commit that did not arrive is not taken for that of a later one`(
    durability: Durability
  ) throws {
    let lost = try installSlotAlone()
    let reader = try open(readOnly: true)
    #expect(reader.newestVersion == lost.previous)
    let writer = try open(durability)
    try commit(writer)
    try writer.beginWrite().cancel()
    try writer.flush()
    #expect(writer.durableVersion == lost)
    try expectOnDisk(lost)
    withExtendedLifetime(reader) {}
  }

  @Test func `slots that name nothing are looked at once, and keep nobody from writing`() throws {
    let lost = try installSlotAlone()
    let reader = try open(readOnly: true)
    let writer = try open()
    try writer.beginWrite().cancel()
    let transaction = try writer.tryBeginWrite()
    #expect(transaction?.version == lost)
    transaction?.cancel()
    withExtendedLifetime(reader) {}
  }
}
