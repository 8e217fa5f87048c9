/// Builds the free-space index node of a new version.
///
/// The node is placed by the very commit whose allocations it records, so it is made with room for
/// them before placing, and filled after.
struct FreeSpaceRecorder {
  private let node: MutableNode
  private let version: UInt64
  private var entries: Int
  private let capacity: Int
  /// Whether the base was written anew: it contains what was allocated before it was written.
  let wroteBase: Bool

  var reference: NodeReference { node.reference }

  /// - Parameters:
  ///   - freeSpace: the state after what was placed so far; written out as the new base when the
  ///     log has outgrown the base.
  ///   - allocationsMax: how many extents the commit took and added so far.
  ///   - boundary: a base or log with a part at or beyond it is written anew.
  init(
    freeSpace: FreeSpace, index: NodeReference, version: UInt64, writer: NodeWriter,
    allocationsMax: Int, movingFrom boundary: UInt64 = .max
  ) throws(StorageError) {
    self.version = version
    let old = try Self.read(index, writer.source)
    var references = old.references
    var baseCount = old.baseCount
    var baseVersion = old.baseVersion
    var logBytes = old.logBytes
    var tailCount = old.tailCount
    let baseBytes = baseCount * FreeSpaceLog.chunkCountMax * FreeSpaceLog.entrySize
    let isInTheWay = references.contains { $0.offset >= boundary }
    if references.isEmpty || isInTheWay || logBytes > max(FreeSpaceLog.logBytesMin, baseBytes) {
      for reference in references { try writer.release(reference) }
      references = Self.writeBase(freeSpace, writer)
      baseCount = references.count
      baseVersion = version
      logBytes = 0
      tailCount = 0
      wroteBase = true
    } else if tailCount >= FreeSpaceLog.tailCountMax, let tail = old.tail {
      wroteBase = false
      let chunk = writer.make(
        kind: .freeSpaceDelta, count: tailCount, dataSize: tailCount * FreeSpaceLog.entrySize)
      chunk.data.copyMemory(from: tail, byteCount: tailCount * FreeSpaceLog.entrySize)
      references.append(chunk.reference)
      logBytes += tailCount * FreeSpaceLog.entrySize
      tailCount = 0
    } else {
      wroteBase = false
    }
    try writer.release(index)
    let frees = Self.join(&writer.freed)
    // The index, its new chunks and the snapshot node are placed after this: each of them may take
    // an extent of its own, and the file may grow for each.
    let room = tailCount + frees.count + allocationsMax + 2 * (references.count + 3)
    node = writer.make(
      kind: .freeSpaceIndex, referenceCount: references.count, count: room,
      auxiliary: UInt32(baseCount),
      dataSize: FreeSpaceLog.indexHeaderSize + room * FreeSpaceLog.entrySize)
    for (position, reference) in references.enumerated() {
      node.setReference(position, reference)
    }
    node.data.storeBytes(of: baseVersion, as: UInt64.self)
    node.data.storeBytes(of: UInt64(logBytes), toByteOffset: 8, as: UInt64.self)
    capacity = room
    entries = tailCount
    if tailCount > 0, let tail = old.tail {
      (node.data + FreeSpaceLog.indexHeaderSize).copyMemory(
        from: tail, byteCount: tailCount * FreeSpaceLog.entrySize)
    }
    for free in frees {
      append(
        FreeSpaceLog.Entry(
          extent: Extent(offset: free.offset, length: free.length), born: free.born,
          version: version))
    }
  }

  private mutating func append(_ entry: FreeSpaceLog.Entry) {
    precondition(entries < capacity, "free-space entries outgrew their node")
    FreeSpaceLog.store(entry, node.data + FreeSpaceLog.indexHeaderSize, entries)
    entries += 1
  }

  /// Records what the commit took and by what it grew the file. Unused room stays behind the
  /// entries.
  ///
  /// - Parameter grownBeforeCut: how many of `grown` came before the file's end was cut off.
  mutating func finish(used: [Extent], grown: [Extent], cut: Extent?, grownBeforeCut: Int) {
    // In the order of what happened: the cut may take what the file grew by before, and the file
    // may grow again where it was cut. What was taken comes last: it may lie in any growth.
    for (position, extent) in grown.enumerated() {
      if position == grownBeforeCut, let cut { append(.allocation(cut, version: version)) }
      append(FreeSpaceLog.Entry(extent: extent, born: version, version: version))
    }
    if grownBeforeCut >= grown.count, let cut { append(.allocation(cut, version: version)) }
    for extent in used { append(.allocation(extent, version: version)) }
    node.setCount(entries)
  }

  private struct Old {
    var references: [NodeReference] = []
    var baseCount = 0
    var baseVersion: UInt64 = 0
    var logBytes = 0
    /// The index's own entries.
    var tail: UnsafeRawPointer?
    var tailCount = 0
  }

  private static func read(
    _ index: NodeReference, _ source: NodeSource
  ) throws(StorageError) -> Old {
    var old = Old()
    if index.isNone { return old }
    let node = try source.node(index)
    old.references = (0..<node.referenceCount).map { node.reference($0) }
    old.baseCount = Int(node.auxiliary)
    old.baseVersion = node.data.load(as: UInt64.self)
    old.logBytes = Int(node.data.load(fromByteOffset: 8, as: UInt64.self))
    old.tail = node.data + FreeSpaceLog.indexHeaderSize
    old.tailCount = node.count
    return old
  }

  private static func writeBase(_ freeSpace: FreeSpace, _ writer: NodeWriter) -> [NodeReference] {
    var entries: [FreeSpaceLog.Entry] = []
    entries.reserveCapacity(freeSpace.entryCount)
    freeSpace.forEach {
      entries.append(FreeSpaceLog.Entry(extent: $0.extent, born: $0.born, version: $0.freed))
    }
    var references: [NodeReference] = []
    var start = 0
    repeat {
      let end = min(start + FreeSpaceLog.chunkCountMax, entries.count)
      references.append(writeChunk(entries[start..<end], kind: .freeSpaceCheckpoint, writer))
      start = end
    } while start < entries.count
    return references
  }

  private static func writeChunk(
    _ entries: ArraySlice<FreeSpaceLog.Entry>, kind: NodeKind, _ writer: NodeWriter
  ) -> NodeReference {
    let node = writer.make(
      kind: kind, count: entries.count, dataSize: entries.count * FreeSpaceLog.entrySize)
    for (position, entry) in entries.enumerated() {
      FreeSpaceLog.store(entry, node.data, position)
    }
    return node.reference
  }

  /// Joins neighbours of the same birth: what an earlier commit placed side by side is often let go
  /// of together.
  static func join(_ freed: inout [FreedExtent]) -> [FreedExtent] {
    guard freed.count > 1 else { return freed }
    freed.sort { $0.offset < $1.offset }
    var last = 0
    for index in 1..<freed.count {
      let extent = freed[index]
      if freed[last].offset + freed[last].length == extent.offset, freed[last].born == extent.born {
        freed[last].length += extent.length
      } else {
        last += 1
        freed[last] = extent
      }
    }
    freed.removeLast(freed.count - 1 - last)
    return freed
  }
}
