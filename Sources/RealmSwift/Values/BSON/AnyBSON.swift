public import Foundation

/// A BSON value of any type.
@frozen
public enum AnyBSON: BSON, Hashable {
  /// A 64-bit floating-point number.
  case double(Double)
  /// A string.
  case string(String)
  /// A document: values by keys.
  indirect case document(Document)
  /// An array.
  indirect case array([AnyBSON?])
  /// Bytes.
  case binary(Data)
  /// An ``ObjectId``.
  case objectId(ObjectId)
  /// A boolean.
  case bool(Bool)
  /// A point in time.
  case datetime(Date)
  /// A regular expression.
  case regex(NSRegularExpression)
  /// A 32-bit integer.
  case int32(Int32)
  /// A point in time as MongoDB uses it internally.
  case timestamp(Date)
  /// A 64-bit integer.
  case int64(Int64)
  /// A ``Decimal128``.
  case decimal128(Decimal128)
  /// A UUID.
  case uuid(UUID)
  /// Below all other values.
  case minKey
  /// Above all other values.
  case maxKey
  /// No value.
  case null

  /// No value.
  public init() { self = .null }

  /// An integer: of as many bits as `Int` has.
  public init(_ int: Int) { self = .int64(Int64(int)) }

  /// A value of a type that BSON has.
  public init<T: BSON>(_ bson: T) {
    switch bson {
    case let value as AnyBSON: self = value
    case let value as Int: self.init(value)
    case let value as Int32: self = .int32(value)
    case let value as Int64: self = .int64(value)
    case let value as Bool: self = .bool(value)
    case let value as Double: self = .double(value)
    case let value as String: self = .string(value)
    case let value as Data: self = .binary(value)
    case let value as Date: self = .datetime(value)
    case let value as Decimal128: self = .decimal128(value)
    case let value as ObjectId: self = .objectId(value)
    case let value as UUID: self = .uuid(value)
    case let value as Document: self = .document(value)
    case let value as [AnyBSON?]: self = .array(value)
    case let value as NSRegularExpression: self = .regex(value)
    case is MinKey: self = .minKey
    case is MaxKey: self = .maxKey
    default: self = .null
    }
  }

  /// The value, if it is of that type; integers of either width as `Int` too.
  public func value<T: BSON>() -> T? {
    if T.self == AnyBSON.self { return self as? T }
    if T.self == Int.self, case .int64(let value) = self { return Int(value) as? T }
    return payload as? T
  }

  private var payload: any BSON {
    switch self {
    case .double(let value): value
    case .string(let value): value
    case .document(let value): value
    case .array(let value): value
    case .binary(let value): value
    case .objectId(let value): value
    case .bool(let value): value
    case .datetime(let value), .timestamp(let value): value
    case .regex(let value): value
    case .int32(let value): value
    case .int64(let value): value
    case .decimal128(let value): value
    case .uuid(let value): value
    case .minKey: MinKey()
    case .maxKey: MaxKey()
    case .null: NSNull()
    }
  }
}

// MARK: - Literals

extension AnyBSON: ExpressibleByStringLiteral {
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension AnyBSON: ExpressibleByBooleanLiteral {
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension AnyBSON: ExpressibleByFloatLiteral {
  /// A floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension AnyBSON: ExpressibleByIntegerLiteral {
  /// A 64-bit integer.
  public init(integerLiteral value: Int) { self.init(value) }
}

extension AnyBSON: ExpressibleByDictionaryLiteral {
  /// A document; of equal keys the last one counts.
  public init(dictionaryLiteral elements: (String, AnyBSON?)...) {
    self = .document(Document(elements) { _, last in last })
  }
}

extension AnyBSON: ExpressibleByArrayLiteral {
  /// An array.
  public init(arrayLiteral elements: AnyBSON?...) { self = .array(elements) }
}
