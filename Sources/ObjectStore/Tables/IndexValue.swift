import Storage

/// How values of indexed columns become the integers that an index is ordered by.
@usableFromInline
enum IndexValue {
  /// Order-preserving over all doubles; -0 and 0 fall together, NaN stands at the ends.
  @inlinable
  static func ordered(_ value: Double) -> Int64 {
    let bits = Int64(bitPattern: (value + 0).bitPattern)
    return bits >= 0 ? bits : Int64.min &- bits &- 1
  }

  /// A hash of bytes that is part of the format: the index of a string, ObjectId or UUID column.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    var state = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
    var offset = 0
    while offset &+ 8 <= bytes.count {
      state = mix(state, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    var rest: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      rest |= UInt64(bytes[offset]) &<< shift
      shift &+= 8
      offset &+= 1
    }
    return Int64(bitPattern: mix(mix(state, rest), 0xD6E8_FEB8_6659_FD93))
  }

  /// Multiplies to 128 bits and folds.
  @inline(__always)
  private static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = (state ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(
      by: word ^ 0xE703_7ED1_A0B4_28DB)
    return product.high ^ product.low ^ (state &>> 29)
  }

  /// How an index keeps that value; nil for null.
  static func of(_ value: StoredValue) -> Int64? {
    switch value {
    case .null: return nil
    case .int(let value): return IntegerCodec.indexed(value)
    case .bool(let value): return BoolCodec.indexed(value)
    case .date(let value): return DoubleCodec.indexed(value)
    case .string(var text):
      return text.withUTF8 { BytesCodec.indexed(UnsafeRawBufferPointer($0)) }
    case .objectId(let value): return ObjectIdCodec.indexed(value)
    case .uuid(let value): return UUIDCodec.indexed(value)
    default: preconditionFailure("values of that kind cannot be indexed: \(value)")
    }
  }

  /// The same for the value in a row of a column, read without making a `StoredValue`.
  static func read(
    _ cluster: Cluster, _ row: Int, _ column: ColumnKey, _ spec: ColumnSpec,
    in source: NodeSource
  ) throws(StorageError) -> Int64? {
    let reference = cluster.reference(column)
    let node = reference.isNone ? nil : try source.vector(reference, of: spec.kind)
    guard let node, row < node.count else {
      return spec.isOptional ? nil : of(VectorValue.zero(spec.kind))
    }
    if spec.isOptional, !VectorMath.hasValue(node, row) { return nil }
    func load<Codec: ElementCodec>(_: Codec.Type) -> Int64 {
      Codec.indexed(Codec.load(VectorMath.elements(node), width: node.width, row))
    }
    switch spec.kind {
    case .int: return load(IntegerCodec.self)
    case .bool: return load(BoolCodec.self)
    case .date: return load(DoubleCodec.self)
    case .string: return try ByteVector.withBytes(node, row, in: source, BytesCodec.indexed)
    case .objectId: return load(ObjectIdCodec.self)
    case .uuid: return load(UUIDCodec.self)
    default: preconditionFailure("values of that kind cannot be indexed")
    }
  }
}
