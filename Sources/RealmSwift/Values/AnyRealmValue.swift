public import Foundation

/// A value of any type that a property can have, or none: for properties whose type is known only
/// at run time.
public enum AnyRealmValue: Hashable {
  case none
  case int(Int)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(String)
  case data(Data)
  case date(Date)
  case object(Object)
  case objectId(ObjectId)
  case decimal128(Decimal128)
  case uuid(UUID)

  /// No value.
  public init() { self = .none }
}

// MARK: - The value by its type, nil if it has another one

extension AnyRealmValue {
  public var intValue: Int? {
    guard case .int(let value) = self else { return nil }
    return value
  }

  public var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  public var floatValue: Float? {
    guard case .float(let value) = self else { return nil }
    return value
  }

  public var doubleValue: Double? {
    guard case .double(let value) = self else { return nil }
    return value
  }

  public var stringValue: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  public var dataValue: Data? {
    guard case .data(let value) = self else { return nil }
    return value
  }

  public var dateValue: Date? {
    guard case .date(let value) = self else { return nil }
    return value
  }

  public var objectIdValue: ObjectId? {
    guard case .objectId(let value) = self else { return nil }
    return value
  }

  public var decimal128Value: Decimal128? {
    guard case .decimal128(let value) = self else { return nil }
    return value
  }

  public var uuidValue: UUID? {
    guard case .uuid(let value) = self else { return nil }
    return value
  }

  /// The object, if it is of that class.
  public func object<T: Object>(_ type: T.Type) -> T? {
    guard case .object(let value) = self else { return nil }
    return value as? T
  }
}

extension AnyRealmValue: MinMaxType, AddableType, SortableType, _QueryNumeric {}

extension AnyRealmValue {
  /// The value as what it is, without the enumeration; nil for none.
  var content: Any? {
    switch self {
    case .none: nil
    case .int(let value): value
    case .bool(let value): value
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .object(let value): value
    case .objectId(let value): value
    case .decimal128(let value): value
    case .uuid(let value): value
    }
  }

  /// A value of a type that a property can have; nil if it is of another one.
  init?(content: Any?) {
    guard let value = persistedArgument(content) else {
      self = .none
      return
    }
    switch value {
    case let value as AnyRealmValue: self = value
    case let value as Bool: self = .bool(value)
    case let value as any BinaryInteger:
      guard let converted = Int(exactly: value) else { return nil }
      self = .int(converted)
    case let value as Float: self = .float(value)
    case let value as Double: self = .double(value)
    case let value as String: self = .string(value)
    case let value as Data: self = .data(value)
    case let value as Date: self = .date(value)
    case let value as Object: self = .object(value)
    case let value as ObjectId: self = .objectId(value)
    case let value as Decimal128: self = .decimal128(value)
    case let value as UUID: self = .uuid(value)
    default: return nil
    }
  }
}
