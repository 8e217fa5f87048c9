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
/// So the cost of a commit follows what it touched: the log is bounded, a region is written once
/// for many operations on it, and how much is free elsewhere plays no part.
final class FreeSpaceRecorder {
  private typealias Chunk = FreeSpaceIndex.Chunk

  // Access is not checked for exclusivity at run time: a recorder belongs to one commit, and no
  // access to one of these spans a call that could begin another.

  private let freeSpace: FreeSpace
  private let old: FreeSpaceIndex
  private let version: UInt64
  private let writer: NodeWriter
  @exclusivity(unchecked) private(set) var map: NodeReference
  @exclusivity(unchecked) private var chunks: [Chunk]
  @exclusivity(unchecked) private var start: UInt64
  /// The operations that go into the index.
  @exclusivity(unchecked) private var tail: [SpaceOperation] = []
  @exclusivity(unchecked) private var freedUnits: UInt64 = 0
  @exclusivity(unchecked) private var freeUnits: UInt64 = 0
  /// Whether the index goes on with the operations of the old one.
  @exclusivity(unchecked) private var keepsOldTail = true
  @exclusivity(unchecked) private var index: MutableNode?
  @exclusivity(unchecked) private var room = 0
  /// Nodes whose final places `FreeSpace` has to learn.
  @exclusivity(unchecked) private var writtenGroups: Set<Int> = []
  @exclusivity(unchecked) private var writtenRegions: [Int] = []

  /// Operations in the index before they move to a chunk of their own.
  static let tailCountMax = 64
  /// Chunks of one size that are merged into one.
  private static let mergeCount = 8
  private static let sweepCountMin = 16

  init(
    freeSpace: FreeSpace, index: NodeReference, version: UInt64, writer: NodeWriter
  ) throws(StorageError) {
    self.freeSpace = freeSpace
    self.version = version
    self.writer = writer
    old = try FreeSpaceIndex(index, writer.source)
    map = old.map
    start = old.start
    chunks = old.chunks
  }

  /// Collects what the commit has to write besides the index: chunks first, so that children come
  /// before parents.
  func collect(into serializer: inout NodeSerializer) {
    for chunk in chunks { serializer.collect(chunk.reference) }
    serializer.collect(map)
  }

  // MARK: 1. Before placing

  /// Operations that the log holds before regions are written.
  private var operationsMax: Int {
    min(max(freeSpace.regions.regionCount * 8, 1024), 32768)
  }

  /// - Parameter boundary: what of the log lies at or beyond it is written anew.
  func prepare(movingFrom boundary: UInt64 = .max) throws(StorageError) {
    try writer.release(old.reference)
    try sweep()
    if boundary != .max { try move(from: boundary) }
    if !writtenRegions.isEmpty || !writtenGroups.isEmpty { try writeMap() }
    try pack()
  }

  /// Writes regions of the oldest chunk while the log is too long.
  private func sweep() throws(StorageError) {
    var count = old.operationCount
    guard count > operationsMax else { return }
    var budget = max(Self.sweepCountMin, writer.freed.count)
    while count > operationsMax, let oldest = chunks.first {
      if freeSpace.sweep.chunk != oldest.reference {
        freeSpace.sweep = try SweepQueue(
          chunk: oldest.reference, operations: try old.bytes(of: oldest))
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
  private func write(
    region number: Int, ifOlderThan version: UInt64
  ) throws(StorageError) -> Bool {
    guard number < freeSpace.regions.regionCount else { return false }
    try freeSpace.read(group: RegionTable.group(of: number))
    guard freeSpace.regions.records[number].applied < version else { return false }
    try write(region: number)
    return true
  }

  private func write(region number: Int) throws(StorageError) {
    try freeSpace.read(region: number)
    let region = freeSpace.regions.regions[number]
    try writer.release(freeSpace.regions.records[number].reference)
    freeSpace.regions.setRecord(
      number,
      RegionMap.RegionRecord(
        reference: makeNode(region), applied: version - 1,
        blockedBy: region.waiting.onlyPin ?? 0, waitingUnits: Int32(region.waiting.units)))
    writtenRegions.append(number)
    writtenGroups.insert(RegionTable.group(of: number))
  }

  private func makeNode(_ region: Region) -> NodeReference {
    if region.isEmpty { return .none }
    let bytes = RegionCoding.encode(region)
    let node = writer.make(
      kind: .freeSpaceRegion, count: region.runs.count,
      auxiliary: UInt32(region.waiting.count), dataSize: bytes.count)
    bytes.withUnsafeBytes {
      node.data.copyMemory(from: $0.baseAddress!, byteCount: bytes.count)
    }
    return node.reference
  }

  private func writeMap() throws(StorageError) {
    for group in writtenGroups.sorted() {
      try writer.release(freeSpace.regions.groups[group].reference)
      freeSpace.regions.recordGroup(
        group, RegionMap.write(freeSpace.regions.regionRecords(ofGroup: group), writer))
    }
    try writer.release(map)
    map = RegionMap.write(freeSpace.regions.groupRecords(), writer)
  }

  /// Writes anew what lies at or beyond the boundary of a compaction.
  private func move(from boundary: UInt64) throws(StorageError) {
    for position in chunks.indices where chunks[position].reference.offset >= boundary {
      let reference = chunks[position].reference
      guard !reference.isUncommitted else { continue }
      chunks[position].reference = try writer.mutable(reference).reference
    }
    let groupCount = freeSpace.regions.groups.count
    var left = min(Self.movedGroupsMax, groupCount)
    while left > 0 {
      left -= 1
      freeSpace.moveCursor = (freeSpace.moveCursor + 1) % groupCount
      let group = freeSpace.moveCursor
      let reference = freeSpace.regions.groups[group].reference
      guard !reference.isNone, !reference.isUncommitted else { continue }
      try moveRegions(of: group, from: boundary)
      if reference.offset >= boundary { writtenGroups.insert(group) }
    }
    if !map.isNone, map.offset >= boundary, writtenGroups.isEmpty, groupCount > 0 {
      writtenGroups.insert(0)
    }
    for group in writtenGroups { try freeSpace.read(group: group) }
  }

  private static let movedRegionsMax = 256
  /// How many groups one compaction looks at.
  private static let movedGroupsMax = 8

  private func moveRegions(
    of group: Int, from boundary: UInt64
  ) throws(StorageError) {
    guard writtenRegions.count < Self.movedRegionsMax else { return }
    try freeSpace.read(group: group)
    for region in RegionTable.regions(of: group) {
      let reference = freeSpace.regions.records[region].reference
      guard !reference.isNone, !reference.isUncommitted, reference.offset >= boundary else {
        continue
      }
      try write(region: region)
    }
  }

  /// Moves the newest operations to a chunk when they have become many, and merges chunks. From
  /// here on nothing more is freed.
  private func pack() throws(StorageError) {
    let needsChunk = old.tailCount + writer.freed.count + 8 > Self.tailCountMax
    var merged: [Chunk] = []
    if needsChunk { merged = try takeChunksToMerge(adding: old.tailCount + writer.freed.count) }
    FreedExtent.join(&writer.freed)
    for run in writer.freed {
      freedUnits += run.length / Region.unit
      SpaceOperation.forEachFree(run) { append($0) }
    }
    guard needsChunk else { return }
    try addChunk(merging: merged, then: tail)
    keepsOldTail = false
    tail = []
  }

  private func append(_ operation: SpaceOperation) {
    if tail.isEmpty {
      tail.reserveCapacity(writer.freed.count + 12)
      tail.append(.commit(version))
    }
    tail.append(operation)
  }

  /// Takes out the last chunks that are to be merged with a new one of `count` operations.
  private func takeChunksToMerge(adding count: Int) throws(StorageError) -> [Chunk] {
    var total = count
    var first = chunks.count
    while true {
      let tier = Self.tier(total)
      var start = first
      while start > 0, Self.tier(chunks[start - 1].count) <= tier { start -= 1 }
      let merged = chunks[start..<first].reduce(total) { $0 + $1.count }
      guard first - start >= Self.mergeCount - 1, merged <= operationsMax / 8 else { break }
      total = merged
      first = start
    }
    let taken = Array(chunks[first...])
    chunks.removeSubrange(first...)
    for chunk in taken { try writer.release(chunk.reference) }
    return taken
  }

  /// Chunks of one tier have about the same size; each is eight times that of the one below.
  private static func tier(_ count: Int) -> Int {
    var tier = 0
    var limit = tailCountMax * mergeCount
    while count >= limit, tier < 2 {
      tier += 1
      limit *= mergeCount
    }
    return tier
  }

  /// Operations of one commit that one chunk takes.
  private static let chunkCountMax = 2048

  private func addChunk(
    merging merged: [Chunk], then operations: [SpaceOperation]
  ) throws(StorageError) {
    var parts: [UnsafeRawBufferPointer] = []
    for chunk in merged { parts.append(try old.bytes(of: chunk)) }
    parts.append(old.tailBytes)
    var rest = operations[...]
    add(parts, then: rest.prefix(Self.chunkCountMax))
    rest = rest.dropFirst(Self.chunkCountMax)
    while !rest.isEmpty {
      add([], then: [.commit(version)] + rest.prefix(Self.chunkCountMax))
      rest = rest.dropFirst(Self.chunkCountMax)
    }
  }

  private func add(
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
    chunks.append(
      Chunk(
        reference: node.reference, lastVersion: operations.isEmpty ? version - 1 : version,
        count: count))
  }

  // MARK: 2. The index

  /// Placing the index and the snapshot can take two runs and grow the file twice; then its end may
  /// be cut off.
  private static let roomForItself = 6

  /// About what the index and the snapshot will take, bytes.
  var indexSizeEstimate: UInt64 {
    let entries = tail.count + (keepsOldTail ? old.tailCount : 0) + 16
    return UInt64(256 + chunks.count * 24 + entries * SpaceOperation.byteSize)
  }

  /// Makes the index node; `finish` fills it.
  func makeIndex(_ placement: Placement) -> MutableNode {
    room = placement.used.count + placement.grown.count + tail.count + Self.roomForItself
    if keepsOldTail { room += old.tailCount }
    let node = writer.make(
      kind: .freeSpaceIndex, referenceCount: chunks.count + 1, count: room,
      dataSize: FreeSpaceIndex.headerSize + chunks.count * FreeSpaceIndex.chunkSize
        + room * SpaceOperation.byteSize)
    node.setReference(0, map)
    for (position, chunk) in chunks.enumerated() {
      node.setReference(position + 1, chunk.reference)
      let place = node.data + FreeSpaceIndex.headerSize + position * FreeSpaceIndex.chunkSize
      place.storeBytes(of: chunk.lastVersion, as: UInt64.self)
      place.storeBytes(of: UInt32(chunk.count), toByteOffset: 8, as: UInt32.self)
    }
    node.data.storeBytes(of: start, toByteOffset: FreeSpaceIndex.startVersion, as: UInt64.self)
    node.data.storeBytes(
      of: UInt32(chunks.count), toByteOffset: FreeSpaceIndex.chunkCount, as: UInt32.self)
    index = node
    return node
  }

  // MARK: 3. After placing

  /// Fills the index.
  ///
  /// - Parameter cut: what the file no longer has at its end.
  func finish(_ placement: Placement, cut: Extent?) {
    guard let index else { preconditionFailure("a free-space index that was not made was filled") }
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
    let oldCount = keepsOldTail ? old.tailCount : 0
    precondition(oldCount + tail.count <= room, "free-space operations outgrew their node")
    var place =
      index.data + FreeSpaceIndex.headerSize + chunks.count * FreeSpaceIndex.chunkSize
    if oldCount > 0 {
      place.copyMemory(from: old.tailBytes.baseAddress!, byteCount: old.tailBytes.count)
      place += old.tailBytes.count
    }
    for operation in tail {
      operation.store(to: place)
      place += SpaceOperation.byteSize
    }
    index.setCount(oldCount + tail.count)
    index.data.storeBytes(of: freeUnits, toByteOffset: FreeSpaceIndex.freeUnits, as: UInt64.self)
    self.freeUnits = freeUnits
  }

  /// Makes the free space describe the new version, whose nodes have been written.
  func publish() {
    func final(_ reference: NodeReference) -> NodeReference {
      NodeSerializer.finalReference(reference)
    }
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
      freed: writer.freed)
  }
}

extension FreedExtent {
  /// Joins neighbours of the same birth: what an earlier commit placed side by side is often freed
  /// together.
  static func join(_ freed: inout [FreedExtent]) {
    guard freed.count > 1 else { return }
    freed.sort { $0.offset < $1.offset }
    var last = 0
    for index in 1..<freed.count {
      let extent = freed[index]
      if freed[last].offset + freed[last].length == extent.offset,
        freed[last].createdIn == extent.createdIn
      {
        freed[last].length += extent.length
      } else {
        last += 1
        freed[last] = extent
      }
    }
    freed.removeLast(freed.count - 1 - last)
  }
}
