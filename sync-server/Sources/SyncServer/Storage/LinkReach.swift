import ObjectStore

/// Which other objects decide whether a condition holds for an object.
struct LinkReach: Hashable {
  /// How many links away they are at most.
  var distance = 0
  /// Whether some of them are found against the direction of links.
  var looksBack = false

  /// Whether there are any.
  var isBeyondObject: Bool { distance > 0 || looksBack }

  static func + (left: LinkReach, right: LinkReach) -> LinkReach {
    LinkReach(
      distance: max(left.distance, right.distance), looksBack: left.looksBack || right.looksBack)
  }

  fileprivate static func all(_ parts: some Sequence<LinkReach>) -> LinkReach {
    parts.reduce(LinkReach(), +)
  }
}

extension QueryPredicate {
  /// Which other objects decide.
  var reach: LinkReach {
    switch self {
    case .constant: LinkReach()
    case .compare(let left, _, let right, options: _), .text(let left, _, let right, options: _):
      left.reach + right.reach
    case .search(let value, _), .isIn(let value, _), .between(let value, _, _),
      .isOfKind(let value, _):
      value.reach
    // The place is a property of an object that is linked to.
    case .geoWithin(let path, _): path.reach + LinkReach(distance: path.steps.count)
    case .all(let part), .not(let part): part.reach
    case .and(let parts), .or(let parts): .all(parts.map(\.reach))
    }
  }
}

extension QueryPredicate {
  /// Whether texts are compared with a pattern, which may look at each of their bytes many times.
  var hasPattern: Bool {
    switch self {
    case .text(_, let operation, _, options: _): operation == .like
    case .all(let part), .not(let part): part.hasPattern
    case .and(let parts), .or(let parts): parts.contains(where: \.hasPattern)
    case .constant, .compare, .search, .isIn, .between, .isOfKind, .geoWithin: false
    }
  }
}

extension QueryExpression {
  fileprivate var reach: LinkReach {
    switch self {
    case .value, .values: LinkReach()
    case .path(let path), .count(of: let path): path.reach
    case .aggregate(_, of: let path, property: let property):
      property == nil ? path.reach : path.reach + LinkReach(distance: path.steps.count)
    case .subqueryCount(let path, let predicate):
      LinkReach(
        distance: path.steps.count + predicate.reach.distance,
        looksBack: path.reach.looksBack || predicate.reach.looksBack)
    case .outer(_, let value): value.reach
    case .arithmetic(let left, _, let right): left.reach + right.reach
    }
  }
}

extension QueryPath {
  fileprivate var reach: LinkReach {
    var reach = LinkReach()
    var properties = 0
    for step in steps {
      switch step {
      case .backlinks, .links: reach.looksBack = true
      case .property, .element, .keys: properties += 1
      case .inside: continue
      }
    }
    reach.distance = max(0, properties - 1)
    return reach
  }
}
