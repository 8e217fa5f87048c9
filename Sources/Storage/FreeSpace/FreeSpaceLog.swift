/// How the free space is kept in the file: a base, and the operations since, in the order in which
/// they happened. A commit adds its own few to the tail inside the index node; a full tail moves to
/// a node of its own; when these outgrow the base, the base is written anew. So the cost of a
/// commit does not depend on how much free space there is, and another process that follows
/// replays only what it has not seen.
///
/// Index node: references are the base chunks (as many as `auxiliary` says), then the log chunks.
/// Data: base version, bytes of the log, then the tail's entries. Every entry is 32 bytes.
enum FreeSpaceLog {
  struct Entry {
    var extent: Extent
    var born: UInt64
    var version: UInt64

    var isAllocation: Bool { born == .max }

    static func allocation(_ extent: Extent, version: UInt64) -> Entry {
      Entry(extent: extent, born: .max, version: version)
    }
  }

  static let entrySize = 32
  static let indexHeaderSize = 16
  static let tailCountMax = 64
  static let chunkCountMax = 120
  static let logBytesMin = 16384

  static func load(_ data: UnsafeRawPointer, _ index: Int) -> Entry {
    let place = data + index * entrySize
    return Entry(
      extent: Extent(
        offset: place.load(as: UInt64.self),
        length: place.load(fromByteOffset: 8, as: UInt64.self)),
      born: place.load(fromByteOffset: 16, as: UInt64.self),
      version: place.load(fromByteOffset: 24, as: UInt64.self))
  }

  static func store(_ entry: Entry, _ data: UnsafeMutableRawPointer, _ index: Int) {
    let place = data + index * entrySize
    place.storeBytes(of: entry.extent.offset, as: UInt64.self)
    place.storeBytes(of: entry.extent.length, toByteOffset: 8, as: UInt64.self)
    place.storeBytes(of: entry.born, toByteOffset: 16, as: UInt64.self)
    place.storeBytes(of: entry.version, toByteOffset: 24, as: UInt64.self)
  }

  /// Calls `body` with the entries of every chunk and of the tail, in order.
  ///
  /// - Parameter fromLog: leave out the base.
  static func forEachEntry(
    source: NodeSource, index: NodeReference, fromLog: Bool = false, _ body: (Entry) -> Void
  ) throws(StorageError) {
    let node = try source.node(index)
    guard node.kind == .freeSpaceIndex, node.dataSize >= indexHeaderSize,
      node.count * entrySize + indexHeaderSize <= node.dataSize,
      Int(node.auxiliary) <= node.referenceCount
    else { throw source.corrupt(index, "the free-space index was expected") }
    for position in (fromLog ? Int(node.auxiliary) : 0)..<node.referenceCount {
      let chunk = try source.node(node.reference(position))
      guard chunk.kind == .freeSpaceCheckpoint || chunk.kind == .freeSpaceDelta,
        chunk.count * entrySize <= chunk.dataSize
      else { throw source.corrupt(node.reference(position), "free-space entries were expected") }
      for entry in 0..<chunk.count { body(load(chunk.data, entry)) }
    }
    for entry in 0..<node.count { body(load(node.data + indexHeaderSize, entry)) }
  }

  static func baseVersion(source: NodeSource, index: NodeReference) throws(StorageError) -> UInt64 {
    try source.node(index).data.load(as: UInt64.self)
  }
}

extension FreeSpace {
  /// Makes this describe the given version, replaying what it has not seen.
  mutating func advance(
    to version: UInt64, source: NodeSource, index: NodeReference, logicalSize: UInt64
  ) throws(StorageError) {
    if self.version == version { return }
    let base = try FreeSpaceLog.baseVersion(source: source, index: index)
    let seen = self.version
    if let seen, seen < version, base <= seen {
      try FreeSpaceLog.forEachEntry(source: source, index: index, fromLog: true) { entry in
        if entry.version > seen { replay(entry) }
      }
    } else {
      self = FreeSpace()
      try FreeSpaceLog.forEachEntry(source: source, index: index) { entry in replay(entry) }
    }
    self.version = version
    self.logicalSize = logicalSize
  }

  private mutating func replay(_ entry: FreeSpaceLog.Entry) {
    guard entry.extent.length > 0 else { return }
    if entry.isAllocation {
      replayAllocation(entry.extent)
    } else {
      add(Waiting(extent: entry.extent, born: entry.born, freed: entry.version))
    }
  }
}
