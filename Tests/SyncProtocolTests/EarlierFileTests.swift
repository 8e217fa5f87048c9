import SyncLab
import SyncProtocol
import Testing

/// A device's file may come out of a backup of the device, or lie on two of them.
@Suite("a client file") struct EarlierFileTests {
  /// Two devices that have item 1 with a list of one element.
  private func synced() throws -> SyncBench {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.append(0, 1, [1])
    try bench.syncAll()
    return bench
  }

  @Test("that has gone back to an earlier state sends what it writes, and gets what it had sent")
  func goneBack() throws {
    var bench = try synced()
    let earlier = bench.copyFile(of: 0)
    try bench.append(0, 1, [2])
    try bench.sync(0)
    try bench.append(0, 1, [3])
    try bench.sync(0)
    try bench.create(earlier, 2)
    try bench.append(earlier, 1, [4])
    for device in [earlier, 1, earlier] { try bench.sync(device) }
    for device in [earlier, 1] {
      #expect(bench.exists(device, 2))
      #expect(bench.list(device, 1).sorted() == [1, 2, 3, 4])
      #expect(!bench.isDirty(device))
    }
  }

  /// Neither state sees the item, so the file is not told what the server has of the list.
  @Test("that has gone back puts elements where it has them beside later ones that it had sent")
  func order() throws {
    var bench = try SyncBench(devices: 2)
    try bench.subscribe(0, "owner == 1")
    try bench.create(0, 1)
    for value in Int64(0)..<3 { try bench.insert(0, 1, [3 - value], at: 0) }
    let earlier = bench.copyFile(of: 0)
    for _ in 0..<2 { try bench.removeItem(0, 1, 1) }
    for device in [0, 1] { try bench.sync(device) }
    #expect(bench.list(1, 1) == [1])
    try bench.insert(earlier, 1, [4], at: 1)
    for device in [earlier, 1] { try bench.sync(device) }
    #expect(bench.list(1, 1) == [1, 4, 2, 3])
  }

  @Test("of which there are two loses nothing of either")
  func copied() throws {
    var bench = try synced()
    let copy = bench.copyFile(of: 0)
    for round in Int64(0)..<3 {
      try bench.append(0, 1, [10 + round])
      try bench.append(copy, 1, [20 + round])
      for device in [0, copy] { try bench.sync(device) }
    }
    for device in [1, 0, copy] { try bench.sync(device) }
    for device in [0, copy, 1] {
      #expect(bench.list(device, 1).sorted() == [1, 10, 11, 12, 20, 21, 22])
      #expect(!bench.isDirty(device))
    }
  }

  @Test("is told anew what the server refuses of it when it has gone back")
  func refusedAnew() throws {
    var bench = try synced()
    let earlier = bench.copyFile(of: 0)
    try bench.set(0, 1, "a", .int(1))
    try bench.sync(0)
    // The number that the server takes from nobody.
    try bench.set(earlier, 1, "a", .int(13))
    for device in [earlier, 1] { try bench.sync(device) }
    #expect(bench.value(earlier, 1, "a") == .int(1) && bench.value(1, 1, "a") == .int(1))
    #expect(!bench.isDirty(earlier))
  }

  @Test("that has gone back numbers no batch as it had numbered another one")
  func batchNumbers() throws {
    var bench = try synced()
    let earlier = bench.copyFile(of: 0)
    try bench.create(earlier, 2)
    try bench.append(0, 1, [2])
    try bench.sync(0)
    // It comes to the same time by what it receives.
    try bench.sync(earlier)
    #expect(bench.batch(earlier) != bench.batch(0))
  }

  @Test("that has gone back gives elements other numbers, though its clock was ahead once")
  func afterClockAhead() throws {
    var bench = try synced()
    bench.setAhead(0, by: 7_200_000)
    try bench.append(0, 1, [2])
    try bench.sync(0)
    try bench.append(0, 1, [3])
    try bench.sync(0)
    let earlier = bench.copyFile(of: 0)
    try bench.append(0, 1, [4])
    try bench.sync(0)
    try bench.append(earlier, 1, [5])
    for device in [earlier, 1, 0] { try bench.sync(device) }
    for device in [earlier, 1] { #expect(bench.list(device, 1).sorted() == [1, 2, 3, 4, 5]) }
  }

  @Test("gives elements the same numbers in whatever order their insertions are noted")
  func elementNumbers() throws {
    #expect(try elements(notedInOrder: [1, 2, 3]) == elements(notedInOrder: [3, 1, 2]))
  }

  private func elements(notedInOrder keys: [Int64]) throws -> Set<ElementID> {
    var core = ClientCore(storage: MemoryClientStorage(client: ClientID(7)))
    let type = core.storage.record.names.add("Item")
    let list = ContainerID(declaredBy: core.storage.record.names.add("list"), in: .root)
    for key in Int64(1)...3 { core.create(ObjectID(type: type, key: .int(key)), now: 1) }
    for key in keys {
      let time = HybridClock.time(milliseconds: 100 + UInt64(key))
      let id = ObjectID(type: type, key: .int(key))
      let isNoted = core.note([PastInsertion(index: 0, count: 2, time: time)], into: list, of: id)
      #expect(isNoted)
    }
    let placements = try core.makeBatch()?.objects.flatMap(\.containers).flatMap(\.placements)
    let found = Set((placements ?? []).map(\.name.element))
    #expect(found.count == 6)
    return found
  }

  @Test("that has gone back to when it wanted nothing says so, and gets nothing")
  func wantsNothing() throws {
    var bench = try synced()
    let earlier = bench.copyFile(of: 0)
    bench.forgetQueries(earlier)
    // The first connection brings what the server knows to be wanted, the next one ends that.
    for _ in 0..<2 { try bench.sync(earlier) }
    #expect(!bench.exists(earlier, 1))
    try bench.create(1, 2)
    for device in [1, earlier] { try bench.sync(device) }
    #expect(!bench.exists(earlier, 2))
  }

  @Test("and a copy of it lose nothing when both go on from a time that they have received")
  func sameReceivedTime() throws {
    var bench = try synced()
    let copy = bench.copyFile(of: 0)
    bench.setAhead(1, by: 50_000)
    try bench.append(1, 1, [2])
    for device in [1, 0, copy] { try bench.sync(device) }
    try bench.append(0, 1, [3])
    try bench.append(copy, 1, [4])
    for device in [0, copy, 1, 0, copy] { try bench.sync(device) }
    for device in [0, copy, 1] { #expect(bench.list(device, 1).sorted() == [1, 2, 3, 4]) }
  }

  @Test("that has gone back gives what it wants to see numbers that it had not given before")
  func querySets() throws {
    var bench = try synced()
    let earlier = bench.copyFile(of: 0)
    try bench.subscribe(0, "owner == 1")
    try bench.sync(0)
    try bench.subscribe(earlier, "owner == 2")
    #expect(bench.queryVersion(earlier) != bench.queryVersion(0))
  }

  /// The later ones fail where the server does not look whether it knows the file's batches.
  @Test(
    "ends with the same data as all others where files go back",
    arguments: [UInt64](1...60) + [107, 231, 251, 532, 571])
  func convergence(seed: UInt64) {
    #expect(ConvergenceRun.run(seed: seed, goesBack: true).finding == nil)
  }
}
