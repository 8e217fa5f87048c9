public import Foundation
import ObjectStore

/// A value of any type that a property can have, or none: for properties whose type is known only
/// at run time.
///
/// An object becomes `none` when it is deleted from its realm. Lists and dictionaries hold values
/// of this type in turn, down to a hundred levels.
public enum AnyRealmValue: Hashable {
  /// No value.
  case none
  /// An integer.
  case int(Int)
  /// A boolean.
  case bool(Bool)
  /// A `Float`.
  case float(Float)
  /// A `Double`.
  case double(Double)
  /// A string.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A date.
  case date(Date)
  /// A link to an object of any class.
  case object(Object)
  /// An ``ObjectId``.
  case objectId(ObjectId)
  /// A ``Decimal128``.
  case decimal128(Decimal128)
  /// A `UUID`.
  case uuid(UUID)
  /// A dictionary.
  case dictionary(Map<String, AnyRealmValue>)
  /// A list.
  case list(List<AnyRealmValue>)

  /// No value.
  public init() { self = .none }
}

// MARK: - The value by its type, nil if it has another one

extension AnyRealmValue {
  /// The integer; nil if the value is of another type.
  public var intValue: Int? {
    guard case .int(let value) = self else { return nil }
    return value
  }

  /// The boolean; nil if the value is of another type.
  public var boolValue: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The `Float`; nil if the value is of another type.
  public var floatValue: Float? {
    guard case .float(let value) = self else { return nil }
    return value
  }

  /// The `Double`; nil if the value is of another type.
  public var doubleValue: Double? {
    guard case .double(let value) = self else { return nil }
    return value
  }

  /// The string; nil if the value is of another type.
  public var stringValue: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The bytes; nil if the value is of another type.
  public var dataValue: Data? {
    guard case .data(let value) = self else { return nil }
    return value
  }

  /// The date; nil if the value is of another type.
  public var dateValue: Date? {
    guard case .date(let value) = self else { return nil }
    return value
  }

  /// The ``ObjectId``; nil if the value is of another type.
  public var objectIdValue: ObjectId? {
    guard case .objectId(let value) = self else { return nil }
    return value
  }

  /// The ``Decimal128``; nil if the value is of another type.
  public var decimal128Value: Decimal128? {
    guard case .decimal128(let value) = self else { return nil }
    return value
  }

  /// The `UUID`; nil if the value is of another type.
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
    case .dictionary(let value): value
    case .list(let value): value
    }
  }

  /// A value of a type that a property can have; nil if it is of another one.
  init?(content: Any?) { self.init(content: content, depth: 1) }

  /// - Parameter depth: how many levels of arrays and dictionaries it would be the last of.
  init?(content: Any?, depth: Int) {
    if let value = content as? AnyRealmValue {
      self = value
      return
    }
    guard let value = persistedArgument(content, listLevels: 0) else {
      self = .none
      return
    }
    if let object = value as? Object {
      self = .object(object)
      return
    }
    if let list = value as? List<AnyRealmValue> {
      self = .list(list)
    } else if let map = value as? Map<String, AnyRealmValue> {
      self = .dictionary(map)
    } else if let stored = StoredValue(constant: value) {
      self.init(plain: stored)
    } else {
      self.init(collection: value, depth: depth)
    }
  }

  /// The value as descriptions show it, with objects described down to a few levels.
  func _describe(depth: Int) -> String {
    switch self {
    case .object(let object): return object._describe(depth: depth)
    case .list(let list): return describeCollection(list, depth: depth)
    case .dictionary(let map): return map._describe(depth: depth)
    default: break
    }
    return content.map { String(describing: $0) } ?? "(null)"
  }
}
