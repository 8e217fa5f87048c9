/// The twelve bytes of an ObjectId, in their order in memory and in the file.
@frozen
public struct ObjectIdBytes: Hashable, Comparable, Sendable {
  /// Bytes 0..<8 as loaded from memory.
  public var head: UInt64
  /// Bytes 8..<12 as loaded from memory.
  public var tail: UInt32

  @inlinable
  public init(head: UInt64, tail: UInt32) {
    self.head = head
    self.tail = tail
  }

  /// Orders like the bytes.
  @inlinable
  public static func < (left: ObjectIdBytes, right: ObjectIdBytes) -> Bool {
    (left.head.bigEndian, left.tail.bigEndian) < (right.head.bigEndian, right.tail.bigEndian)
  }
}

/// The sixteen bytes of a UUID, in their order in memory and in the file.
@frozen
public struct UUIDBytes: Hashable, Comparable, Sendable {
  public var head: UInt64
  public var tail: UInt64

  @inlinable
  public init(head: UInt64, tail: UInt64) {
    self.head = head
    self.tail = tail
  }

  /// Orders like the bytes.
  @inlinable
  public static func < (left: UUIDBytes, right: UUIDBytes) -> Bool {
    (left.head.bigEndian, left.tail.bigEndian) < (right.head.bigEndian, right.tail.bigEndian)
  }
}

/// An IEEE 754 decimal128 in its binary integer encoding; equal when the bits are.
///
/// Arithmetic, and the equality of 1.0 and 1.00, belong to the layers above.
@frozen
public struct DecimalBits: Hashable, Sendable {
  public var low: UInt64
  public var high: UInt64

  @inlinable
  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Positive zero with exponent 0: what a new property holds.
  public static let zero = DecimalBits(low: 0, high: 0x3040_0000_0000_0000)
}

/// A value of a property or of an element of a list, outside of the tree.
///
/// Typed reads and writes (`Table.int`, `ObjectTransaction.setInt`, ...) do without it.
public enum StoredValue: Hashable, Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since the reference date (2001-01-01 00:00 UTC).
  case date(Double)
  case objectId(ObjectIdBytes)
  case uuid(UUIDBytes)
  case decimal128(DecimalBits)
  case link(TableKey, ObjectKey)

  /// Whether both are stored as the same bytes. Negative zero equals zero, but what is stored
  /// differs.
  public func isIdentical(to other: StoredValue) -> Bool {
    switch (self, other) {
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)), (.date(let left), .date(let right)):
      left.bitPattern == right.bitPattern
    default: self == other
    }
  }

  /// Compares values of one kind; strings by their bytes, where Swift takes those for equal that
  /// are composed differently.
  public static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.int(let left), .int(let right)): left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.string(let left), .string(let right)): StoredText(left) == StoredText(right)
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.objectId(let left), .objectId(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.decimal128(let left), .decimal128(let right)): left == right
    case (.link(let leftTable, let left), .link(let rightTable, let right)):
      leftTable == rightTable && left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .int(let value): hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value)
    case .double(let value), .date(let value): hasher.combine(value)
    case .string(let value): hasher.combine(StoredText(value))
    case .data(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .decimal128(let value): hasher.combine(value)
    case .link(let table, let key):
      hasher.combine(table)
      hasher.combine(key)
    }
  }
}
