import Storage

/// Reading of byte vectors: strings (UTF-8), data, and encoded values of any kind.
///
///     [validity bitmap] [large bitmap] (count + 1) UInt16 offsets, padded to 8 | heap
///
/// Row i spans offsets[i] ..< offsets[i + 1] of the heap. Rows marked in the large bitmap are empty
/// there; the node's references, in the order of the rows, name their blobs.
@usableFromInline
enum ByteVector {
  /// Bytes of the offsets, padding included.
  @inlinable @inline(__always)
  static func endsBytes(_ count: Int) -> Int { ((count &+ 1) &* 2 &+ 7) & ~7 }

  /// Where the offsets begin within the data.
  @inlinable @inline(__always)
  static func endsOffset(flags: UInt16, count: Int) -> Int {
    let bitmaps = Int(flags & 1) &+ Int((flags &>> 1) & 1)
    return bitmaps &* VectorMath.bitmapBytes(count)
  }

  @inlinable @inline(__always)
  static func isLarge(_ node: Node, _ row: Int) -> Bool {
    guard node.flags & VectorMath.largeFlag != 0 else { return false }
    return unsafe VectorMath.bit(largeBitmap(node), row)
  }

  @inlinable @inline(__always)
  static func largeBitmap(_ node: Node) -> UnsafeRawPointer {
    unsafe VectorMath.isNullable(node) ? node.data + VectorMath.bitmapBytes(node.count) : node.data
  }

  /// The bytes of a row that is not large; `row` must be below the count.
  @inlinable @inline(__always)
  static func inlineBytes(_ node: Node, _ row: Int) -> UnsafeRawBufferPointer {
    let count = node.count
    let offsets = unsafe node.data + endsOffset(flags: node.flags, count: count)
    let start = unsafe Int(offsets.load(fromByteOffset: row &* 2, as: UInt16.self))
    let end = unsafe Int(offsets.load(fromByteOffset: row &* 2 &+ 2, as: UInt16.self))
    return unsafe UnsafeRawBufferPointer(
      start: offsets + endsBytes(count) + start, count: end &- start)
  }

  /// Which of the node's references belongs to a large row: how many large rows stand before it.
  @usableFromInline
  static func largeRank(_ node: Node, _ row: Int) -> Int {
    let words = unsafe largeBitmap(node).assumingMemoryBound(to: UInt64.self)
    var rank = 0
    for word in 0..<(row >> 6) { unsafe rank += words[word].nonzeroBitCount }
    return unsafe rank + (words[row >> 6] & ((1 << UInt64(row & 63)) &- 1)).nonzeroBitCount
  }

  /// Gives `body` the bytes of a row, wherever they are.
  @inlinable
  static func withBytes<Result>(
    _ node: Node, _ row: Int, in source: NodeSource, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StorageError) -> Result {
    if !isLarge(node, row) { return unsafe body(inlineBytes(node, row)) }
    let reference = node.reference(largeRank(node, row))
    let blob = try source.node(reference)
    if blob.kind == .blob {
      return unsafe body(UnsafeRawBufferPointer(start: blob.data, count: blob.count))
    }
    let whole = try joined(blob, reference, in: source)
    return unsafe whole.withUnsafeBytes(body)
  }

  /// The chunks of a large value, one after the other.
  @usableFromInline
  static func joined(
    _ blob: Node, _ reference: NodeReference, in source: NodeSource
  ) throws(StorageError) -> [UInt8] {
    guard blob.kind == .chunkedBlob else { throw source.unexpected(reference, .blob) }
    var bytes: [UInt8] = []
    let total = unsafe Int(blob.data.load(as: UInt64.self))
    for index in 0..<blob.referenceCount {
      let chunk = try source.node(blob.reference(index), .blob)
      guard chunk.count == min(TreeLimits.blobChunkBytes, total - bytes.count) else {
        throw source.corrupt(reference, "a large value of \(total) bytes was expected")
      }
      if index == 0 { bytes.reserveCapacity(total) }
      unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: chunk.data, count: chunk.count))
    }
    return bytes
  }
}
