import Storage

extension IndexValue {
  /// How the index of a column of that kind keeps the value; nil for null.
  static func of(_ value: StoredValue, in kind: ValueKind) -> Int64? {
    if kind == .any { return AnyIndexKey.of(value) }
    switch value {
    case .null: return nil
    case .int(let value): return IntegerCodec.indexed(value)
    case .bool(let value): return BoolCodec.indexed(value)
    case .date(let value): return DoubleCodec.indexed(value)
    case .string(var text):
      return text.withUTF8 { unsafe BytesCodec.indexed(UnsafeRawBufferPointer($0)) }
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
      return spec.isOptional ? nil : of(VectorValue.zero(spec.kind), in: spec.kind)
    }
    if spec.isOptional, !VectorMath.hasValue(node, row) { return nil }
    func load<Codec: ElementCodec>(_: Codec.Type) -> Int64 {
      unsafe Codec.indexed(Codec.load(VectorMath.elements(node), width: node.width, row))
    }
    switch spec.kind {
    case .int: return load(IntegerCodec.self)
    case .bool: return load(BoolCodec.self)
    case .date: return load(DoubleCodec.self)
    case .string: return unsafe try ByteVector.withBytes(node, row, in: source, BytesCodec.indexed)
    case .objectId: return load(ObjectIdCodec.self)
    case .uuid: return load(UUIDCodec.self)
    case .any: return try unsafe ByteVector.withBytes(node, row, in: source, AnyIndexKey.of)
    default: preconditionFailure("values of that kind cannot be indexed")
    }
  }

  /// The words of the string in a row, as a full-text index keeps them: rising, each once.
  static func words(
    _ cluster: Cluster, _ row: Int, _ column: ColumnKey, in source: NodeSource
  ) throws(StorageError) -> [Int64] {
    let reference = cluster.reference(column)
    if reference.isNone { return [] }
    let node = try source.vector(reference, of: .string)
    if row >= node.count { return [] }
    return try unsafe ByteVector.withBytes(node, row, in: source, TextTokens.indexed)
  }
}
