import ObjectStore

/// What a condition says that can be looked up: a property of the object, and the values of which
/// it must have one.
struct EqualityTerm: Hashable {
  var property: String
  var values: [StoredValue]
}

extension EqualityTerm {
  /// Whether equal values of the property are values of one kind, so that they can be looked up.
  func isSimple(in type: ClassDescription) -> Bool {
    guard let property = type.property(named: property), !property.isCollection else {
      return false
    }
    return values.allSatisfy { value in
      switch (property.kind, value) {
      case (.int, .int), (.bool, .bool), (.string, .string), (.objectId, .objectId),
        (.uuid, .uuid):
        true
      default: false
      }
    }
  }
}

extension QueryPredicate {
  /// Whether it is a comparison, and no condition besides.
  var isTermAlone: Bool {
    switch self {
    case .compare, .isIn: true
    default: false
    }
  }

  /// A term that everything which the condition holds for meets, if it has one.
  var equalityTerm: EqualityTerm? {
    switch self {
    case .compare(.path(let path), .equal, .value(let value), options: []),
      .compare(.value(let value), .equal, .path(let path), options: []):
      Self.term(path, [value])
    case .isIn(.path(let path), let values): Self.term(path, values)
    case .and(let parts): parts.lazy.compactMap(\.equalityTerm).first
    default: nil
    }
  }

  private static func term(_ path: QueryPath, _ values: [StoredValue]) -> EqualityTerm? {
    guard path.steps.count == 1, case .property(let name) = path.steps[0] else { return nil }
    // Numbers of different kinds are equal, but would be looked for under different values.
    let isPlain = values.allSatisfy {
      switch $0 {
      case .string, .bool, .objectId, .uuid, .int: true
      default: false
      }
    }
    return isPlain ? EqualityTerm(property: name, values: values) : nil
  }
}
