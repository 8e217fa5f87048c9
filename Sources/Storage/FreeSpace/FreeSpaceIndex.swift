/// The node in which a version says what of the file is free.
///
/// References: the map of regions, then the log's chunks, oldest first. Data: `start` (the log has
/// all operations after this version), the free units in all, the number of chunks, then 16
/// bytes per chunk (UInt64 its last version, UInt32 its operations, UInt32 zero), then the newest
/// operations, `count` of them.
///
/// What is free in the version is what the regions say, each changed by those operations of the log
/// that are newer than the region's node.
struct FreeSpaceIndex {
  struct Chunk {
    var reference: NodeReference
    /// The version of its last operation.
    var lastVersion: Version
    var count: Int
  }

  static let startVersion = 0
  static let freeUnits = 8
  static let chunkCount = 16
  static let headerSize = 24
  static let chunkSize = 16

  let reference: NodeReference
  let map: NodeReference
  let start: Version
  let freeUnits: UInt64
  let chunkCount: Int
  private let source: NodeSource
  /// Where the data begins, behind the references. Kept, because after a failed flush the kernel
  /// may read the node's page again, whose sizes are then others than those that were checked.
  private let data: UnsafeRawPointer
  private let tail: UnsafeRawPointer
  let tailCount: Int

  /// The operations of the tail and of all chunks.
  var operationCount: Int {
    var count = tailCount
    for position in 0..<chunkCount { count += Self.count(at: place(ofChunk: position)) }
    return count
  }

  /// The log's chunks, oldest first.
  var chunks: [Chunk] { (0..<chunkCount).map(chunk) }

  private func chunk(_ position: Int) -> Chunk {
    let place = place(ofChunk: position)
    return Chunk(
      reference: reference(ofChunk: position), lastVersion: Version(place.load(as: UInt64.self)),
      count: Self.count(at: place))
  }

  private func place(ofChunk position: Int) -> UnsafeRawPointer {
    data + Self.headerSize + position * Self.chunkSize
  }

  private func reference(ofChunk position: Int) -> NodeReference {
    NodeReference(rawValue: (data - (chunkCount - position) * 8).load(as: UInt64.self))
  }

  private static func count(at place: UnsafeRawPointer) -> Int {
    Int(place.load(fromByteOffset: 8, as: UInt32.self))
  }

  init(_ reference: NodeReference, _ source: NodeSource) throws(StorageError) {
    try self.init(try source.node(reference), reference, source)
  }

  /// - Parameter node: what `reference` names, or a copy of it that lives as long as this.
  init(
    _ node: Node, _ reference: NodeReference, _ source: NodeSource
  ) throws(StorageError) {
    guard node.kind == .freeSpaceIndex, node.referenceCount > 0,
      node.dataSize >= Self.headerSize
    else { throw source.corrupt(reference, "the free-space index was expected") }
    let data = node.data
    let chunkCount = Int(data.load(fromByteOffset: Self.chunkCount, as: UInt32.self))
    let tailPlace = Self.headerSize + chunkCount * Self.chunkSize
    guard chunkCount == node.referenceCount - 1,
      node.dataSize >= tailPlace + node.count * SpaceOperation.byteSize
    else { throw source.corrupt(reference, "a free-space index as long as its parts was expected") }
    self.reference = reference
    self.source = source
    map = node.reference(0)
    start = Version(data.load(as: UInt64.self))
    freeUnits = data.load(fromByteOffset: Self.freeUnits, as: UInt64.self)
    self.chunkCount = chunkCount
    self.data = data
    tail = data + tailPlace
    tailCount = node.count
  }

  /// The bytes of the newest operations, those that are in no chunk.
  var tailBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: tail, count: tailCount * SpaceOperation.byteSize)
  }

  /// Puts the chunks' references and entries into the node of the next version, which has as many.
  func copyChunks(to next: MutableNode) {
    for position in 0..<chunkCount {
      next.setReference(position + 1, reference(ofChunk: position))
    }
    (next.data + Self.headerSize).copyMemory(
      from: data + Self.headerSize, byteCount: chunkCount * Self.chunkSize)
  }

  /// The bytes of a chunk's operations.
  func bytes(of chunk: Chunk) throws(StorageError) -> UnsafeRawBufferPointer {
    try bytes(of: chunk, in: try source.node(chunk.reference))
  }

  /// - Parameter node: the chunk's, or a copy of it.
  func bytes(of chunk: Chunk, in node: Node) throws(StorageError) -> UnsafeRawBufferPointer {
    guard node.kind == .freeSpaceLog, node.count == chunk.count,
      node.dataSize >= node.count * SpaceOperation.byteSize
    else { throw source.corrupt(chunk.reference, "a part of the free-space log was expected") }
    return UnsafeRawBufferPointer(start: node.data, count: node.count * SpaceOperation.byteSize)
  }

  /// The operations of commits after `version`, in order, with the version of each one's commit.
  func forEachOperation(
    after version: Version, _ body: (SpaceOperation, Version) throws(StorageError) -> Void
  ) throws(StorageError) {
    for position in 0..<chunkCount {
      let chunk = chunk(position)
      guard chunk.lastVersion > version else { continue }
      try Self.forEach(try bytes(of: chunk), after: version, body)
      try source.requireUnchanged(chunk.reference)
    }
    try Self.forEach(tailBytes, after: version, body)
  }

  static func forEach(
    _ bytes: UnsafeRawBufferPointer, after version: Version = .zero,
    _ body: (SpaceOperation, Version) throws(StorageError) -> Void
  ) throws(StorageError) {
    var commit = Version.zero
    var place = 0
    while place < bytes.count {
      let operation = SpaceOperation(from: bytes.baseAddress! + place)
      place += SpaceOperation.byteSize
      if operation.kind == .commit {
        commit = operation.version
      } else if commit > version {
        try body(operation, commit)
      }
    }
  }
}
