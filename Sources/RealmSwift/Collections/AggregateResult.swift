import Foundation
import ObjectStore

/// What an aggregate came to, on its way to the type that was asked for.
struct AggregateResult {
  let operation: AggregateOperation
  let property: String
  let value: StoredValue

  /// The result as a value of the type, nil for null.
  func converted<T>(_ realm: _RealmInstance?) -> T? {
    if value == .null { return nil }
    if T.self == AnyRealmValue.self {
      let any = realm.map { AnyRealmValue._rlmFromStored(value, $0) } ?? AnyRealmValue(plain: value)
      return any as? T
    }
    guard let content = AnyRealmValue(plain: value)?.content else { return nil }
    if let converted: T = cast(content) { return converted }
    if operation == .average, case .double(let real) = value,
      let converted: T = cast(real.rounded(.towardZero))
    {
      return converted
    }
    throwRealmException("The \(operation) of '\(property)' is no \(T.self): \(content).")
  }

  private func cast<T>(_ content: Any) -> T? {
    if let type = T.self as? any _StoredConvertible.Type {
      return type._rlmFromAny(content, nil) as? T
    }
    switch content {
    case let value as Int: return NSNumber(value: value) as? T
    case let value as Float: return NSNumber(value: value) as? T
    case let value as Double: return NSNumber(value: value) as? T
    case let value as Decimal128: return NSDecimalNumber(decimal: value.decimalValue) as? T
    case let value as Date: return value as NSDate as? T
    default: return nil
    }
  }

  static func sum<T>(_ sum: T?, of property: String) -> T {
    guard let sum else { throwRealmException("Cannot calculate the sum of '\(property)'.") }
    return sum
  }
}

/// The elements of a collection without a realm, for the aggregates that those with one have too.
struct UnmanagedValues<Element: RealmCollectionValue> {
  private let elements: [Element]

  init(_ elements: [Element]) { self.elements = elements }

  func aggregate<T>(_ operation: AggregateOperation, _ property: String) -> T? {
    if property == "self", let own = extremeWithoutOrder(operation) { return own as? T }
    let values = elements.map { stored($0, property) }
    let result = operation.applied(to: values, kind(of: property))
    return AggregateResult(operation: operation, property: property, value: result).converted(nil)
  }

  /// The smallest or largest value if that is an object or collection: those come after all that
  /// has an order.
  private func extremeWithoutOrder(_ operation: AggregateOperation) -> AnyRealmValue? {
    guard operation == .minimum || operation == .maximum, let values = elements as? [AnyRealmValue]
    else { return nil }
    let unordered = values.filter { $0.reference != nil }
    let isExtreme =
      operation == .maximum
      || values.allSatisfy { $0 == .none || $0.reference != nil }
    return isExtreme ? unordered.first : nil
  }

  private func stored(_ element: Element, _ property: String) -> StoredValue {
    var content: Any? = element
    for name in property == "self" ? [] : property.split(separator: ".") {
      content = content.flatMap { unwrapped($0) }.flatMap(storedObject)?
        ._value(ofProperty: String(name))
    }
    guard let content = content.flatMap({ unwrapped($0) }) else { return .null }
    if case let any as AnyRealmValue = content { return StoredValue(any) }
    let value = (content as? any _ObjcBridgeable)?._rlmObjcValue ?? content
    return AnyRealmValue(content: value).map { StoredValue($0) } ?? .null
  }

  private func kind(of property: String) -> ValueKind {
    var description = Element._rlmDescription
    for name in property == "self" ? [] : property.split(separator: ".") {
      guard let target = description.target else { break }
      guard let found = ClassInfo.of(target).property(named: String(name)) else {
        throwRealmException(
          "Invalid property name '\(name)' for class '\(target.className())'.",
          name: "Invalid property name")
      }
      description = found.description
    }
    guard let kind = ValueKind(description.type), kind != .object else {
      throwRealmException("Cannot aggregate '\(property)': it is no value.")
    }
    return kind
  }
}

extension StoredValue {
  /// The value without a realm: objects and collections, which take no part in aggregates, are
  /// null.
  fileprivate init(_ any: AnyRealmValue) {
    self = any.content.flatMap { StoredValue(constant: $0) } ?? .null
  }
}
