import Foundation
import ObjectStore

// Most conditions compare a property of the object with a constant of just the property's type.
// They are lowered without looking at what else they could be: casting a constant to everything
// that it might conform to takes longer than running the query through an index.

/// A property that is neither a collection nor computed, ready to be compared.
struct PlainProperty {
  let expression: QueryExpression
  let type: PropertyType

  /// Whether the constant is of just this type.
  func isType(of value: StoredValue) -> Bool {
    switch (type, value) {
    case (.int, .int), (.bool, .bool), (.double, .double), (.float, .float), (.string, .string),
      (.date, .date):
      true
    default: false
    }
  }
}

extension PredicateClass {
  func plainProperty(_ name: String) -> PlainProperty? { nil }
}

extension StoredValue {
  /// The constant, if it is of exactly one of the types that most properties have.
  init?(plain value: Any?) {
    guard let value, let stored = Self.plain(value) else { return nil }
    self = stored
  }

  /// Generic, since a cast to the type that a value has is quick only where it is not in a box.
  private static func plain<Value>(_ value: Value) -> StoredValue? {
    if Value.self == Int.self { return .int(Int64(value as! Int)) }
    if Value.self == String.self { return .string(value as! String) }
    if Value.self == Double.self { return .double(value as! Double) }
    if Value.self == Bool.self { return .bool(value as! Bool) }
    if Value.self == Date.self { return .date((value as! Date).timeIntervalSinceReferenceDate) }
    if Value.self == Int64.self { return .int(value as! Int64) }
    if Value.self == Float.self { return .float(value as! Float) }
    return nil
  }
}

extension PredicateClass {
  /// The comparison in the engine's terms, if it is such a one.
  func plain(
    _ left: PredicateOperand, _ comparison: PredicateOperator, _ right: PredicateOperand,
    _ options: TextOptions
  ) -> QueryPredicate? {
    guard case .path(let path) = left, path.components.count == 1, path.quantifier == .none,
      path.subscripts.isEmpty,
      case .value(let value) = right,
      let property = plainProperty(path.components[0]),
      let constant = StoredValue(plain: value), property.isType(of: constant)
    else { return nil }
    if let comparison = QueryComparison(comparison) {
      return .compare(property.expression, comparison, .value(constant), options: options)
    }
    guard property.type == .string, let operation = TextOperation(comparison) else { return nil }
    return .text(property.expression, operation, .value(constant), options: options)
  }
}
