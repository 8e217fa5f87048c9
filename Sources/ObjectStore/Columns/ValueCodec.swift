/// How a value of any kind is kept in a byte vector: a tag, then the value. Null is no bytes at
/// all.
public enum ValueCodec {
  /// Tags are part of the format.
  enum Tag: UInt8 {
    case int = 1
    case bool = 2
    case float = 3
    case double = 4
    case string = 5
    case data = 6
    case date = 7
    case objectId = 8
    case decimal128 = 9
    case uuid = 10
    case link = 11
    // Lists and maps are links; see `NestedCollection`.
  }

  /// The value in `bytes`; null if they make no sense.
  public static func decode(_ bytes: UnsafeRawBufferPointer) -> StoredValue {
    guard let first = unsafe bytes.first, let tag = Tag(rawValue: first) else { return .null }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[1...])
    switch tag {
    case .string: return unsafe .string(String(decoding: rest, as: UTF8.self))
    case .data: return unsafe .data([UInt8](rest))
    case .bool: return unsafe rest.count >= 1 ? .bool(rest[0] != 0) : .null
    case .float: return unsafe rest.count >= 4 ? .float(rest.loadUnaligned(as: Float.self)) : .null
    case .int, .double, .date: return unsafe rest.count >= 8 ? eightBytes(tag, rest) : .null
    case .objectId, .link: return unsafe rest.count >= 12 ? twelveBytes(tag, rest) : .null
    case .decimal128, .uuid: return unsafe rest.count >= 16 ? sixteenBytes(tag, rest) : .null
    }
  }

  private static func eightBytes(_ tag: Tag, _ rest: UnsafeRawBufferPointer) -> StoredValue {
    switch tag {
    case .int: return unsafe .int(rest.loadUnaligned(as: Int64.self))
    case .double: return unsafe .double(rest.loadUnaligned(as: Double.self))
    default: return unsafe .date(rest.loadUnaligned(as: Double.self))
    }
  }

  private static func twelveBytes(_ tag: Tag, _ rest: UnsafeRawBufferPointer) -> StoredValue {
    if tag == .objectId {
      return unsafe .objectId(
        ObjectIdBytes(
          head: rest.loadUnaligned(as: UInt64.self),
          tail: rest.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    }
    return unsafe .link(
      TableKey(rawValue: rest.loadUnaligned(as: UInt32.self)),
      ObjectKey(rawValue: rest.loadUnaligned(fromByteOffset: 4, as: Int64.self)))
  }

  private static func sixteenBytes(_ tag: Tag, _ rest: UnsafeRawBufferPointer) -> StoredValue {
    let head = unsafe rest.loadUnaligned(as: UInt64.self)
    let tail = unsafe rest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return tag == .uuid
      ? .uuid(UUIDBytes(head: head, tail: tail)) : .decimal128(DecimalBits(low: head, high: tail))
  }

  /// The link in `bytes`, if it is one; cheaper than decoding the rest.
  static func link(_ bytes: UnsafeRawBufferPointer) -> (TableKey, ObjectKey)? {
    guard bytes.count == 13, unsafe bytes[0] == Tag.link.rawValue else { return nil }
    return unsafe (
      TableKey(rawValue: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)),
      ObjectKey(rawValue: bytes.loadUnaligned(fromByteOffset: 5, as: Int64.self))
    )
  }

  /// The bytes of `value`; none for null.
  public static func encode(_ value: StoredValue) -> [UInt8] {
    var bytes: [UInt8] = []
    switch value {
    case .null: break
    case .int(let value): append(.int, value, to: &bytes)
    case .bool(let value): append(.bool, value ? UInt8(1) : UInt8(0), to: &bytes)
    case .float(let value): append(.float, value, to: &bytes)
    case .double(let value): append(.double, value, to: &bytes)
    case .date(let value): append(.date, value, to: &bytes)
    case .string(let value):
      bytes.append(Tag.string.rawValue)
      bytes.append(contentsOf: value.utf8)
    case .data(let value):
      bytes.append(Tag.data.rawValue)
      bytes.append(contentsOf: value)
    case .objectId(let value):
      append(.objectId, value.head, to: &bytes)
      unsafe withUnsafeBytes(of: value.tail) { unsafe bytes.append(contentsOf: $0) }
    case .decimal128(let value):
      append(.decimal128, value.low, to: &bytes)
      unsafe withUnsafeBytes(of: value.high) { unsafe bytes.append(contentsOf: $0) }
    case .uuid(let value):
      append(.uuid, value.head, to: &bytes)
      unsafe withUnsafeBytes(of: value.tail) { unsafe bytes.append(contentsOf: $0) }
    case .link(let table, let key):
      append(.link, table.rawValue, to: &bytes)
      unsafe withUnsafeBytes(of: key.rawValue) { unsafe bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  private static func append<Value: BitwiseCopyable>(
    _ tag: Tag, _ value: Value, to bytes: inout [UInt8]
  ) {
    bytes.append(tag.rawValue)
    unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
  }
}
