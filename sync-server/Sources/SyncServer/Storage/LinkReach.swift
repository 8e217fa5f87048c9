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

/// Which properties, in whatever class, may lead to other objects. A link to an object that is not
/// there is as good as none, so that this object decides whether there is a link at all.
struct LinkNames {
  private var all: Set<String> = []
  /// Those that hold several.
  private var collections: Set<String> = []

  init(_ schema: SchemaDescription) {
    for type in schema.classes {
      for property in type.properties {
        let isEmbedded = property.linkTarget.flatMap { schema.description(of: $0) }?.isEmbedded
        guard property.kind == .any || (property.kind == .object && isEmbedded != true) else {
          continue
        }
        all.insert(property.name)
        if property.isCollection { collections.insert(property.name) }
      }
    }
  }

  fileprivate func has(_ name: String) -> Bool { all.contains(name) }

  fileprivate func hasOne(_ name: String) -> Bool {
    all.contains(name) && !collections.contains(name)
  }
}

extension QueryPredicate {
  /// Which other objects decide.
  func reach(_ links: LinkNames) -> LinkReach {
    switch self {
    case .constant: LinkReach()
    case .compare(let left, _, let right, options: _), .text(let left, _, let right, options: _):
      left.reach(links, beside: right) + right.reach(links, beside: left)
    case .isIn(let value, let others):
      value.reach(links, beside: .values(others))
    case .between(let value, let least, let most):
      value.reach(links, beside: .values([least, most]))
    case .search(let value, _), .isOfKind(let value, _): value.reach(links)
    // The place is a property of an object that is linked to.
    case .geoWithin(let path, _): path.reach(links) + LinkReach(distance: path.steps.count)
    case .all(let part), .not(let part): part.reach(links)
    case .and(let parts), .or(let parts): .all(parts.map { $0.reach(links) })
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
  /// - Parameter other: what this is compared with.
  fileprivate func reach(_ links: LinkNames, beside other: QueryExpression) -> LinkReach {
    guard case .path(let path) = self, other.isPlain else { return reach(links) }
    return path.reach(links, besidePlain: true)
  }

  fileprivate func reach(_ links: LinkNames) -> LinkReach {
    switch self {
    case .value, .values: LinkReach()
    case .path(let path), .count(of: let path): path.reach(links)
    case .aggregate(_, of: let path, property: let property):
      property == nil
        ? path.reach(links) : path.reach(links) + LinkReach(distance: path.steps.count)
    case .subqueryCount(let path, let predicate):
      path.reach(links) + predicate.reach(links, at: path)
    case .outer(_, let value): value.reach(links)
    case .arithmetic(let left, _, let right): left.reach(links) + right.reach(links)
    }
  }

  /// Whether it is values that are neither null nor links.
  private var isPlain: Bool {
    switch self {
    case .value(let value): value.isPlain
    case .values(let values): values.allSatisfy(\.isPlain)
    default: false
    }
  }
}

extension StoredValue {
  fileprivate var isPlain: Bool {
    switch self {
    case .null, .link: false
    default: true
    }
  }
}

extension QueryPredicate {
  /// Which objects decide, of a condition on those at the end of a path.
  fileprivate func reach(_ links: LinkNames, at path: QueryPath) -> LinkReach {
    let reach = reach(links)
    return LinkReach(distance: path.steps.count + reach.distance, looksBack: reach.looksBack)
  }
}

extension QueryPath {
  /// - Parameter isBesidePlain: whether it is compared with a value that is neither null nor a
  ///   link, so that one link is as good as none.
  fileprivate func reach(_ links: LinkNames, besidePlain isBesidePlain: Bool = false) -> LinkReach {
    var reach = LinkReach()
    var names: [String] = []
    for step in steps {
      switch step {
      case .backlinks, .links: reach.looksBack = true
      case .property(let name), .element(property: let name, _), .keys(property: let name):
        names.append(name)
      case .inside: continue
      }
    }
    reach.distance = max(0, names.count - 1)
    if let last = names.last, links.has(last), !(isBesidePlain && links.hasOne(last)) {
      reach.distance += 1
    }
    return reach
  }
}
