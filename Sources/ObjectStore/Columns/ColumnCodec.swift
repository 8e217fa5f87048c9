import Storage

/// How values of one kind are kept: as rows of a vector, and in an index.
///
/// Every way into a column goes through the codec of its kind: typed properties, values of any
/// kind, elements of lists. What takes a codec is generic and is specialised for each of them, so
/// that a number goes to its vector without anything in between.
protocol ColumnCodec {
  associatedtype Value

  /// Whether a column of that kind holds such values.
  static func fits(_ kind: ValueKind) -> Bool
  /// Sets a row; rows up to it come into being.
  static func set(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ value: Value, isOptional: Bool,
    reserveRows: Int
  ) throws(StorageError) -> NodeReference
  /// How an index keeps the value.
  static func indexed(_ value: Value) -> Int64
}

/// A codec whose elements all have the same width, which only that of integers depends on values.
protocol ElementCodec: ColumnCodec {
  static var vectorKind: NodeKind { get }
  /// Bits that an element needs to hold the value, at the least.
  static func bits(_ value: Value) -> Int
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> Value
  static func store(_ value: Value, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int)
}

extension ElementCodec {
  @inline(__always)
  static func set(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ value: Value, isOptional: Bool,
    reserveRows: Int
  ) throws(StorageError) -> NodeReference {
    try ElementWriter.set(
      writer, reference, row: row, value, as: Self.self,
      shape: ElementWriter.Shape(vectorKind, isOptional), reserveRows: reserveRows)
  }
}

enum IntegerCodec: ElementCodec {
  static var vectorKind: NodeKind { .integerVector }
  static func fits(_ kind: ValueKind) -> Bool { kind == .int }
  @inline(__always)
  static func bits(_ value: Int64) -> Int { VectorMath.width(of: value) }
  @inline(__always)
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> Int64 {
    unsafe VectorMath.integer(base, width: width, row)
  }
  @inline(__always)
  static func store(_ value: Int64, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int) {
    unsafe VectorMath.setInteger(base, width: width, row, value)
  }
  static func indexed(_ value: Int64) -> Int64 { value }
}

enum BoolCodec: ElementCodec {
  static var vectorKind: NodeKind { .integerVector }
  static func fits(_ kind: ValueKind) -> Bool { kind == .bool }
  @inline(__always)
  static func bits(_ value: Bool) -> Int { value ? 1 : 0 }
  @inline(__always)
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> Bool {
    unsafe VectorMath.integer(base, width: width, row) != 0
  }
  @inline(__always)
  static func store(_ value: Bool, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int) {
    unsafe VectorMath.setInteger(base, width: width, row, value ? 1 : 0)
  }
  static func indexed(_ value: Bool) -> Int64 { value ? 1 : 0 }
}

/// Links: the target's key + 1, or 0 for none. Their columns have no other null.
enum LinkCodec: ElementCodec {
  static var vectorKind: NodeKind { .integerVector }
  static func fits(_ kind: ValueKind) -> Bool { kind == .object }
  @inline(__always)
  static func bits(_ value: ObjectKey?) -> Int { VectorMath.width(of: stored(value)) }
  @inline(__always)
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> ObjectKey? {
    let value = unsafe VectorMath.integer(base, width: width, row)
    return value == 0 ? nil : ObjectKey(rawValue: value &- 1)
  }
  @inline(__always)
  static func store(_ value: ObjectKey?, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int) {
    unsafe VectorMath.setInteger(base, width: width, row, stored(value))
  }
  static func indexed(_ value: ObjectKey?) -> Int64 { preconditionFailure("links have no index") }
  @inline(__always)
  static func stored(_ value: ObjectKey?) -> Int64 { value.map { $0.rawValue &+ 1 } ?? 0 }
}

enum FloatCodec: ElementCodec {
  static var vectorKind: NodeKind { .floatVector }
  static func fits(_ kind: ValueKind) -> Bool { kind == .float }
  @inline(__always)
  static func bits(_ value: Float) -> Int { 32 }
  @inline(__always)
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> Float {
    unsafe base.load(fromByteOffset: row &* 4, as: Float.self)
  }
  @inline(__always)
  static func store(_ value: Float, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int) {
    unsafe base.storeBytes(of: value, toByteOffset: row &* 4, as: Float.self)
  }
  static func indexed(_ value: Float) -> Int64 { preconditionFailure("floats have no index") }
}

/// Doubles, and dates as seconds since the reference date.
enum DoubleCodec: ElementCodec {
  static var vectorKind: NodeKind { .doubleVector }
  static func fits(_ kind: ValueKind) -> Bool { kind == .double || kind == .date }
  @inline(__always)
  static func bits(_ value: Double) -> Int { 64 }
  @inline(__always)
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> Double {
    unsafe base.load(fromByteOffset: row &* 8, as: Double.self)
  }
  @inline(__always)
  static func store(_ value: Double, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int) {
    unsafe base.storeBytes(of: value, toByteOffset: row &* 8, as: Double.self)
  }
  static func indexed(_ value: Double) -> Int64 { IndexValue.ordered(value) }
}

enum ObjectIdCodec: ElementCodec {
  static var vectorKind: NodeKind { .fixedVector }
  static func fits(_ kind: ValueKind) -> Bool { kind == .objectId }
  @inline(__always)
  static func bits(_ value: ObjectIdBytes) -> Int { 96 }
  @inline(__always)
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> ObjectIdBytes {
    unsafe FixedVector.objectId(base, row)
  }
  @inline(__always)
  static func store(
    _ value: ObjectIdBytes, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int
  ) {
    unsafe base.storeBytes(of: value.head, toByteOffset: row &* 12, as: UInt64.self)
    unsafe base.storeBytes(of: value.tail, toByteOffset: row &* 12 &+ 8, as: UInt32.self)
  }
  static func indexed(_ value: ObjectIdBytes) -> Int64 { IndexValue.hash(value) }
}

enum UUIDCodec: ElementCodec {
  static var vectorKind: NodeKind { .fixedVector }
  static func fits(_ kind: ValueKind) -> Bool { kind == .uuid }
  @inline(__always)
  static func bits(_ value: UUIDBytes) -> Int { 128 }
  @inline(__always)
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> UUIDBytes {
    unsafe FixedVector.uuid(base, row)
  }
  @inline(__always)
  static func store(_ value: UUIDBytes, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int) {
    unsafe base.storeBytes(of: value.head, toByteOffset: row &* 16, as: UInt64.self)
    unsafe base.storeBytes(of: value.tail, toByteOffset: row &* 16 &+ 8, as: UInt64.self)
  }
  static func indexed(_ value: UUIDBytes) -> Int64 { IndexValue.hash(value) }
}

enum DecimalCodec: ElementCodec {
  static var vectorKind: NodeKind { .fixedVector }
  static func fits(_ kind: ValueKind) -> Bool { kind == .decimal128 }
  @inline(__always)
  static func bits(_ value: DecimalBits) -> Int { 128 }
  @inline(__always)
  static func load(_ base: UnsafeRawPointer, width: Int, _ row: Int) -> DecimalBits {
    unsafe FixedVector.decimal(base, row)
  }
  @inline(__always)
  static func store(
    _ value: DecimalBits, _ base: UnsafeMutableRawPointer, width: Int, _ row: Int
  ) {
    unsafe base.storeBytes(of: value.low, toByteOffset: row &* 16, as: UInt64.self)
    unsafe base.storeBytes(of: value.high, toByteOffset: row &* 16 &+ 8, as: UInt64.self)
  }
  static func indexed(_ value: DecimalBits) -> Int64 {
    preconditionFailure("decimals have no index")
  }
}

/// The UTF-8 of strings, and data. The bytes must not lie in a node of the transaction.
enum BytesCodec: @unsafe ColumnCodec {
  static func fits(_ kind: ValueKind) -> Bool { kind == .string || kind == .data }
  @inline(__always)
  static func set(
    _ writer: NodeWriter, _ reference: NodeReference, row: Int, _ value: UnsafeRawBufferPointer,
    isOptional: Bool, reserveRows: Int
  ) throws(StorageError) -> NodeReference {
    try unsafe ByteVectorWriter.set(
      writer, reference, row: row, value, isNullable: isOptional, reserveRows: reserveRows)
  }
  static func indexed(_ value: UnsafeRawBufferPointer) -> Int64 { unsafe IndexValue.hash(value) }
}
