import ObjectStore

/// What a condition says that can be looked up: a property of the object, and the values of which
/// it must have one.
struct EqualityTerm: Hashable {
  var property: String
  var values: [StoredValue]
}

extension QueryPredicate {
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

  /// Whether it depends on other objects than the one that it is about.
  var crossesLinks: Bool {
    switch self {
    case .constant: false
    case .compare(let left, _, let right, options: _), .text(let left, _, let right, options: _):
      left.crossesLinks || right.crossesLinks
    case .search(let value, _), .isIn(let value, _), .between(let value, _, _),
      .isOfKind(let value, _):
      value.crossesLinks
    case .geoWithin: true
    case .all(let part), .not(let part): part.crossesLinks
    case .and(let parts), .or(let parts): parts.contains(where: \.crossesLinks)
    }
  }
}

extension QueryExpression {
  fileprivate var crossesLinks: Bool {
    switch self {
    case .value, .values: false
    case .path(let path), .count(of: let path): path.crossesLinks
    case .aggregate(_, of: let path, property: let property):
      property != nil || path.crossesLinks
    case .subqueryCount: true
    case .outer(_, let value): value.crossesLinks
    case .arithmetic(let left, _, let right): left.crossesLinks || right.crossesLinks
    }
  }
}

extension QueryPath {
  fileprivate var crossesLinks: Bool {
    var properties = 0
    for step in steps {
      switch step {
      case .backlinks: return true
      case .property, .element, .keys: properties += 1
      case .inside: continue
      }
    }
    return properties > 1
  }
}
