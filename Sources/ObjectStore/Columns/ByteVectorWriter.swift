import Storage

/// Changes byte vectors. Each function takes the vector's reference and returns the one to put in
/// its place.
enum ByteVectorWriter {
  /// Sets `row` to `bytes` (nil: null); rows up to it come into being. `bytes` must not lie in a
  /// node of this transaction.
  static func set(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int,
    _ bytes: UnsafeRawBufferPointer?, isNullable: Bool, reserveRows: Int = 0
  ) throws(StorageError) -> NodeReference {
    let length = unsafe bytes?.count ?? 0
    if reference.isNone {
      if length == 0, unsafe !isNullable || bytes == nil { return reference }
      if length <= TreeLimits.inlineBytesMax {
        let empty = makeEmpty(writer, isNullable: isNullable, reserveRows: reserveRows, length)
        return try unsafe setInline(writer, empty, row: row, bytes)
      }
      let empty = makeEmpty(writer, isNullable: isNullable, reserveRows: 0, 0)
      return try unsafe rebuild(writer, empty, row: row, bytes)
    }
    let node = try writer.source.node(reference)
    guard node.kind == .byteVector, VectorMath.isNullable(node) == isNullable else {
      throw writer.source.unexpected(reference, .byteVector)
    }
    let wasLarge = row < node.count && ByteVector.isLarge(node, row)
    if wasLarge || length > TreeLimits.inlineBytesMax {
      return try unsafe rebuild(writer, reference, row: row, bytes)
    }
    if unsafe bytes == nil, row >= node.count { return reference }
    return try unsafe setInline(writer, reference, row: row, bytes, reserveRows: reserveRows)
  }

  private static func makeEmpty(
    _ writer: NodeWriter, isNullable: Bool, reserveRows: Int, _ length: Int
  ) -> NodeReference {
    let flags: UInt16 = isNullable ? VectorMath.nullableFlag : 0
    let perRow = 2 + length + length / 4
    return writer.make(
      kind: .byteVector, width: 16, flags: flags, dataSize: ByteVector.endsBytes(0),
      reserve: reserveRows * perRow + 40
    ).reference
  }

  /// Where the parts of a byte vector of some number of rows are within its data.
  private struct Parts {
    var bitmap: Int
    var ends: Int
    var heap: Int

    @inline(__always)
    init(flags: UInt16, count: Int) {
      bitmap = VectorMath.bitmapBytes(count)
      ends = ByteVector.endsOffset(flags: flags, count: count)
      heap = ends &+ ByteVector.endsBytes(count)
    }
  }

  /// Replaces a row that is not large by a value that is not either.
  private static func setInline(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ bytes: UnsafeRawBufferPointer?,
    reserveRows: Int = 0
  ) throws(StorageError) -> NodeReference {
    let old = try writer.source.node(reference)
    let oldCount = old.count
    let flags = old.flags
    let before = Parts(flags: flags, count: oldCount)
    let after = Parts(flags: flags, count: max(oldCount, row &+ 1))
    let oldLength = unsafe row < oldCount ? ByteVector.inlineBytes(old, row).count : 0
    let length = unsafe bytes?.count ?? 0
    let heapUsed = unsafe end(old.data + before.ends, oldCount)
    let newSize = after.heap &+ heapUsed &- oldLength &+ length
    let growth = max(0, newSize &- before.heap &- heapUsed &+ 7)
    let node =
      row >= oldCount && reserveRows > row && oldCount > 0
      ? try grown(writer, reference, old, growth, newSize, rows: reserveRows, of: row &+ 1)
      : try writer.mutable(reference, growing: growth)
    let data = unsafe node.data
    let shift = length &- oldLength
    if row >= oldCount {
      unsafe extend(data, from: before, to: after, flags, oldCount, row &+ 1, heapUsed)
      unsafe storeEnd(data + after.ends, row &+ 1, heapUsed &+ length)
      unsafe copy(bytes, to: data + (after.heap &+ heapUsed))
    } else {
      let start = unsafe end(data + before.ends, row)
      let tail = unsafe data + (before.heap &+ start &+ oldLength)
      if shift != 0 {
        unsafe (tail + shift).copyMemory(
          from: tail, byteCount: heapUsed &- start &- oldLength)
        unsafe shiftEnds(data + before.ends, from: row &+ 1, through: oldCount, by: shift)
      }
      unsafe copy(bytes, to: data + (before.heap &+ start))
    }
    if flags & VectorMath.nullableFlag != 0 { unsafe VectorMath.setBit(data, row, bytes != nil) }
    node.setCount(max(oldCount, row &+ 1))
    node.setDataSize(newSize)
    return node.reference
  }

  /// The vector with room for `growth` bytes more; where it has to move for that, with room for
  /// `rows` rows as long as the first ones are, of which it will have `count`.
  private static func grown(
    _ writer: NodeWriter, _ reference: NodeReference, _ old: Node, _ growth: Int, _ newSize: Int,
    rows: Int, of count: Int
  ) throws(StorageError) -> MutableNode {
    if reference.isUncommitted {
      let same = unsafe MutableNode(address: UnsafeMutableRawPointer(mutating: old.address))
      if old.byteSize &+ growth <= same.capacity { return same }
    }
    let expected = newSize / count &* rows
    return try writer.mutable(
      reference, growing: max(growth, expected &+ expected / 8 &- old.byteSize), exactly: true)
  }

  /// Makes room for rows at the end: heap, offsets and bitmaps move apart, new rows are empty.
  @inline(__always)
  private static func extend(
    _ data: UnsafeMutableRawPointer, from before: Parts, to after: Parts, _ flags: UInt16,
    _ oldCount: Int, _ newCount: Int, _ heapUsed: Int
  ) {
    if after.heap != before.heap {
      unsafe (data + after.heap).copyMemory(from: data + before.heap, byteCount: heapUsed)
    }
    if after.ends != before.ends {
      unsafe (data + after.ends).copyMemory(
        from: data + before.ends, byteCount: (oldCount &+ 1) &* 2)
      if flags & 3 == 3 {
        unsafe (data + after.bitmap).copyMemory(
          from: data + before.bitmap, byteCount: before.bitmap)
        unsafe (data + after.bitmap + before.bitmap).initializeMemory(
          as: UInt8.self, repeating: 0, count: after.bitmap - before.bitmap)
      }
      unsafe (data + before.bitmap).initializeMemory(
        as: UInt8.self, repeating: 0, count: after.bitmap - before.bitmap)
    }
    let ends = unsafe data + after.ends
    var row = oldCount &+ 1
    while row <= newCount {
      unsafe storeEnd(ends, row, heapUsed)
      row &+= 1
    }
    let used = (newCount &+ 1) &* 2
    unsafe (ends + used).initializeMemory(
      as: UInt8.self, repeating: 0, count: ByteVector.endsBytes(newCount) &- used)
  }

  @inline(__always)
  private static func end(_ ends: UnsafeRawPointer, _ row: Int) -> Int {
    unsafe Int(ends.load(fromByteOffset: row &* 2, as: UInt16.self))
  }

  @inline(__always)
  private static func storeEnd(_ ends: UnsafeMutableRawPointer, _ row: Int, _ value: Int) {
    unsafe ends.storeBytes(
      of: UInt16(truncatingIfNeeded: value), toByteOffset: row &* 2, as: UInt16.self)
  }

  private static func shiftEnds(
    _ ends: UnsafeMutableRawPointer, from row: Int, through last: Int, by shift: Int
  ) {
    let values = unsafe ends.assumingMemoryBound(to: UInt16.self)
    let change = UInt16(truncatingIfNeeded: shift)
    var index = row
    while index <= last {
      unsafe values[index] &+= change
      index &+= 1
    }
  }

  @inline(__always)
  private static func copy(_ bytes: UnsafeRawBufferPointer?, to target: UnsafeMutableRawPointer) {
    if let bytes = unsafe bytes, let start = bytes.baseAddress {
      unsafe target.copyMemory(from: start, byteCount: bytes.count)
    }
  }

  // MARK: Rewriting as a whole

  /// Sets a row where its old or its new value is in a node of its own.
  private static func rebuild(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ bytes: UnsafeRawBufferPointer?
  ) throws(StorageError) -> NodeReference {
    let node = try writer.source.node(reference)
    let isNullable = VectorMath.isNullable(node)
    var builder = ByteVectorBuilder(isNullable: isNullable, rows: max(node.count, row + 1))
    for index in 0..<node.count where index != row { builder.append(node, index, at: index) }
    if row < node.count, ByteVector.isLarge(node, row) {
      try writer.releaseTree(node.reference(ByteVector.largeRank(node, row)))
    }
    if let bytes = unsafe bytes, bytes.count > TreeLimits.inlineBytesMax {
      unsafe builder.setLarge(makeBlob(writer, bytes), at: row)
    } else if let bytes = unsafe bytes {
      unsafe builder.setInline(bytes, at: row)
    }
    return try builder.finish(writer, replacing: reference)
  }

  /// A large value as nodes of its own.
  static func makeBlob(_ writer: NodeWriter, _ bytes: UnsafeRawBufferPointer) -> NodeReference {
    let chunk = TreeLimits.blobChunkBytes
    if bytes.count <= chunk {
      let node = writer.make(kind: .blob, count: bytes.count, dataSize: bytes.count)
      unsafe node.data.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      return node.reference
    }
    let chunks = (bytes.count + chunk - 1) / chunk
    let whole = writer.make(kind: .chunkedBlob, referenceCount: chunks, count: chunks, dataSize: 8)
    unsafe whole.data.storeBytes(of: UInt64(bytes.count), as: UInt64.self)
    for index in 0..<chunks {
      let range = (index * chunk)..<min(bytes.count, (index + 1) * chunk)
      let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
      unsafe whole.setReference(index, makeBlob(writer, piece))
    }
    return whole.reference
  }

  // MARK: Rows

  /// Takes a row out, and its blob with it.
  static func removeRow(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int
  ) throws(StorageError) -> NodeReference {
    if reference.isNone { return reference }
    let node = try writer.source.node(reference)
    let count = node.count
    if row >= count { return reference }
    if ByteVector.isLarge(node, row) {
      try writer.releaseTree(node.reference(ByteVector.largeRank(node, row)))
    }
    if count == 1 {
      try writer.release(reference)
      return .none
    }
    if node.flags & VectorMath.largeFlag == 0 {
      return try removeInline(writer, reference, row: row)
    }
    var builder = ByteVectorBuilder(isNullable: VectorMath.isNullable(node), rows: count - 1)
    for index in 0..<count where index != row {
      builder.append(node, index, at: index < row ? index : index - 1)
    }
    return try builder.finish(writer, replacing: reference)
  }

  /// Takes a row out of a vector none of whose rows are large.
  private static func removeInline(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int
  ) throws(StorageError) -> NodeReference {
    let node = try writer.mutable(reference)
    let count = node.node.count
    let flags = node.node.flags
    let before = Parts(flags: flags, count: count)
    let after = Parts(flags: flags, count: count - 1)
    let data = unsafe node.data
    let ends = unsafe data + before.ends
    let start = unsafe end(ends, row)
    let length = unsafe end(ends, row + 1) - start
    let heapUsed = unsafe end(ends, count)
    if flags & VectorMath.nullableFlag != 0 { unsafe BitMath.remove(data, row, count: count) }
    unsafe shiftEnds(ends, from: row + 1, through: count, by: -length)
    unsafe (ends + (row + 1) * 2).copyMemory(
      from: ends + (row + 2) * 2, byteCount: (count - row - 1) * 2)
    if after.ends != before.ends {
      unsafe (data + after.ends).copyMemory(from: ends, byteCount: count * 2)
    }
    let used = count * 2
    unsafe (data + (after.ends + used)).initializeMemory(
      as: UInt8.self, repeating: 0, count: ByteVector.endsBytes(count - 1) - used)
    unsafe (data + after.heap).copyMemory(from: data + before.heap, byteCount: start)
    unsafe (data + (after.heap + start)).copyMemory(
      from: data + (before.heap + start + length), byteCount: heapUsed - start - length)
    node.setCount(count - 1)
    node.setDataSize(after.heap + heapUsed - length)
    return node.reference
  }

  /// Puts in a row at `row`, which must not be above the count.
  static func insertRow(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int,
    _ bytes: UnsafeRawBufferPointer?, isNullable: Bool
  ) throws(StorageError) -> NodeReference {
    let start =
      reference.isNone
      ? makeEmpty(writer, isNullable: isNullable, reserveRows: 0, 0)
      : reference
    let node = try writer.source.node(start, .byteVector)
    if VectorMath.isNullable(node) != isNullable {
      throw writer.source.unexpected(start, .byteVector)
    }
    let count = node.count
    let fits = unsafe (bytes?.count ?? 0) <= TreeLimits.inlineBytesMax
    if row == count, fits { return try unsafe setInline(writer, start, row: row, bytes) }
    var builder = ByteVectorBuilder(isNullable: isNullable, rows: count + 1)
    for index in 0..<count { builder.append(node, index, at: index < row ? index : index + 1) }
    if let bytes = unsafe bytes, fits {
      unsafe builder.setInline(bytes, at: row)
    } else if let bytes = unsafe bytes {
      unsafe builder.setLarge(makeBlob(writer, bytes), at: row)
    }
    return try builder.finish(writer, replacing: start)
  }

  /// A new vector of rows from others; blobs move along. The old vectors stay.
  static func gather(
    _ writer: NodeWriter, _ pieces: [VectorPiece], isNullable: Bool
  ) throws(StorageError) -> NodeReference {
    var rows = 0
    var used = 0
    for piece in pieces {
      if !piece.reference.isNone {
        let node = try writer.source.node(piece.reference, .byteVector)
        let held = min(piece.rows.upperBound, node.count)
        if held > piece.rows.lowerBound { used = rows + held - piece.rows.lowerBound }
      }
      rows += piece.rows.count
    }
    if used == 0 { return .none }
    var builder = ByteVectorBuilder(isNullable: isNullable, rows: used)
    var start = 0
    for piece in pieces {
      if !piece.reference.isNone {
        let node = try writer.source.node(piece.reference)
        let held = min(piece.rows.upperBound, node.count)
        if held > piece.rows.lowerBound {
          for row in piece.rows.lowerBound..<held {
            builder.append(node, row, at: start + row - piece.rows.lowerBound)
          }
        }
      }
      start += piece.rows.count
    }
    return try builder.finish(writer, replacing: .none)
  }
}
