import Coordination
import EngineLab
import Platform
import Storage
import TestSupport
import Testing

/// The last durable version is in the page cache and not on the disk: whoever finds it may not do
/// away with the one before until it is.
@Suite struct UncertainVersionTests {
  private let bench: Bench
  /// The file with the last version, and as it was with the one before.
  private let newer, older: [UInt8]
  private let newest: Version

  private static let slots = FileLayout.durableSlots[0]..<FileLayout.firstNode

  /// - Parameter commits: how many, since the durable slots take turns.
  private init(commits: Int) throws {
    bench = try Bench()
    for _ in 1..<commits { try bench.commit() }
    older = bench.system.contents(of: "/a.realm")
    newest = try bench.commit().version
    newer = bench.system.contents(of: "/a.realm")
  }

  init() throws { try self.init(commits: 5) }

  private func open(
    _ durability: Durability = .full, readOnly: Bool = false, at path: String = "/b.realm"
  ) throws -> Database {
    var options = bench.options
    options.durability = durability
    options.readOnly = readOnly
    return try Database.open(path: path, options: options, system: bench.system)
  }

  /// As processes leave the file that are killed after a flush has failed, and a reader who comes
  /// next.
  ///
  /// - Parameter cleared: what has been cleared in the page cache alone.
  private func readerAfterFailedFlush(clearing cleared: Range<Int> = 0..<0) throws -> Database {
    bench.system.install(newer, at: "/b.realm")
    readAgain([UInt8](repeating: 0, count: newer.count), cleared)
    openWithFailedFlush()
    return try open(readOnly: true)
  }

  private func openWithFailedFlush() {
    var plan = FaultPlan()
    plan.failingCall = 0
    plan.kinds = [.fdatasync]
    bench.system.faults = plan
    #expect(throws: StorageError.self) { try open() }
    bench.system.faults = FaultPlan()
  }

  private func readAgain(_ bytes: [UInt8], _ range: Range<Int>, of path: String = "/b.realm") {
    bench.system.readAgain(bytes[range], at: range.lowerBound, of: path)
  }

  /// What is on the disk, opened anew.
  private func expectOnDisk(_ versions: Set<Version>, _ when: String) throws {
    bench.system.install(bench.system.pending(of: "/b.realm").base, at: "/c.realm")
    let database = try open(at: "/c.realm")
    #expect(versions.contains(database.newestVersion), "\(when): \(database.newestVersion)")
    try bench.check(try database.pinNewest())
  }

  @Test(arguments: [5, 6])
  func `a slot that is read again while a reader has the session is written anew, beside the other`(
    commits: Int
  ) throws {
    let scene = try UncertainVersionTests(commits: commits)
    let reader = try scene.readerAfterFailedFlush()
    scene.readAgain(scene.older, Self.slots)
    let writer = try scene.open()
    try writer.beginWrite().cancel()
    try scene.expectOnDisk([scene.newest], "after the repair")
    #expect(reader.durableVersion == scene.newest)
    try scene.bench.check(try writer.pinNewest())
  }

  /// It had reached the disk when its flush failed, and was cleared in the page cache alone.
  @Test(arguments: [5, 6])
  func `a slot that was taken back and is read again keeps nobody from writing`(
    commits: Int
  ) throws {
    let scene = try UncertainVersionTests(commits: commits)
    let place = try #require(
      FileLayout.durableSlots.first {
        scene.newer[$0..<$0 + FileLayout.slotSize] != scene.older[$0..<$0 + FileLayout.slotSize]
      })
    let reader = try scene.readerAfterFailedFlush(
      clearing: place..<place + FileLayout.slotSize)
    #expect(reader.newestVersion == scene.newest.previous)
    scene.readAgain(scene.newer, place..<place + FileLayout.slotSize)
    let writer = try scene.open()
    let transaction = try writer.beginWrite()
    #expect(transaction.baseVersion == scene.newest.previous)
    transaction.cancel()
    try scene.bench.check(try writer.pinNewest())
    try scene.expectOnDisk([scene.newest.previous], "after the repair")
    withExtendedLifetime(reader) {}
  }

  @Test(arguments: [5, 6])
  func `a version whose nodes are gone is given up, and not the one before`(commits: Int) throws {
    let scene = try UncertainVersionTests(commits: commits)
    var reader: Database? = try scene.readerAfterFailedFlush()
    var before = scene.older + [UInt8](repeating: 0, count: scene.newer.count)
    // But for the root, so that the slot still seems to name what is there.
    let root = Int(try scene.bench.database.pinNewest().root.offset)
    for offset in root..<root + 300 { before[offset] = scene.newer[offset] }
    scene.readAgain(before, FileLayout.firstNode..<scene.newer.count)
    var writer: Database? = try scene.open()
    #expect {
      try writer?.beginWrite()
    } throws: { error in
      (error as? StorageError)?.code == .poisoned
    }
    (reader, writer) = (nil, nil)
    #expect(reader == nil && writer == nil)
    let database = try scene.open()
    #expect(database.newestVersion == scene.newest.previous)
    try scene.bench.check(try database.pinNewest())
  }

  @Test func `nothing is written to a new file whose header is gone`() throws {
    let made = try open(at: "/new.realm")
    bench.system.install(bench.system.contents(of: made.path), at: "/b.realm")
    openWithFailedFlush()
    var reader: Database? = try open(readOnly: true)
    var writer: Database? = try open()
    let zeros = [UInt8](repeating: 0, count: 4096)
    readAgain(zeros, 0..<4096)
    #expect(throws: StorageError.self) { try writer?.beginWrite() }
    (reader, writer) = (nil, nil)
    #expect(reader == nil && writer == nil)
    let database = try open()
    try database.beginWrite().cancel()
    #expect(database.newestVersion == 1)
  }

  /// Another process has the writer role meanwhile, in a flush that takes long.
  @Test func `a close does not call certain what a reader has only found`() throws {
    bench.system.install(newer, at: "/b.realm")
    let reader = try open(readOnly: true)
    let file = try bench.system.openFile(path: "/b.realm", mode: .readWrite)
    let holder = try LockFile.open(path: "/b.realm.lock", dataFile: file, system: bench.system) {
      (_) throws(Never) in preconditionFailure("a reader has the session")
    }
    try holder.lockWriter()
    var writer: Database? = try open()
    bench.system.forgetCalls()
    writer = nil
    #expect(writer == nil && !bench.system.calls.contains(.write))
    holder.unlockWriter()
    holder.close()
    withExtendedLifetime(reader) {}
  }

  /// Whether or not it is known that a flush has failed: who was killed in it has told nobody.
  @Test(arguments: [true, false])
  func `recovery brings the last slot to the disk before it writes over the one before`(
    isKnown: Bool
  ) throws {
    try bench.database.flush()
    bench.options.durability = .relaxed
    try bench.open()
    let unflushed = try bench.commit().version
    var cache = bench.system.contents(of: "/a.realm")
    // Nobody has closed the file since; on the disk is all but the slots.
    let mark = FileLayout.closingMark..<FileLayout.closingMark + FileLayout.slotSize
    for offset in mark { cache[offset] = 0 }
    let disk = cache[..<Self.slots.lowerBound] + older[Self.slots] + cache[Self.slots.upperBound...]
    bench.system.install(Array(disk), at: "/b.realm")
    readAgain(cache, Self.slots)
    if isKnown { openWithFailedFlush() }
    let places = FileLayout.durableSlots.filter { place in
      older[place..<place + 8] != cache[place..<place + 8]
        || older[place + FileLayout.slotVersion] != cache[place + FileLayout.slotVersion]
    }
    let kept = try #require(FileLayout.durableSlots.first { !places.contains($0) })
    // What a power loss leaves that destroys the slot which is being written over.
    let images = LockedValue<[[UInt8]]>([])
    bench.system.observer = { system, path in
      guard path == "/b.realm" else { return }
      let plan = system.pendingLocked(of: path)
      guard case .write(kept, _)? = plan.operations.last else { return }
      var image = plan.base
      for offset in kept..<kept + FileLayout.slotSize { image[offset] = 0xAA }
      images.withLock { $0.append(image) }
    }
    let database = try open()
    bench.system.observer = nil
    #expect(database.newestVersion == unflushed)
    let left = images.withLock { $0 }
    #expect(!left.isEmpty)
    for image in left {
      bench.system.install(image, at: "/c.realm")
      let found = try open(at: "/c.realm")
      #expect(found.newestVersion >= newest)
      try bench.check(try found.pinNewest())
    }
  }
}
