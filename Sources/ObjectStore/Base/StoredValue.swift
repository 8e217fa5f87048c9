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

  /// Whether both are stored as the same bytes. Negative zero equals zero, and strings that are
  /// canonically equivalent are equal, but what is stored differs.
  public func isIdentical(to other: StoredValue) -> Bool {
    switch (self, other) {
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)), (.date(let left), .date(let right)):
      left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    default: self == other
    }
  }
}
