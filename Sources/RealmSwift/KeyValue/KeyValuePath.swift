import Foundation
import ObjectStore

/// A dotted path of property names and collection operators, as key-value coding has them on
/// Apple's systems.
struct KeyValuePath {
  let text: String

  init(_ text: String) { self.text = text }

  private var parts: [String] {
    text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// What the path leads to from an object or a collection; nil for nothing.
  func value(from start: Any) -> Any? { value(from: start, parts[...]) }

  /// The object that owns the path's last property, and that property's name.
  func owner(from start: ObjectBase) -> (object: ObjectBase, key: String)? {
    let parts = parts
    guard let found = value(from: start, parts.dropLast()) else { return nil }
    guard let object = found as? ObjectBase else {
      throwRealmException("Cannot set '\(text)': what it leads to is no property of an object.")
    }
    return (object, parts.last ?? "")
  }

  /// - Parameter keepsAny: whether the last property's value stays an `AnyRealmValue` if it is one.
  private func value(
    from current: Any, _ parts: ArraySlice<String>, keepsAny: Bool = false
  ) -> Any? {
    guard let part = parts.first else { return current }
    let rest = parts.dropFirst()
    if part == "self" { return value(from: current, rest, keepsAny: keepsAny) }
    if let map = current as? any KeyValueMap {
      if part.hasPrefix("@") { return collectionValue(part, map.presentValues, rest) }
      return map.value(ofKey: part).flatMap { value(from: $0, rest, keepsAny: keepsAny) }
    }
    if let elements = Self.elements(of: current) {
      guard part.hasPrefix("@") else {
        return elements.map { value(from: $0, parts) ?? NSNull() }
      }
      return collectionValue(part, elements, rest)
    }
    if let object = current as? ObjectBase {
      if keepsAny, rest.isEmpty {
        let value = object._value(of: object._property(part))
        if value is AnyRealmValue { return value }
      }
      return object._value(ofProperty: part).flatMap { value(from: $0, rest, keepsAny: keepsAny) }
    }
    throwRealmException("Cannot follow key path '\(text)': '\(part)' is beyond a value.")
  }

  private static func elements(of value: Any) -> [Any]? {
    if let collection = value as? any RealmCollectionBase { return collection.map { $0 } }
    if let set = value as? [Any] { return set }
    return nil
  }

  private func collectionValue(
    _ name: String, _ elements: [Any], _ rest: ArraySlice<String>
  ) -> Any? {
    guard let operation = KeyValueOperation(rawValue: String(name.dropFirst())) else {
      throwRealmException("Unsupported KVC collection operator found in key path '\(text)'")
    }
    if operation == .count {
      if rest.isEmpty { return elements.count }
      throwRealmException("Cannot follow key path '\(text)': nothing can follow '@count'.")
    }
    if rest.isEmpty {
      throwRealmException(
        "Cannot follow key path '\(text)': '\(name)' needs a property to work on.")
    }
    let values = elements.compactMap { element in
      value(from: element, rest, keepsAny: operation.isAggregate).flatMap(unwrapped)
    }
    return operation.result(values)
  }
}

/// What a key path can ask of a whole collection.
private enum KeyValueOperation: String {
  case count
  case min
  case max
  case sum
  case avg
  case unionOfObjects
  case distinctUnionOfObjects
  case unionOfArrays
  case distinctUnionOfArrays
  case distinctUnionOfSets

  /// Whether it makes one value of all.
  var isAggregate: Bool {
    switch self {
    case .min, .max, .sum, .avg: true
    default: false
    }
  }

  func result(_ values: [Any]) -> Any? {
    switch self {
    case .count: values.count
    case .min: KeyValueNumber.present(values).min { KeyValueNumber.isLess($0, $1) }
    case .max: KeyValueNumber.present(values).max { KeyValueNumber.isLess($0, $1) }
    case .sum: KeyValueNumber.sum(KeyValueNumber.addable(values))
    case .avg: KeyValueNumber.average(KeyValueNumber.addable(values))
    case .unionOfObjects: values
    case .distinctUnionOfObjects: Self.distinct(values)
    case .unionOfArrays: Self.flattened(values)
    case .distinctUnionOfArrays, .distinctUnionOfSets: Self.distinct(Self.flattened(values))
    }
  }

  private static func flattened(_ values: [Any]) -> [Any] {
    values.flatMap { value -> [Any] in
      if let collection = value as? any RealmCollectionBase { return collection.map { $0 } }
      return value as? [Any] ?? [value]
    }
  }

  private static func distinct(_ values: [Any]) -> [Any] {
    var seen = Set<AnyHashable>()
    return values.filter { value in
      guard let hashable = value as? any Hashable else { return true }
      return seen.insert(AnyHashable(hashable)).inserted
    }
  }
}

/// Numbers, dates and strings of any type, compared and added up.
private enum KeyValueNumber {
  /// The values without what stands for none.
  static func present(_ values: [Any]) -> [Any] {
    values.compactMap { value in
      guard let any = value as? AnyRealmValue else { return value }
      return any.content
    }
  }

  /// The values that can be added up: of those of any kind, only numbers take part.
  static func addable(_ values: [Any]) -> [Any] {
    values.compactMap { value in
      switch value as? AnyRealmValue {
      case .int(let value): value
      case .float(let value): value
      case .double(let value): value
      case .decimal128(let value): value
      case nil: value
      default: nil
      }
    }
  }

  /// In the order in which values of any kind are sorted. Objects and collections come last.
  static func isLess(_ left: Any, _ right: Any) -> Bool {
    guard let left = StoredValue(constant: left) else { return false }
    guard let right = StoredValue(constant: right) else { return true }
    return SetOrder.compare(left, right) == .less
  }

  static func sum(_ values: [Any]) -> Any {
    let integers = values.compactMap { integer($0, as: Int.self) }
    if integers.count == values.count { return integers.reduce(0, &+) }
    let doubles = values.compactMap { $0 is Decimal128 ? nil : floatingPoint($0, as: Double.self) }
    if doubles.count == values.count { return doubles.reduce(0, +) }
    return values.map(decimal).reduce(0, +)
  }

  static func average(_ values: [Any]) -> Any? {
    if values.isEmpty { return nil }
    switch sum(values) {
    case let sum as Int: return Double(sum) / Double(values.count)
    case let sum as Double: return sum / Double(values.count)
    case let sum: return decimal(sum) / Decimal128(integerLiteral: Int64(values.count))
    }
  }

  private static func decimal(_ value: Any) -> Decimal128 {
    if let value = value as? Decimal128 { return value }
    if let value = integer(value, as: Int64.self) { return Decimal128(integerLiteral: value) }
    if let value = floatingPoint(value, as: Double.self) { return Decimal128(value) }
    throwRealmException("'\(value)' is no number.")
  }
}
