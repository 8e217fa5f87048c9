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
    var lastVersion: UInt64
    var count: Int
  }

  static let startVersion = 0
  static let freeUnits = 8
  static let chunkCount = 16
  static let headerSize = 24
  static let chunkSize = 16

  let reference: NodeReference
  let map: NodeReference
  let start: UInt64
  let freeUnits: UInt64
  let chunks: [Chunk]
  private let source: NodeSource
  private let tail: UnsafeRawPointer
  let tailCount: Int

  var operationCount: Int { chunks.reduce(tailCount) { $0 + $1.count } }

  init(_ reference: NodeReference, _ source: NodeSource) throws(StorageError) {
    let node = try source.node(reference)
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
    start = data.load(as: UInt64.self)
    freeUnits = data.load(fromByteOffset: Self.freeUnits, as: UInt64.self)
    chunks = (0..<chunkCount).map { position in
      let place = data + Self.headerSize + position * Self.chunkSize
      return Chunk(
        reference: node.reference(position + 1), lastVersion: place.load(as: UInt64.self),
        count: Int(place.load(fromByteOffset: 8, as: UInt32.self)))
    }
    tail = data + tailPlace
    tailCount = node.count
  }

  /// The bytes of the newest operations, those that are in no chunk.
  var tailBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: tail, count: tailCount * SpaceOperation.byteSize)
  }

  /// The bytes of a chunk's operations.
  func bytes(of chunk: Chunk) throws(StorageError) -> UnsafeRawBufferPointer {
    let node = try source.node(chunk.reference)
    guard node.kind == .freeSpaceLog, node.count == chunk.count,
      node.dataSize >= node.count * SpaceOperation.byteSize
    else { throw source.corrupt(chunk.reference, "a part of the free-space log was expected") }
    return UnsafeRawBufferPointer(start: node.data, count: node.count * SpaceOperation.byteSize)
  }

  /// The operations of commits after `version`, in order, with the version of each one's commit.
  func forEachOperation(
    after version: UInt64, _ body: (SpaceOperation, UInt64) throws(StorageError) -> Void
  ) throws(StorageError) {
    for chunk in chunks where chunk.lastVersion > version {
      try Self.forEach(try bytes(of: chunk), after: version, body)
    }
    try Self.forEach(tailBytes, after: version, body)
  }

  static func forEach(
    _ bytes: UnsafeRawBufferPointer, after version: UInt64 = 0,
    _ body: (SpaceOperation, UInt64) throws(StorageError) -> Void
  ) throws(StorageError) {
    var commit: UInt64 = 0
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
