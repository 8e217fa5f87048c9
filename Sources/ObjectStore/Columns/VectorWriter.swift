import Storage

/// Changes vectors of any kind of value, as leaves of lists and columns of clusters.
enum VectorWriter {
  /// The kind of element vectors that values of a kind are kept in.
  @inline(__always)
  static func shape(_ kind: ValueKind, isOptional: Bool) -> ElementWriter.Shape {
    switch kind {
    case .int, .bool: return ElementWriter.Shape(.integerVector, isOptional)
    case .object: return ElementWriter.Shape(.integerVector, false)
    case .float: return ElementWriter.Shape(.floatVector, isOptional)
    case .double, .date: return ElementWriter.Shape(.doubleVector, isOptional)
    case .objectId, .uuid, .decimal128: return ElementWriter.Shape(.fixedVector, isOptional)
    case .string, .data, .any: return ElementWriter.Shape(.byteVector, isOptional)
    }
  }

  @inline(__always)
  static func isBytes(_ kind: ValueKind) -> Bool {
    kind == .string || kind == .data || kind == .any
  }

  /// Bits that an element with that value needs.
  private static func bits(_ kind: ValueKind, _ value: StoredValue) -> Int {
    switch kind {
    case .float: return 32
    case .double, .date: return 64
    case .objectId: return 96
    case .uuid, .decimal128: return 128
    case .int, .bool, .object, .string, .data, .any:
      switch value {
      case .int(let value): return VectorMath.width(of: value)
      case .bool(let value): return value ? 1 : 0
      case .link(_, let key): return VectorMath.width(of: key.rawValue + 1)
      default: return 0
      }
    }
  }

  /// Sets a row; rows up to it come into being.
  static func set(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ value: StoredValue,
    kind: ValueKind, isOptional: Bool, reserveRows: Int = 0
  ) throws(StorageError) -> NodeReference {
    precondition(value != .null || isOptional || kind == .object, "null where it is not allowed")
    if isBytes(kind) {
      return try unsafe withBytes(value, kind: kind) { bytes throws(StorageError) in
        try unsafe ByteVectorWriter.set(
          writer, reference, row: row, bytes, isNullable: isOptional && kind != .any,
          reserveRows: reserveRows)
      }
    }
    if value == .null, kind != .object {
      return try ElementWriter.setNull(
        writer, reference, row: row, shape: shape(kind, isOptional: isOptional))
    }
    func store<Codec: ColumnCodec>(
      _ value: Codec.Value, as _: Codec.Type
    ) throws(StorageError) -> NodeReference {
      precondition(Codec.fits(kind), "a value of another kind than its property: \(value)")
      return try Codec.set(
        writer, reference, row: row, value, isOptional: isOptional && kind != .object,
        reserveRows: reserveRows)
    }
    switch value {
    case .null: return try store(nil, as: LinkCodec.self)
    case .link(_, let key): return try store(key, as: LinkCodec.self)
    case .int(let value): return try store(value, as: IntegerCodec.self)
    case .bool(let value): return try store(value, as: BoolCodec.self)
    case .float(let value): return try store(value, as: FloatCodec.self)
    case .double(let value):
      precondition(kind == .double, "a value of another kind than its property: \(value)")
      return try store(value, as: DoubleCodec.self)
    case .date(let value):
      precondition(kind == .date, "a date for another kind of property: \(value)")
      return try store(value, as: DoubleCodec.self)
    case .objectId(let value): return try store(value, as: ObjectIdCodec.self)
    case .uuid(let value): return try store(value, as: UUIDCodec.self)
    case .decimal128(let value): return try store(value, as: DecimalCodec.self)
    case .string, .data:
      preconditionFailure("a value of another kind than its property: \(value)")
    }
  }

  /// Gives `body` the bytes that a byte vector holds for `value`; nil for null.
  static func withBytes<Result>(
    _ value: StoredValue, kind: ValueKind,
    _ body: (UnsafeRawBufferPointer?) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    var result: Swift.Result<Result, StorageError>
    func call(_ bytes: UnsafeRawBufferPointer) -> Swift.Result<Result, StorageError> {
      do { return unsafe .success(try body(bytes)) } catch { return .failure(error) }
    }
    switch (kind, value) {
    case (.any, _):
      let bytes = ValueCodec.encode(value)
      result = unsafe bytes.withUnsafeBytes(call)
    case (_, .null):
      return try body(nil)
    case (.string, .string(var text)):
      result = text.withUTF8 { unsafe call(UnsafeRawBufferPointer($0)) }
    case (.data, .data(let bytes)): result = unsafe bytes.withUnsafeBytes(call)
    default: preconditionFailure("a value of another kind than its property: \(value)")
    }
    return try result.get()
  }

  // MARK: Rows of lists

  /// Puts a row in at `row`, which must not be above the count.
  static func insert(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ value: StoredValue,
    kind: ValueKind, isOptional: Bool
  ) throws(StorageError) -> NodeReference {
    precondition(value != .null || isOptional, "null where it is not allowed")
    if isBytes(kind) {
      return try unsafe withBytes(value, kind: kind) { bytes throws(StorageError) in
        try unsafe ByteVectorWriter.insertRow(
          writer, reference, row: row, bytes, isNullable: isOptional && kind != .any)
      }
    }
    let inserted = try ElementWriter.insertRow(
      writer, reference, row: row, bits: bits(kind, value),
      shape: shape(kind, isOptional: isOptional))
    if value == .null { return inserted }
    return try set(writer, inserted, row: row, value, kind: kind, isOptional: isOptional)
  }

  static func removeRow(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, kind: ValueKind
  ) throws(StorageError) -> NodeReference {
    isBytes(kind)
      ? try ByteVectorWriter.removeRow(writer, reference, row: row)
      : try ElementWriter.removeRow(writer, reference, row: row)
  }

  static func gather(
    _ writer: NodeWriter, _ pieces: [VectorPiece], kind: ValueKind, isOptional: Bool
  ) throws(StorageError) -> NodeReference {
    isBytes(kind)
      ? try ByteVectorWriter.gather(writer, pieces, isNullable: isOptional && kind != .any)
      : try ElementWriter.gather(writer, pieces, shape: shape(kind, isOptional: isOptional))
  }
}
