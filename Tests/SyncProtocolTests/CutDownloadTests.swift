import SyncLab
import SyncProtocol
import Testing

@Suite("a download that is cut") struct CutDownloadTests {
  private let keys: Range<Int64> = 100..<160

  /// A server with objects of the first of four devices, and how many slices they are.
  private func bench() throws -> (SyncBench, whole: Int) {
    var bench = try SyncBench(devices: 4)
    for key in keys {
      try bench.create(0, key)
      try bench.set(0, key, "owner", .int(key))
    }
    try bench.sync(0)
    let before = bench.slices
    try bench.sync(2, cellsOfSlice: 10)
    return (bench, bench.slices - before)
  }

  private func expectEqual(_ bench: SyncBench, _ keys: Range<Int64>) {
    for key in keys {
      #expect(bench.exists(0, key) == bench.exists(1, key), "\(key)")
      #expect(bench.value(0, key, "owner") == bench.value(1, key, "owner"), "\(key)")
    }
  }

  @Test("goes on where the client was, with what was written meanwhile")
  func goesOn() throws {
    var (bench, whole) = try bench()
    try bench.sync(1, cellsOfSlice: 10, cutAfter: 5)
    let there = keys.filter { bench.exists(1, $0) }
    #expect(there.count > 5 && there.count < keys.count / 2)
    let missing = try #require(keys.first { !there.contains($0) })
    try bench.delete(0, there[0])
    try bench.set(0, there[1], "owner", .int(1_001))
    try bench.delete(0, missing)
    try bench.create(0, 160)
    try bench.sync(0)
    // Cut once more, before and after it has brought something.
    let before = bench.slices
    try bench.sync(1, cellsOfSlice: 10, cutAfter: 1)
    #expect(keys.count { bench.exists(1, $0) } < keys.count)
    try bench.sync(1, cellsOfSlice: 10)
    #expect(bench.slices - before <= whole - 5 + 2)
    expectEqual(bench, 100..<161)
    #expect(!bench.isDirty(1))
  }

  @Test("that is the first one begins again in slices as small if another process goes on")
  func restarted() throws {
    var (bench, whole) = try bench()
    // The download for no query set is over.
    try bench.create(1, 160)
    try bench.sync(1, cellsOfSlice: 10, cutAfter: 5)
    bench.restart(1)
    let before = bench.slices
    try bench.sync(1, cellsOfSlice: 10, cellsOfOneTransaction: 1_000)
    #expect(bench.slices - before >= whole - 2)
    try bench.syncAll()
    expectEqual(bench, 100..<161)
  }

  @Test("takes what the client has written between its slices")
  func writes() throws {
    var (bench, _) = try bench()
    try bench.sync(1, cellsOfSlice: 10, cutAfter: 5)
    let there = try #require(keys.first { bench.exists(1, $0) })
    try bench.set(1, there, "owner", .int(2_000))
    try bench.create(1, 160)
    try bench.sync(1, cellsOfSlice: 10)
    try bench.syncAll()
    expectEqual(bench, 100..<161)
    #expect(bench.value(0, there, "owner") == .int(2_000))
  }

  @Test("begins again with a server that was started anew")
  func startedAnew() throws {
    var (bench, whole) = try bench()
    try bench.sync(1, cellsOfSlice: 10, cutAfter: 5)
    try bench.server.reload()
    let before = bench.slices
    try bench.sync(1, cellsOfSlice: 10)
    #expect(bench.slices - before > whole - 5)
    expectEqual(bench, keys)
  }

  @Test("begins again if those of others that went later have too many objects")
  func tooMany() throws {
    var (bench, whole) = try bench()
    (bench.server.awayMax, bench.server.offerMax) = (100, 50)
    try bench.sync(1, cellsOfSlice: 10, cutAfter: 5)
    bench.server.noteAway(bench.client(1))
    try bench.sync(3, cellsOfSlice: 10, cutAfter: 5)
    bench.server.noteAway(bench.client(3))
    // Connections also end between the flush and the next slices.
    #expect(!bench.server.needsFlush)
    #expect(bench.server.files[bench.client(1)]?.isOffered == true)
    bench.server.forgetDownloads(before: 0)
    #expect(bench.server.files[bench.client(1)]?.isOffered == false)
    #expect(bench.server.files[bench.client(3)]?.isOffered == true)
    try bench.server.flush()
    var before = bench.slices
    try bench.sync(1, cellsOfSlice: 10)
    #expect(bench.slices - before > whole - 5)
    before = bench.slices
    try bench.sync(3, cellsOfSlice: 10)
    #expect(bench.slices - before <= whole - 5 + 2)
    expectEqual(bench, keys)
  }

  @Test("begins again where the program has got properties that it lacked")
  func upgraded() throws {
    var bench = try SyncBench(devices: 2, older: 1)
    try bench.sync(1)
    for key in keys {
      try bench.create(0, key)
      try bench.set(0, key, "extra", .int(key))
    }
    try bench.sync(0)
    // So that nothing tells the upgrade within the download but the classes themselves.
    try bench.noteNewClass(1)
    try bench.sync(1, cellsOfSlice: 10, cutAfter: 5)
    try bench.upgrade(1)
    try bench.sync(1, cellsOfSlice: 10)
    for key in keys { #expect(bench.value(1, key, "extra") == .int(key)) }
  }

  @Test("of a rebase goes on, and deletions since are not forgotten before")
  func rebase() throws {
    var (bench, whole) = try bench()
    bench.backUp()
    try bench.sync(1)
    try bench.restore()
    try bench.sync(0)
    let before = bench.slices
    try bench.sync(1, cellsOfSlice: 10, cutAfter: whole - 4)
    // Nearly all of these were mentioned.
    for key in keys { try bench.delete(0, key) }
    // Each is sent the floor with what the other one has written, and confirms it.
    for round in Int64(0)..<4 {
      try bench.create(0, 200 + round)
      try bench.sync(0)
      try bench.create(2, 300 + round)
      try bench.sync(2)
      try bench.trim(expiringAll: false)
    }
    try bench.sync(1, cellsOfSlice: 10)
    #expect(keys.allSatisfy { !bench.exists(1, $0) })
    #expect(bench.slices - before < 3 * whole)
    try bench.syncAll()
    try bench.trim(expiringAll: false)
    #expect(keys.allSatisfy { !bench.exists(0, $0) && !bench.exists(1, $0) })
  }
}
