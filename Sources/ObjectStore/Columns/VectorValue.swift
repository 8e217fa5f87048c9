import Storage

/// Elements of any vector as `StoredValue`.
enum VectorValue {
  /// What a value of that kind is without null and without having been set.
  static func zero(_ kind: ValueKind) -> StoredValue {
    switch kind {
    case .int: return .int(0)
    case .bool: return .bool(false)
    case .string: return .string("")
    case .data: return .data([])
    case .date: return .date(0)
    case .float: return .float(0)
    case .double: return .double(0)
    case .object, .any: return .null
    case .objectId: return .objectId(ObjectIdBytes(head: 0, tail: 0))
    case .decimal128: return .decimal128(.zero)
    case .uuid: return .uuid(UUIDBytes(head: 0, tail: 0))
    }
  }

  /// The element in `row`, which must be below the node's count.
  static func read(
    _ node: Node, _ row: Int, kind: ValueKind, isOptional: Bool, target: TableKey,
    in source: NodeSource
  ) throws(StorageError) -> StoredValue {
    if kind == .any {
      return try unsafe ByteVector.withBytes(node, row, in: source) { unsafe ValueCodec.decode($0) }
    }
    if kind == .string || kind == .data {
      return try readBytes(node, row, kind: kind, isOptional: isOptional, in: source)
    }
    let base = unsafe VectorMath.elements(node)
    if isOptional, kind != .object, !VectorMath.hasValue(node, row) { return .null }
    func load<Codec: ElementCodec>(_: Codec.Type) -> Codec.Value {
      unsafe Codec.load(base, width: node.width, row)
    }
    switch kind {
    case .object: return load(LinkCodec.self).map { .link(target, $0) } ?? .null
    case .int: return .int(load(IntegerCodec.self))
    case .bool: return .bool(load(BoolCodec.self))
    case .date: return .date(load(DoubleCodec.self))
    case .double: return .double(load(DoubleCodec.self))
    case .float: return .float(load(FloatCodec.self))
    case .objectId: return .objectId(load(ObjectIdCodec.self))
    case .decimal128: return .decimal128(load(DecimalCodec.self))
    case .uuid: return .uuid(load(UUIDCodec.self))
    case .any, .string, .data: return .null
    }
  }

  private static func readBytes(
    _ node: Node, _ row: Int, kind: ValueKind, isOptional: Bool, in source: NodeSource
  ) throws(StorageError) -> StoredValue {
    if isOptional, !VectorMath.hasValue(node, row) { return .null }
    return try unsafe ByteVector.withBytes(node, row, in: source) {
      unsafe kind == .string ? .string(String(decoding: $0, as: UTF8.self)) : .data([UInt8]($0))
    }
  }
}
