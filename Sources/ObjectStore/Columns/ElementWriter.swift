import Storage

/// Changes vectors of elements of equal width: integers, floats, doubles, fixed bytes, backlinks.
///
/// Each function takes the vector's reference and returns the one to put in its place. The width of
/// every such node is the bits of an element; that of integers grows as values ask for it.
enum ElementWriter {
  /// What kind of vector is to be made if there is none, and whether it may hold nulls.
  struct Shape {
    var kind: NodeKind
    var isNullable: Bool

    @inline(__always)
    init(_ kind: NodeKind, _ isNullable: Bool) {
      self.kind = kind
      self.isNullable = isNullable
    }

    @inline(__always) var flags: UInt16 { isNullable ? VectorMath.nullableFlag : 0 }

    @inline(__always)
    func dataSize(_ count: Int, bits: Int) -> Int {
      (isNullable ? VectorMath.bitmapBytes(count) : 0) &+ (count &* bits &+ 7) &>> 3
    }
  }

  /// Where the elements of a mutable vector begin.
  @inline(__always)
  static func elements(_ node: MutableNode) -> UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(mutating: VectorMath.elements(node.node))
  }

  /// Makes the vector changeable and have `row` and at least `bits` per element. New rows hold the
  /// default.
  ///
  /// - Parameter reserveRows: how many rows to leave room for when a vector has to be made.
  @inline(__always)
  static func prepare(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, bits: Int, shape: Shape,
    reserveRows: Int = 0
  ) throws(StorageError) -> MutableNode {
    if reference.isUncommitted {
      let node = try writer.source.node(reference)
      if row < node.count, bits <= node.width {
        return unsafe MutableNode(address: UnsafeMutableRawPointer(mutating: node.address))
      }
    }
    return try reshape(
      writer, reference, rows: row &+ 1, bits: bits, shape: shape, reserveRows: reserveRows)
  }

  static func reshape(
    _ writer: NodeWriter, _ reference: NodeReference, rows: Int, bits: Int, shape: Shape,
    reserveRows: Int
  ) throws(StorageError) -> MutableNode {
    if reference.isNone {
      let size = shape.dataSize(rows, bits: bits)
      let reserve = reserveRows > rows ? shape.dataSize(reserveRows, bits: bits) - size : 0
      return writer.make(
        kind: shape.kind, width: bits, flags: shape.flags, count: rows, dataSize: size,
        reserve: reserve)
    }
    let node = try writer.source.node(reference)
    try check(node, reference, shape, bits: bits, in: writer.source)
    let count = max(rows, node.count)
    if bits > node.width {
      return try widen(
        writer, reference, node, count: count, bits: bits, shape: shape, reserveRows: reserveRows)
    }
    return try grow(writer, reference, node, count: count, shape: shape)
  }

  /// Refuses a vector of another kind, of elements of another width where that is fixed, or with
  /// nulls where there are none: changing it would write beyond its end.
  @inline(__always)
  static func check(
    _ node: Node, _ reference: NodeReference, _ shape: Shape, bits: Int, in source: NodeSource
  ) throws(StorageError) {
    let isFixed = shape.kind != .integerVector && shape.kind != .backlinkVector
    if node.kind != shape.kind || node.flags != shape.flags || isFixed && node.width != bits {
      throw source.unexpected(reference, shape.kind)
    }
  }

  /// Adds rows without changing the width.
  @inline(__always)
  private static func grow(
    _ writer: NodeWriter, _ reference: NodeReference, _ node: Node, count: Int, shape: Shape
  ) throws(StorageError) -> MutableNode {
    let old = node.count
    let bits = node.width
    let oldSize = shape.dataSize(old, bits: bits)
    let newSize = shape.dataSize(count, bits: bits)
    let mutable = try writer.mutable(reference, growing: max(0, newSize &- oldSize &+ 7))
    if count == old { return mutable }
    let data = unsafe mutable.data
    unsafe (data + oldSize).initializeMemory(
      as: UInt8.self, repeating: 0, count: newSize &- oldSize)
    if shape.isNullable {
      let oldBitmap = VectorMath.bitmapBytes(old)
      let shift = VectorMath.bitmapBytes(count) &- oldBitmap
      if shift > 0 {
        unsafe (data + (oldBitmap &+ shift)).copyMemory(
          from: data + oldBitmap, byteCount: oldSize &- oldBitmap)
        unsafe (data + oldBitmap).initializeMemory(as: UInt8.self, repeating: 0, count: shift)
      }
    }
    mutable.setCount(count)
    mutable.setDataSize(newSize)
    return mutable
  }

  private static func widen(
    _ writer: NodeWriter, _ reference: NodeReference, _ node: Node, count: Int, bits: Int,
    shape: Shape, reserveRows: Int
  ) throws(StorageError) -> MutableNode {
    let size = shape.dataSize(count, bits: bits)
    let reserve = reserveRows > count ? shape.dataSize(reserveRows, bits: bits) - size : 0
    let wide = writer.make(
      kind: shape.kind, width: bits, flags: shape.flags, referenceCount: node.referenceCount,
      count: count, dataSize: size, reserve: reserve)
    for index in 0..<node.referenceCount { wide.setReference(index, node.reference(index)) }
    if shape.isNullable {
      unsafe wide.data.copyMemory(from: node.data, byteCount: VectorMath.bitmapBytes(node.count))
    }
    let from = unsafe VectorMath.elements(node)
    let to = unsafe elements(wide)
    for row in 0..<node.count {
      let value = unsafe VectorMath.integer(from, width: node.width, row)
      unsafe VectorMath.setInteger(to, width: bits, row, value)
    }
    try writer.release(reference)
    return wide
  }

  // MARK: Setting one element

  @inline(__always)
  static func set<Codec: ElementCodec>(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ value: Codec.Value,
    as _: Codec.Type, shape: Shape, reserveRows: Int = 0
  ) throws(StorageError) -> NodeReference {
    let bits = Codec.bits(value)
    // Only zero takes no bits, and a row that is not there is zero.
    if reference.isNone, bits == 0, !shape.isNullable { return reference }
    let node = try prepare(
      writer, reference, row: row, bits: bits, shape: shape, reserveRows: reserveRows)
    unsafe Codec.store(value, elements(node), width: node.node.width, row)
    if shape.isNullable { unsafe VectorMath.setBit(node.data, row, true) }
    return node.reference
  }

  static func setInteger(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ value: Int64, shape: Shape
  ) throws(StorageError) -> NodeReference {
    try set(writer, reference, row: row, value, as: IntegerCodec.self, shape: shape)
  }

  /// Makes the element null and its bits zero.
  static func setNull(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, shape: Shape
  ) throws(StorageError) -> NodeReference {
    if reference.isNone { return reference }
    let node = try writer.source.node(reference)
    try check(node, reference, shape, bits: node.width, in: writer.source)
    if row >= node.count { return reference }
    let mutable = try writer.mutable(reference)
    unsafe VectorMath.setBit(mutable.data, row, false)
    unsafe clear(elements(mutable), row, bits: node.width)
    return mutable.reference
  }

  @inline(__always)
  private static func clear(_ base: UnsafeMutableRawPointer, _ row: Int, bits: Int) {
    if bits == 1 { return unsafe VectorMath.setBit(base, row, false) }
    let bytes = bits >> 3
    unsafe (base + row * bytes).initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
  }

  // MARK: Rows

  /// Takes a row out; the rows behind it move up. References are not touched.
  static func removeRow(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int
  ) throws(StorageError) -> NodeReference {
    if reference.isNone { return reference }
    let node = try writer.source.node(reference)
    guard isElements(node.kind) else { throw writer.source.unexpected(reference, .integerVector) }
    let count = node.count
    if row >= count { return reference }
    if count == 1 {
      try writer.release(reference)
      return .none
    }
    let mutable = try writer.mutable(reference)
    let shape = Shape(mutable.node.kind, VectorMath.isNullable(mutable.node))
    let bits = mutable.node.width
    let data = unsafe mutable.data
    var from = unsafe elements(mutable)
    unsafe removeElement(from, row, count: count, bits: bits)
    if shape.isNullable {
      unsafe BitMath.remove(data, row, count: count)
      let shift = VectorMath.bitmapBytes(count) - VectorMath.bitmapBytes(count - 1)
      if shift > 0 {
        unsafe (from - shift).copyMemory(from: from, byteCount: ((count - 1) * bits + 7) >> 3)
        unsafe from -= shift
      }
    }
    mutable.setCount(count - 1)
    mutable.setDataSize(shape.dataSize(count - 1, bits: bits))
    return mutable.reference
  }

  private static func isElements(_ kind: NodeKind) -> Bool {
    switch kind {
    case .integerVector, .floatVector, .doubleVector, .fixedVector, .backlinkVector: true
    default: false
    }
  }

  private static func removeElement(
    _ base: UnsafeMutableRawPointer, _ row: Int, count: Int, bits: Int
  ) {
    if bits == 0 { return }
    if bits == 1 { return unsafe BitMath.remove(base, row, count: count) }
    let bytes = bits >> 3
    unsafe (base + row * bytes).copyMemory(
      from: base + (row + 1) * bytes, byteCount: (count - row - 1) * bytes)
  }

  /// Puts a default row in at `row`, which must not be above the count; the rows from there on move
  /// down.
  static func insertRow(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, bits: Int, shape: Shape
  ) throws(StorageError) -> NodeReference {
    let count = reference.isNone ? 0 : try writer.source.node(reference).count
    let mutable = try reshape(
      writer, reference, rows: count + 1, bits: bits, shape: shape, reserveRows: 0)
    if row == count { return mutable.reference }
    let base = unsafe elements(mutable)
    let width = mutable.node.width
    if width == 1 {
      unsafe BitMath.insert(base, row, count: count)
    } else {
      let bytes = width >> 3
      unsafe (base + (row + 1) * bytes).copyMemory(
        from: base + row * bytes, byteCount: (count - row) * bytes)
      unsafe (base + row * bytes).initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    }
    if shape.isNullable { unsafe BitMath.insert(mutable.data, row, count: count) }
    return mutable.reference
  }

  // MARK: Gathering

  /// A new vector of rows from others, in the order of `pieces`, as narrow as its values allow.
  /// Rows that a piece's vector does not hold become defaults. The old vectors stay.
  static func gather(
    _ writer: NodeWriter, _ pieces: [VectorPiece], shape: Shape
  ) throws(StorageError) -> NodeReference {
    let source = writer.source
    var bits = 0
    var rows = 0
    var used = 0
    for piece in pieces {
      if !piece.reference.isNone {
        let node = try source.node(piece.reference)
        guard node.kind == shape.kind, node.flags == shape.flags else {
          throw source.unexpected(piece.reference, shape.kind)
        }
        let held = min(piece.rows.upperBound, node.count)
        if held > piece.rows.lowerBound {
          used = rows + held - piece.rows.lowerBound
          bits = max(bits, neededBits(node, piece.rows.lowerBound..<held))
        }
      }
      rows += piece.rows.count
    }
    if used == 0 { return .none }
    let result = writer.make(
      kind: shape.kind, width: bits, flags: shape.flags, count: used,
      dataSize: shape.dataSize(used, bits: bits))
    var row = 0
    for piece in pieces {
      try copy(piece, to: result, at: row, source: source)
      row += piece.rows.count
    }
    return result.reference
  }

  private static func neededBits(_ node: Node, _ rows: Range<Int>) -> Int {
    guard node.kind == .integerVector || node.kind == .backlinkVector, node.width > 1 else {
      return node.width
    }
    let base = unsafe VectorMath.elements(node)
    var bits = 0
    for row in rows {
      bits = unsafe max(
        bits, VectorMath.width(of: VectorMath.integer(base, width: node.width, row)))
      if bits == node.width { break }
    }
    return bits
  }

  private static func copy(
    _ piece: VectorPiece, to result: MutableNode, at start: Int, source: NodeSource
  ) throws(StorageError) {
    if piece.reference.isNone { return }
    let node = try source.node(piece.reference)
    let held = min(piece.rows.upperBound, node.count)
    if held <= piece.rows.lowerBound { return }
    let rows = piece.rows.lowerBound..<held
    let bits = result.node.width
    let from = unsafe VectorMath.elements(node)
    let to = unsafe elements(result)
    if bits == node.width, bits >= 8 {
      let bytes = bits >> 3
      unsafe (to + start * bytes).copyMemory(
        from: from + rows.lowerBound * bytes, byteCount: rows.count * bytes)
    } else if bits > 0 {
      for row in rows {
        unsafe VectorMath.setInteger(
          to, width: bits, start + row - rows.lowerBound,
          VectorMath.integer(from, width: node.width, row))
      }
    }
    guard VectorMath.isNullable(node), VectorMath.isNullable(result.node) else { return }
    for row in rows where unsafe VectorMath.bit(node.data, row) {
      unsafe VectorMath.setBit(result.data, start + row - rows.lowerBound, true)
    }
  }
}

/// Rows of a vector that are to become rows of another.
struct VectorPiece {
  /// None for rows that are all default.
  var reference: NodeReference
  var rows: Range<Int>
}
