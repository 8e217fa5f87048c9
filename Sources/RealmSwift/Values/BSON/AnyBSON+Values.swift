public import Foundation

// The value by its type, nil if it has another one.
extension AnyBSON {
  /// The 32-bit integer; nil if the value is of another type.
  public var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }

  /// The 64-bit integer; nil if the value is of another type.
  public var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }

  /// The floating-point number; nil if the value is of another type.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }

  /// The ``Decimal128``; nil if the value is of another type.
  public var decimal128Value: Decimal128? {
    if case .decimal128(let value) = self { value } else { nil }
  }

  /// The boolean; nil if the value is of another type.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The string; nil if the value is of another type.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The bytes; nil if the value is of another type.
  public var binaryValue: Data? { if case .binary(let value) = self { value } else { nil } }

  /// The point in time; nil if the value is of another type.
  public var dateValue: Date? { if case .datetime(let value) = self { value } else { nil } }

  /// The time stamp; nil if the value is of another type.
  public var timestampValue: Date? { if case .timestamp(let value) = self { value } else { nil } }

  /// The ``ObjectId``; nil if the value is of another type.
  public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }

  /// The UUID; nil if the value is of another type.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

  /// The regular expression; nil if the value is of another type.
  public var regexValue: NSRegularExpression? {
    if case .regex(let value) = self { value } else { nil }
  }

  /// The array; nil if the value is of another type.
  public var arrayValue: [AnyBSON?]? { if case .array(let value) = self { value } else { nil } }

  /// The document; nil if the value is of another type.
  public var documentValue: Document? { if case .document(let value) = self { value } else { nil } }

  /// Whether there is no value.
  public var isNull: Bool { self == .null }

  // MARK: Numbers of any type, where nothing is lost

  /// The number as an integer; nil if it is none, or no number.
  public var asInt: Int? { asInt64.flatMap(Int.init(exactly:)) }

  /// The number as a 32-bit integer; nil if it is none, or no number.
  public var asInt32: Int32? { asInt64.flatMap(Int32.init(exactly:)) }

  /// The number as a 64-bit integer; nil if it is none, or no number.
  public var asInt64: Int64? {
    switch self {
    case .int32(let value): Int64(value)
    case .int64(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number as a floating-point one; nil if it has too many digits, or is no number.
  public var asDouble: Double? {
    switch self {
    case .double(let value): value
    case .int32(let value): Double(value)
    case .int64(let value): Double(exactly: value)
    case .decimal128(let value):
      Decimal128(value.doubleValue) == value ? value.doubleValue : nil
    default: nil
    }
  }

  /// The number as a decimal one; nil if it is no number.
  public var asDecimal128: Decimal128? {
    switch self {
    case .decimal128(let value): value
    case .int32(let value): Decimal128(integerLiteral: Int64(value))
    case .int64(let value): Decimal128(integerLiteral: value)
    case .double(let value): Decimal128(value)
    default: nil
    }
  }
}
