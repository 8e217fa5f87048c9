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
    guard let value else { return nil }
    let type = type(of: value)
    if type == Int.self {
      self = .int(Int64(value as! Int))
    } else if type == String.self {
      self = .string(value as! String)
    } else if type == Double.self {
      self = .double(value as! Double)
    } else if type == Bool.self {
      self = .bool(value as! Bool)
    } else if type == Date.self {
      self = .date((value as! Date).timeIntervalSinceReferenceDate)
    } else if type == Int64.self {
      self = .int(value as! Int64)
    } else if type == Float.self {
      self = .float(value as! Float)
    } else {
      return nil
    }
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
