import ObjectStore

// Whether a constant can be compared with a property. The engine checks too; here the words are
// those that users of Apple's SDK know and search for.
extension PredicateLowering {
  /// Throws if the constant, if it is one, is not of the kind of the property, if it is one.
  func check(
    _ constant: PredicateOperand, against property: PredicateOperand
  ) throws(InvalidPredicate) {
    guard case .value(let value) = constant, let last = try lastProperty(of: property) else {
      return
    }
    if StoredValue(constant: value) == nil, elements(ofCollection: value) != nil { return }
    if !last.type.accepts(try stored(value)) {
      throw InvalidPredicate(
        "Expected object of type \(last.type) for property '\(last.name)' on object of type "
          + "'\(last.owner)', but received: \(persistedArgument(value) ?? "nil")",
        name: "Invalid value")
    }
  }

  /// Throws if the operand is a property that is neither a string nor data.
  func checkText(
    _ property: PredicateOperand, _ comparison: PredicateOperator
  ) throws(InvalidPredicate) {
    guard let last = try lastProperty(of: property) else { return }
    switch last.type {
    case .string, .data, .any: return
    default:
      throw InvalidPredicate(
        "Operator '\(comparison.rawValue)' not supported for type '\(last.type)'",
        name: "Invalid operator type")
    }
  }

  private func lastProperty(
    of operand: PredicateOperand
  ) throws(InvalidPredicate) -> (owner: String, name: String, type: PropertyType)? {
    guard case .path(let path) = operand, operatorPlace(path) == nil, !path.endsInSize else {
      return nil
    }
    return try resolve(path).last
  }
}

extension PropertyType {
  /// Whether values of this type can be compared with the constant.
  fileprivate func accepts(_ value: StoredValue) -> Bool {
    switch (self, value) {
    case (_, .null), (.any, _): true
    case (.bool, .bool), (.bool, .int(0)), (.bool, .int(1)): true
    case (.int, .int), (.int, .float), (.int, .double), (.int, .decimal128), (.int, .bool): true
    case (.float, .int), (.float, .float), (.float, .double), (.float, .decimal128): true
    case (.double, .int), (.double, .float), (.double, .double), (.double, .decimal128): true
    case (.decimal128, .int), (.decimal128, .float), (.decimal128, .double): true
    case (.decimal128, .decimal128): true
    case (.string, .string), (.data, .data), (.date, .date): true
    case (.objectId, .objectId), (.UUID, .uuid): true
    case (.object, .link), (.linkingObjects, .link): true
    default: false
    }
  }
}
