import Storage

/// Puts a byte vector together row by row, outside of any node, and then writes it as a whole.
///
/// Refers to the bytes that it is given: they stay as they are until `finish`.
@safe struct ByteVectorBuilder {
  private let isNullable: Bool
  private let rows: Int
  /// Per row: where its bytes are (in another node, or the caller's), how many, and its blob.
  private var values: [UnsafeRawBufferPointer?]
  private var blobs: [NodeReference]
  private var blobCount = 0

  init(isNullable: Bool, rows: Int) {
    self.isNullable = isNullable
    self.rows = rows
    unsafe values = Array(repeating: nil, count: rows)
    blobs = Array(repeating: .none, count: rows)
  }

  /// Takes over a row of `node`, which must stay as it is until `finish`.
  mutating func append(_ node: Node, _ row: Int, at target: Int) {
    if ByteVector.isLarge(node, row) {
      setLarge(node.reference(ByteVector.largeRank(node, row)), at: target)
    } else if VectorMath.hasValue(node, row) {
      unsafe values[target] = ByteVector.inlineBytes(node, row)
    }
  }

  mutating func setInline(_ bytes: UnsafeRawBufferPointer, at row: Int) {
    unsafe values[row] = bytes
  }

  mutating func setLarge(_ blob: NodeReference, at row: Int) {
    unsafe values[row] = UnsafeRawBufferPointer(start: nil, count: 0)
    blobs[row] = blob
    blobCount += 1
  }

  /// Writes the vector in place of `old`.
  func finish(
    _ writer: NodeWriter, replacing old: NodeReference
  ) throws(StorageError) -> NodeReference {
    var flags: UInt16 = isNullable ? VectorMath.nullableFlag : 0
    if blobCount > 0 { flags |= VectorMath.largeFlag }
    let heap = unsafe values.reduce(0) { unsafe $0 + ($1?.count ?? 0) }
    let endsOffset = ByteVector.endsOffset(flags: flags, count: rows)
    let size = endsOffset + ByteVector.endsBytes(rows) + heap
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    defer { unsafe scratch.deallocate() }
    unsafe fill(scratch, flags: flags, endsOffset: endsOffset)
    let node = try writer.remake(
      old, kind: .byteVector, width: 16, flags: flags, referenceCount: blobCount, count: rows,
      dataSize: size)
    var index = 0
    for blob in blobs where !blob.isNone {
      node.setReference(index, blob)
      index += 1
    }
    unsafe node.data.copyMemory(from: scratch, byteCount: size)
    return node.reference
  }

  private func fill(_ data: UnsafeMutableRawPointer, flags: UInt16, endsOffset: Int) {
    let heapOffset = endsOffset + ByteVector.endsBytes(rows)
    unsafe data.initializeMemory(as: UInt8.self, repeating: 0, count: heapOffset)
    let large = unsafe data + (isNullable ? VectorMath.bitmapBytes(rows) : 0)
    var used = 0
    for row in 0..<rows {
      if let bytes = unsafe values[row] {
        if isNullable { unsafe VectorMath.setBit(data, row, true) }
        if !blobs[row].isNone { unsafe VectorMath.setBit(large, row, true) }
        if let start = bytes.baseAddress, bytes.count > 0 {
          unsafe (data + (heapOffset + used)).copyMemory(from: start, byteCount: bytes.count)
        }
        used += bytes.count
      }
      unsafe data.storeBytes(
        of: UInt16(used), toByteOffset: endsOffset + (row + 1) * 2, as: UInt16.self)
    }
  }
}
