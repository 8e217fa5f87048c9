import TestSupport
import EngineLab
import Testing

@testable import Storage

/// The allocator against what the file says, and regions against a plain model.
@Suite struct FreeSpaceTests {
  /// A set of units, each free or not.
  private struct PlainRegion {
    var isFree = [Bool](repeating: false, count: 512)

    var longest: Int {
      var best = 0
      var run = 0
      for unit in isFree {
        run = unit ? run + 1 : 0
        best = max(best, run)
      }
      return best
    }
  }

  @Test(arguments: 1...8)
  func `random insertions and removals agree with a plain model`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var region = Region()
    var model = PlainRegion()
    for _ in 0..<3000 {
      let start = random.below(500)
      let run = Region.Run(start: UInt32(start), length: UInt32(1 + random.below(12)))
      let units = start..<Int(run.end)
      if random.below(2) == 0 {
        let overlaps = units.contains { model.isFree[$0] }
        let isInserted = region.insert(run)
        #expect(isInserted == !overlaps, "seed \(seed)")
        if !overlaps { for unit in units { model.isFree[unit] = true } }
      } else {
        let removed = region.remove(run)
        #expect(removed == units.count { model.isFree[$0] }, "seed \(seed)")
        for unit in units { model.isFree[unit] = false }
      }
      region.checkInvariants()
      #expect(region.free == model.isFree.count { $0 } && region.longest == model.longest)
      #expect(region.contains(run) == units.allSatisfy { model.isFree[$0] })
    }
  }

  @Test(arguments: 1...4)
  func `operations set aside come back in order, by region, but for those of no use`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var pending = PendingOperations(roomMin: 100)
    var model: [[UInt64]] = Array(repeating: [], count: 20)
    for commit in 1...5000 as ClosedRange<UInt64> {
      let region = random.below(20)
      switch random.below(10) {
      case 0:
        pending.remove(region)
        model[region] = []
      case 1:
        let limit = commit - min(commit, UInt64(random.below(200)))
        pending.prune { $1.commit.rawValue <= limit }
        // It does nothing as long as there is room.
        for region in model.indices {
          var left: [UInt64] = []
          pending.forEach(in: region) { left.append($0.commit.rawValue) }
          let useful = model[region].filter { $0 > limit }
          #expect(left.suffix(useful.count) == useful[...], "seed \(seed)")
          #expect(left == useful || left == model[region], "seed \(seed)")
          model[region] = left
        }
      default:
        let run = Region.Run(start: UInt32(random.below(100)), length: 1)
        pending.append(
          RegionOperation(kind: .free, run: run, createdIn: 0, commit: Version(commit)), to: region)
        model[region].append(commit)
      }
      #expect(pending.count == model.reduce(0) { $0 + $1.count }, "seed \(seed)")
      #expect(pending.isEmpty(region) == model[region].isEmpty)
    }
  }

  @Test func `a class has the lengths that are of it, and no others`() {
    for length in 1...Region.unitCount + 9 {
      #expect(SizeClass.lengths(of: SizeClass.of(length)).contains(length))
    }
    for sizeClass in 1...SizeClass.largest {
      let lengths = SizeClass.lengths(of: sizeClass)
      #expect(SizeClass.of(lengths.lowerBound) == sizeClass)
      if lengths.upperBound < Int.max { #expect(SizeClass.of(lengths.upperBound) == sizeClass) }
    }
  }

  @Test(arguments: 1...8)
  func `the regions of a part of the log come once each`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let regionCount = 200
    var operations: [SpaceOperation] = [.commit(7)]
    var expected: Set<Int> = []
    for _ in 0..<60 {
      // Some are longer than a region, some lie beyond the last one.
      let first = random.below(regionCount + 20)
      let length = UInt64(8 + random.below(3) * Int(Region.byteSize))
      operations.append(
        .allocate(Extent(offset: UInt64(first) * Region.byteSize, length: length)))
      let last = first + Int((length - 1) / Region.byteSize)
      expected.formUnion((first...last).filter { $0 < regionCount })
    }
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: operations.count * SpaceOperation.byteSize, alignment: 8)
    defer { unsafe bytes.deallocate() }
    for (position, operation) in operations.enumerated() {
      unsafe operation.store(to: bytes.baseAddress! + position * SpaceOperation.byteSize)
    }
    var queue = try unsafe SweepQueue(
      chunk: .none, operations: UnsafeRawBufferPointer(bytes), regionCount: regionCount)
    var found: [Int] = []
    while let region = queue.next() { found.append(region) }
    #expect(found == expected.sorted() && queue.isEmpty)
  }

  @Test(arguments: 1...8)
  func `what a region's node says is what was encoded`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var region = Region()
    var start: UInt32 = 0
    while start < 30_000 {
      let run = Region.Run(start: start, length: UInt32(1 + random.below(60)))
      if random.below(3) == 0 {
        let createdIn = Version(UInt64(random.below(1 << 40)))
        let item = Region.WaitingRun(
          run: run, createdIn: createdIn,
          freed: createdIn.advanced(by: 1 + UInt64(random.below(99))))
        region.addWaiting(item, blockedBy: Version(UInt64(random.below(4))))
      } else {
        let isInserted = region.insert(run)
        #expect(isInserted)
      }
      start = run.end + UInt32(random.below(90))
    }
    let bytes = try #require(RegionCoding.encode(region))
    var back = Region()
    withNode(.freeSpaceRegion, count: region.runs.count, waiting: region.waiting.count, bytes) {
      let isWhole = RegionCoding.decode($0) { run in
        back.insert(run)
      } waiting: { item in
        back.addWaiting(item, blockedBy: 1)
        return true
      }
      #expect(isWhole)
    }
    #expect(back.runs == region.runs && back.waiting.sorted() == region.waiting.sorted())
  }

  @Test func `space that was freed twice is not encoded`() {
    var region = Region()
    for (start, length) in [(100, 20), (40, 4), (119, 8)] as [(UInt32, UInt32)] {
      let run = Region.Run(start: start, length: length)
      region.addWaiting(Region.WaitingRun(run: run, createdIn: 3, freed: 9), blockedBy: 5)
    }
    #expect(RegionCoding.encode(region) == nil)
  }

  private func withNode(
    _ kind: NodeKind, count: Int, waiting: Int, _ bytes: [UInt8], _ body: (Node) -> Void
  ) {
    let size = (NodeLayout.headerSize + bytes.count + 7) & ~7
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    defer { unsafe memory.deallocate() }
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe memory.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
    unsafe memory.storeBytes(of: UInt32(count), toByteOffset: NodeLayout.count, as: UInt32.self)
    unsafe memory.storeBytes(
      of: UInt32(waiting), toByteOffset: NodeLayout.auxiliary, as: UInt32.self)
    unsafe (memory.baseAddress! + NodeLayout.headerSize).copyMemory(
      from: bytes, byteCount: bytes.count)
    unsafe body(Node(address: memory.baseAddress!))
  }

  @Test func `damaged regions are refused`() {
    let cases: [[UInt8]] = [
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x80], [0, 0],
      [0xFF, 0xFF, 3, 1], [1, 0x80, 0x80, 2], [],
    ]
    for bytes in cases {
      withNode(.freeSpaceRegion, count: 1, waiting: 0, bytes) { node in
        var region = Region()
        let isWhole = RegionCoding.decode(node) { run in
          region.insert(run)
        } waiting: { _ in
          true
        }
        #expect(!isWhole, "\(bytes)")
      }
    }
  }

  @Test(arguments: [SpaceOperation.Kind.allocate, .grow, .free])
  func `an operation is read as it was stored`(kind: SpaceOperation.Kind) {
    let place = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
    defer { unsafe place.deallocate() }
    let version = Version(kind == .free ? 1 << 47 : 0)
    let operation = SpaceOperation(
      kind: kind, extent: Extent(offset: (1 << 47) + 8, length: 8 * 131_071), version: version)
    unsafe operation.store(to: place)
    #expect(unsafe SpaceOperation(from: place) == operation)
  }

  /// Commits of several sizes under changing pins; after each the allocator must agree with a walk
  /// over what the file says, and now and then another instance takes over in the middle.
  @Test(arguments: 1...6)
  func `the allocator and the file agree at every commit`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let bench = try Bench(
      leafCount: 400, wordsMax: 300, changesMax: 40, seed: seed,
      durability: seed % 2 == 0 ? .full : .strict)
    var pinned: [Snapshot] = []
    for step in 0..<400 {
      try bench.commit()
      if random.below(5) == 0 { pinned.append(try bench.database.pinNewest()) }
      if random.below(4) == 0, !pinned.isEmpty {
        pinned.remove(at: random.below(pinned.count)).release()
      }
      if random.below(60) == 0 { try compact(bench) }
      if random.below(40) == 0 { bench.database.writer.state.freeSpace = FreeSpace() }
      if step % 25 == 0 { try compare(bench) }
    }
    for snapshot in pinned { try bench.check(snapshot) }
    try compare(bench)
    try bench.verify()
  }

  @Test(arguments: 1...4)
  func `the log says where the nodes are that were written after a version`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let bench = try Bench(leafCount: 400, wordsMax: 300, changesMax: 40, seed: seed)
    var passedOver = 0
    for step in 1...600 {
      try bench.commit()
      if random.below(60) == 0 { try compact(bench) }
      guard step % 20 == 0 else { continue }
      let snapshot = try bench.database.pinNewest()
      let age = UInt64(random.below(step % 40 == 0 ? 20 : step))
      let after = Version(snapshot.version.rawValue - age)
      passedOver += try compareWritten(snapshot, after: after, "seed \(seed), step \(step)")
    }
    #expect(passedOver > 500)
  }

  /// - Returns: how many nodes need not be looked at.
  private func compareWritten(
    _ snapshot: Snapshot, after: Version, _ comment: Comment
  ) throws -> Int {
    let source = snapshot.source
    let written = try WrittenExtents(after: after, index: snapshot.freeSpace, source)
    guard let written else { return 0 }
    var passedOver = 0
    var walk = TreeWalk(source: source, version: snapshot.version)
    walk.visit(snapshot.node) { offset, message in
      Issue.record("\(message) at \(offset)")
    } _: { extent in
      let node = unsafe Node(address: source.mapping.address + Int(extent.offset))
      let isNew = node.createdIn > after
      if written.contains(extent.offset) { return }
      #expect(!isNew, comment)
      passedOver += 1
    }
    return passedOver
  }

  private func compact(_ bench: Bench) throws {
    _ = try bench.database.compactStep(force: true)
    bench.noteUnchanged()
  }

  private func compare(_ bench: Bench) throws {
    let transaction = try bench.database.beginWrite()
    try transaction.refreshFreeSpace()
    let freeSpace = bench.database.writer.state.freeSpace
    let snapshot = try bench.database.pinNewest()
    let walk = try FreeSpaceWalk(snapshot)
    var free: UInt64 = 0
    try walk.forEach { free += $0.extent.length }
    #expect(free == walk.countedFreeBytes && free == freeSpace.freeBytes)
    for number in 0..<Int(snapshot.logicalSize / Region.byteSize) {
      try freeSpace.read(region: number)
    }
    freeSpace.checkInvariants()
    transaction.cancel()
  }
}

/// What is known of regions, by number.
@Suite struct RegionTableTests {
  @Test func `of a group without a node nothing is counted that the log says, too`() {
    var table = RegionTable()
    var record = RegionMap.GroupRecord()
    record.summary.hint(start: 100, length: 5000)
    table.append(record)
    #expect(table.freeUnits == 0)
    table.checkInvariants()
    table.hint(3, Region.Run(start: 0, length: 100))
    #expect(table.freeUnits == 100)
    table.checkInvariants()
  }
}
