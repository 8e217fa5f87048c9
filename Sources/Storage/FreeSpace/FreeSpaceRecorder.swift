/// Records, in the nodes of a new version, what is free in it.
///
/// A commit records in three steps, because the nodes that it writes for this take space
/// themselves:
///
///  1. `prepare`, before anything is placed: writes a few regions that the oldest part of the log
///     concerns, and drops that part once all of them have been written; then moves the newest
///     operations out of the index when they have become many. From here on all that the commit
///     frees is known.
///  2. `makeIndex`, when everything but the index and the snapshot has been placed: the index, with
///     room for the operations that placing these two adds.
///  3. `finish`, when they have been placed.
///
/// So the cost of a commit follows what it touched: the log is bounded, and a region is written
/// once for many operations on it.
struct FreeSpaceRecorder {
  private typealias Chunk = FreeSpaceIndex.Chunk

  private let freeSpace: FreeSpace
  private let old: FreeSpaceIndex
  private let version: Version
  private let writer: NodeWriter
  private(set) var map: NodeReference
  /// The chunks where they are not those of the old index.
  private var newChunks: [Chunk]?
  private var start: Version
  private var freedUnits: UInt64 = 0
  private var freeUnits: UInt64 = 0
  /// Whether the index goes on with the operations of the old one; if not, a chunk has those and
  /// what the commit frees.
  private var keepsOldTail = true
  /// Operations of the index that are known before anything is placed.
  private var knownCount = 0
  private var withheld: [FreedExtent] = []
  private var index: MutableNode?
  private var room = 0
  /// Nodes whose final places `FreeSpace` has to learn.
  private var writtenGroups: [Int] = []
  private var writtenRegions: [Int] = []
  /// Whether as many regions have been moved as might be, and there may be more to move.
  private(set) var movesMore = false

  /// Operations in the index before they move to a chunk of their own.
  static let tailCountMax = 64
  /// Regions that a commit writes while the log is too long; more the longer it is, but not many.
  private static let sweepCountMin = 16
  private static let excessPerRegion = 8

  init(
    freeSpace: FreeSpace, index: NodeReference, version: Version, writer: NodeWriter
  ) throws(StorageError) {
    self.freeSpace = freeSpace
    self.version = version
    self.writer = writer
    old = try FreeSpaceIndex(index, writer.source)
    map = old.map
    start = old.start
  }

  private var chunkCount: Int { newChunks?.count ?? old.chunkCount }

  /// Collects what the commit has to write besides the index: chunks first, so that children come
  /// before parents.
  mutating func collect(into serializer: inout NodeSerializer) {
    for chunk in newChunks ?? [] { serializer.collect(chunk.reference) }
    serializer.collect(map)
  }

  // MARK: 1. Before placing

  /// Operations that the log holds before regions are written: the more there are for each region,
  /// the fewer nodes a commit writes, and the more the first write of a process has to read.
  private var operationsMax: Int {
    min(max(Int(freeSpace.logicalSize / Region.byteSize) * 32, 256), 16384)
  }

  /// - Parameters:
  ///   - boundary: what of the log and the regions lies at or beyond it is written anew.
  ///   - regionsMax: how many regions at most.
  mutating func prepare(movingFrom boundary: UInt64, regionsMax: Int) throws(StorageError) {
    try writer.release(old.reference)
    try sweep()
    if boundary != .max { try move(from: boundary, regionsMax: regionsMax) }
    if !writtenRegions.isEmpty || !writtenGroups.isEmpty { try writeMap() }
    try pack()
  }

  /// Writes regions of the oldest chunk while the log is too long.
  private mutating func sweep() throws(StorageError) {
    var count = old.operationCount
    guard count > operationsMax else { return }
    var budget = max(
      Self.sweepCountMin, min(writer.freed.count, (count - operationsMax) / Self.excessPerRegion))
    var chunks = old.chunks
    defer { newChunks = chunks }
    while count > operationsMax, let oldest = chunks.first {
      if freeSpace.sweep.chunk != oldest.reference {
        freeSpace.sweep = try SweepQueue(
          chunk: oldest.reference, operations: try old.bytes(of: oldest),
          regionCount: freeSpace.regions.regionCount)
      }
      while budget > 0, let region = freeSpace.sweep.next() {
        if try write(region: region, ifOlderThan: oldest.lastVersion) { budget -= 1 }
      }
      guard freeSpace.sweep.isEmpty else { return }
      try writer.release(oldest.reference)
      start = oldest.lastVersion
      count -= oldest.count
      chunks.removeFirst()
    }
  }

  /// Writes a region that its node does not describe as of `version`; false if it does.
  private mutating func write(
    region number: Int, ifOlderThan version: Version
  ) throws(StorageError) -> Bool {
    guard number < freeSpace.regions.regionCount else { return false }
    try freeSpace.read(group: RegionTable.group(of: number))
    guard freeSpace.regions.records[number].applied < version else { return false }
    try write(region: number)
    return true
  }

  private mutating func write(region number: Int) throws(StorageError) {
    try freeSpace.read(region: number)
    let region = freeSpace.regions.regions[number]
    guard let reference = RegionCoding.makeNode(region, writer) else {
      throw freeSpace.freedTwice(in: number)
    }
    try writer.release(freeSpace.regions.records[number].reference)
    freeSpace.regions.setRecord(
      number,
      RegionMap.RegionRecord(
        reference: reference, applied: version.previous,
        blockedBy: region.waiting.onlyPin ?? .zero, waitingUnits: Int32(region.waiting.units)))
    writtenRegions.append(number)
    noteWritten(group: RegionTable.group(of: number))
  }

  private mutating func noteWritten(group: Int) {
    if !writtenGroups.contains(group) { writtenGroups.append(group) }
  }

  private mutating func writeMap() throws(StorageError) {
    for group in writtenGroups.sorted() {
      try writer.release(freeSpace.regions.groups[group].reference)
      freeSpace.regions.recordGroup(
        group, RegionMap.write(freeSpace.regions.regionRecords(ofGroup: group), writer))
    }
    try writer.release(map)
    map = RegionMap.write(freeSpace.regions.groupRecords(), writer)
  }

  /// Writes anew what lies at or beyond the boundary of a compaction, as many regions as it allows;
  /// the next one goes on with those after them.
  private mutating func move(from boundary: UInt64, regionsMax: Int) throws(StorageError) {
    var chunks = newChunks ?? old.chunks
    for position in chunks.indices where chunks[position].reference.offset >= boundary {
      let reference = chunks[position].reference
      guard !reference.isUncommitted else { continue }
      chunks[position].reference = try writer.mutable(reference).reference
      try writer.source.requireUnchanged(reference)
    }
    newChunks = chunks
    let groupCount = freeSpace.regions.groups.count
    var left = min(Self.movedGroupsMax, groupCount)
    let writtenMax = writtenRegions.count + regionsMax
    while left > 0, writtenRegions.count < writtenMax {
      left -= 1
      let group = freeSpace.moveCursor % groupCount
      let reference = freeSpace.regions.groups[group].reference
      if !reference.isNone, !reference.isUncommitted {
        guard try moveRegions(of: group, from: boundary, writtenMax: writtenMax) else { break }
        if reference.offset >= boundary { noteWritten(group: group) }
      }
      freeSpace.moveCursor = (group + 1) % groupCount
    }
    movesMore = writtenRegions.count >= writtenMax
    if !map.isNone, map.offset >= boundary, writtenGroups.isEmpty, groupCount > 0 {
      noteWritten(group: 0)
    }
    for group in writtenGroups { try freeSpace.read(group: group) }
  }

  /// How many groups one compaction looks at.
  private static let movedGroupsMax = 8

  /// - Returns: false if there are more than could be moved.
  private mutating func moveRegions(
    of group: Int, from boundary: UInt64, writtenMax: Int
  ) throws(StorageError) -> Bool {
    try freeSpace.read(group: group)
    for region in RegionTable.regions(of: group) {
      let reference = freeSpace.regions.records[region].reference
      guard !reference.isNone, !reference.isUncommitted, reference.offset >= boundary else {
        continue
      }
      guard writtenRegions.count < writtenMax else { return false }
      try write(region: region)
    }
    return true
  }

  /// Moves the newest operations to a chunk when they have become many, and merges chunks. From
  /// here on nothing more is freed.
  private mutating func pack() throws(StorageError) {
    let needsChunk = old.tailCount + writer.freed.count + 8 > Self.tailCountMax
    var merged: [Chunk] = []
    if needsChunk { merged = try takeChunksToMerge(adding: old.tailCount + writer.freed.count) }
    FreedExtent.join(&writer.freed)
    for run in writer.freed {
      freedUnits += run.length / Region.unit
      knownCount += SpaceOperation.freeCount(run)
    }
    knownCount += 1 + old.tailCount
    guard needsChunk else { return }
    knownCount = 1
    var operations: [SpaceOperation] = writer.freed.isEmpty ? [] : [.commit(version)]
    for run in writer.freed { SpaceOperation.forEachFree(run) { operations.append($0) } }
    try addChunk(merging: merged, then: operations)
    keepsOldTail = false
  }

  /// Takes out the last chunks that are to be merged with a new one of `count` operations.
  private mutating func takeChunksToMerge(adding count: Int) throws(StorageError) -> [Chunk] {
    var chunks = newChunks ?? old.chunks
    var total = count
    var first = chunks.count
    while true {
      let tier = LogTier.of(total)
      var start = first
      var merged = total
      while start > 0, LogTier.of(chunks[start - 1].count) <= tier,
        merged + chunks[start - 1].count <= operationsMax / 4
      {
        start -= 1
        merged += chunks[start].count
      }
      guard first - start >= LogTier.mergeCount - 1 else { break }
      total = merged
      first = start
    }
    let taken = Array(chunks[first...])
    chunks.removeSubrange(first...)
    newChunks = chunks
    for chunk in taken { try writer.release(chunk.reference) }
    return taken
  }

  /// Operations of one commit that one chunk takes.
  private static let chunkCountMax = 2048

  private mutating func addChunk(
    merging merged: [Chunk], then operations: [SpaceOperation]
  ) throws(StorageError) {
    var parts = try merged.map { (chunk) throws(StorageError) in try old.bytes(of: chunk) }
    parts.append(old.tailBytes)
    var rest = operations[...]
    add(parts, then: rest.prefix(Self.chunkCountMax))
    rest = rest.dropFirst(Self.chunkCountMax)
    while !rest.isEmpty {
      add([], then: [.commit(version)] + rest.prefix(Self.chunkCountMax))
      rest = rest.dropFirst(Self.chunkCountMax)
    }
    for chunk in merged { try writer.source.requireUnchanged(chunk.reference) }
  }

  private mutating func add(
    _ parts: [UnsafeRawBufferPointer], then operations: ArraySlice<SpaceOperation>
  ) {
    let bytes = parts.reduce(0) { $0 + $1.count }
    let count = bytes / SpaceOperation.byteSize + operations.count
    guard count > 0 else { return }
    let node = writer.make(
      kind: .freeSpaceLog, count: count, dataSize: count * SpaceOperation.byteSize)
    var place = node.data
    for part in parts where part.count > 0 {
      place.copyMemory(from: part.baseAddress!, byteCount: part.count)
      place += part.count
    }
    for operation in operations {
      operation.store(to: place)
      place += SpaceOperation.byteSize
    }
    let lastVersion = operations.isEmpty ? version.previous : version
    let chunk = Chunk(reference: node.reference, lastVersion: lastVersion, count: count)
    newChunks = (newChunks ?? old.chunks) + [chunk]
  }

  // MARK: 2. The index

  /// Placing the index and the snapshot can take two runs and grow the file twice; then its end may
  /// be cut off.
  private static let roomForItself = 6

  /// About what the index and the snapshot will take, bytes.
  @inline(__always)
  var indexSizeEstimate: UInt64 {
    UInt64(256 + chunkCount * 24 + (knownCount + 16) * SpaceOperation.byteSize)
  }

  /// Makes the index node; `finish` fills it.
  ///
  /// - Parameter extraCount: operations for what compaction is going to withhold.
  mutating func makeIndex(_ placement: Placement, extraCount: Int) -> MutableNode {
    room = placement.used.count + placement.grown.count + knownCount + Self.roomForItself
    room += extraCount
    let node = writer.make(
      kind: .freeSpaceIndex, referenceCount: chunkCount + 1, count: room,
      dataSize: FreeSpaceIndex.headerSize + chunkCount * FreeSpaceIndex.chunkSize
        + room * SpaceOperation.byteSize)
    node.setReference(0, map)
    if let newChunks { store(newChunks, in: node) } else { old.copyChunks(to: node) }
    node.data.storeBytes(
      of: start.rawValue, toByteOffset: FreeSpaceIndex.startVersion, as: UInt64.self)
    node.data.storeBytes(
      of: UInt32(chunkCount), toByteOffset: FreeSpaceIndex.chunkCount, as: UInt32.self)
    index = node
    return node
  }

  private func store(_ chunks: [Chunk], in node: MutableNode) {
    for (position, chunk) in chunks.enumerated() {
      node.setReference(position + 1, chunk.reference)
      let place = node.data + FreeSpaceIndex.headerSize + position * FreeSpaceIndex.chunkSize
      place.storeBytes(of: chunk.lastVersion.rawValue, as: UInt64.self)
      place.storeBytes(of: UInt32(chunk.count), toByteOffset: 8, as: UInt32.self)
    }
  }

  // MARK: 3. After placing

  /// Fills the index.
  ///
  /// - Parameters:
  ///   - cut: what the file no longer has at its end.
  ///   - withheld: what is free, but for whoever has the version before pinned.
  mutating func finish(_ placement: Placement, cut: Extent?, withheld: [Extent]) {
    guard let index else { preconditionFailure("a free-space index that was not made was filled") }
    let first = index.data + FreeSpaceIndex.headerSize + chunkCount * FreeSpaceIndex.chunkSize
    var place = first
    let end = first + room * SpaceOperation.byteSize
    func append(_ operation: SpaceOperation) {
      precondition(place < end, "free-space operations outgrew their node")
      operation.store(to: place)
      place += SpaceOperation.byteSize
    }
    if keepsOldTail, old.tailCount > 0 {
      place.copyMemory(from: old.tailBytes.baseAddress!, byteCount: old.tailBytes.count)
      place += old.tailBytes.count
    }
    append(.commit(version))
    if keepsOldTail {
      for run in writer.freed { SpaceOperation.forEachFree(run) { append($0) } }
    }
    var freeUnits = old.freeUnits + freedUnits
    // The file may grow where it had been cut, and what is taken may lie in any growth.
    for extent in placement.grown {
      append(.grow(extent))
      freeUnits += extent.length / Region.unit
    }
    for extent in placement.used {
      append(.allocate(extent))
      // Less than nothing is free only where the file's own count is damaged.
      freeUnits -= min(freeUnits, extent.length / Region.unit)
    }
    if let cut {
      append(.allocate(cut))
      freeUnits -= min(freeUnits, cut.length / Region.unit)
    }
    self.withheld = withheld.map {
      FreedExtent(offset: $0.offset, length: $0.length, createdIn: version.previous)
    }
    for run in self.withheld {
      append(.allocate(Extent(offset: run.offset, length: run.length)))
      SpaceOperation.forEachFree(run) { append($0) }
    }
    index.setCount((place - first) / SpaceOperation.byteSize)
    index.data.storeBytes(of: freeUnits, toByteOffset: FreeSpaceIndex.freeUnits, as: UInt64.self)
    self.freeUnits = freeUnits
  }

  /// Makes the free space describe the new version, whose nodes have been written.
  mutating func publish() {
    let final = NodeSerializer.finalReference
    for region in writtenRegions {
      var record = freeSpace.regions.records[region]
      record.reference = final(record.reference)
      freeSpace.regions.setRecord(region, record)
    }
    for group in writtenGroups {
      freeSpace.regions.setReference(
        ofGroup: group, final(freeSpace.regions.groups[group].reference))
    }
    freeSpace.committed(
      version, index: final(index!.reference), map: final(map), freeUnits: freeUnits,
      freed: writer.freed + withheld)
  }
}
