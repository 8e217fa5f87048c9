import ObjectStore

// Names of properties, one after the other.
extension PredicateLowering {
  /// Where a path leads.
  struct Resolved {
    var steps: [QueryPath.Step] = []
    var crossesCollection = false
    /// The same without the last property.
    var crossedBefore = false
    var endsInCollection = false
    /// Whether what follows in brackets is about any element of the collection that it ends in.
    var entersElements = false
    var isMap = false
    var target: (any PredicateClass)?
    /// The last property, and the name of its class; nil for the object itself.
    var last: (owner: String, name: String, type: PropertyType)?
    /// How many subqueries further out it starts.
    var level = 0
  }

  /// - Parameter isCounted: whether the path may end in `@links`, the objects of all classes that
  ///   link there, which can only be counted.
  func resolve(
    _ path: PredicatePath, isCounted: Bool = false
  ) throws(InvalidPredicate) -> Resolved {
    let start = try start(of: path)
    var resolved = Resolved(
      target: scopes[scopes.count - 1 - start.level].type, level: start.level)
    var index = start.index
    // Of the object, or the element of a collection of values, itself.
    try append(path.subscripts[index - 1] ?? [], to: &resolved, path)
    while index < path.components.count {
      switch path.components[index] {
      case "@links" where isCounted && index == path.components.count - 1:
        try appendAllLinks(to: &resolved, path)
      case "@links": index = try appendLinks(to: &resolved, path, at: index)
      case "@values", "@allValues":
        try checkMap(resolved, path)
        resolved.entersElements = true
      case "@keys", "@allKeys": try appendKeys(to: &resolved, path)
      case let name: try append(name, to: &resolved, path)
      }
      try append(path.subscripts[index] ?? [], to: &resolved, path)
      index += 1
    }
    return resolved
  }

  /// How many subqueries further out the path starts, and the first of its components that is no
  /// variable.
  private func start(
    of path: PredicatePath
  ) throws(InvalidPredicate) -> (level: Int, index: Int) {
    let first = path.components.first ?? ""
    for (level, scope) in scopes.reversed().enumerated() where scope.variable == first {
      return (level, 1)
    }
    if first.hasPrefix("$") {
      throw InvalidPredicate("'\(path.text)' starts with a variable that no SUBQUERY has")
    }
    return (scopes.count - 1, first.lowercased() == "self" ? 1 : 0)
  }

  private func append(
    _ name: String, to resolved: inout Resolved, _ path: PredicatePath
  ) throws(InvalidPredicate) {
    guard let owner = resolved.target else {
      // A name after a value of any kind is a key of the dictionary that it may be.
      if resolved.last?.type == .any {
        resolved.entersElements = true
        return try append(.key(name), to: &resolved, path)
      }
      throw InvalidPredicate(
        "'\(path.text)' cannot be followed to '\(name)': there is no object before it",
        name: "Invalid property name")
    }
    guard let property = owner.predicateProperty(name) else {
      throw InvalidPredicate(
        "Property '\(name)' not found in object of type '\(owner.predicateName)'",
        name: "Invalid property name")
    }
    resolved.steps.append(property.step)
    resolved.crossedBefore = resolved.crossesCollection
    resolved.crossesCollection = resolved.crossesCollection || property.isCollection
    resolved.endsInCollection = property.isCollection
    resolved.entersElements = false
    resolved.isMap = property.isMap
    resolved.target = property.target
    resolved.last = (owner.predicateName, name, property.type)
  }

  private func append(
    _ elements: [PredicatePath.Subscript], to resolved: inout Resolved, _ path: PredicatePath
  ) throws(InvalidPredicate) {
    for element in elements {
      let which: QueryPath.Element?
      switch element {
      case .any: which = nil
      case .key(let key): which = .key(key)
      case .index(let index): which = .index(index)
      case .first: which = .first
      case .last: which = .last
      case .size: throw InvalidPredicate("[SIZE] must be the end of a path ('\(path.text)')")
      }
      try append(which, to: &resolved, path)
    }
  }

  /// - Parameter element: Nil for any.
  private func append(
    _ element: QueryPath.Element?, to resolved: inout Resolved, _ path: PredicatePath
  ) throws(InvalidPredicate) {
    if resolved.endsInCollection, !resolved.entersElements,
      case .property(let name) = resolved.steps.last
    {
      guard let element else { return resolved.entersElements = true }
      resolved.steps[resolved.steps.count - 1] = .element(property: name, element)
      resolved.endsInCollection = false
      resolved.crossesCollection = resolved.crossedBefore
      return
    }
    // The elements of a collection of values have no property; the engine knows what they are.
    let isInAny = resolved.last.map { $0.type == .any } ?? (resolved.target == nil)
    guard isInAny else {
      throw InvalidPredicate(
        "Subscripts are only supported for lists and maps, and values of any kind ('\(path.text)')",
        name: "Unsupported predicate")
    }
    resolved.steps.append(.inside(element))
    resolved.endsInCollection = false
    resolved.crossesCollection = resolved.crossesCollection || element == nil
  }

  private func checkMap(_ resolved: Resolved, _ path: PredicatePath) throws(InvalidPredicate) {
    guard resolved.isMap else {
      throw InvalidPredicate("'\(path.text)' asks for the keys or values of what is no map")
    }
  }

  private func appendKeys(
    to resolved: inout Resolved, _ path: PredicatePath
  ) throws(InvalidPredicate) {
    try checkMap(resolved, path)
    guard case .property(let name) = resolved.steps.last, let last = resolved.last else { return }
    resolved.steps[resolved.steps.count - 1] = .keys(property: name)
    resolved.target = nil
    resolved.last = (last.owner, last.name, .string)
  }

  /// `@links` before `@count`: the objects of all classes which link here.
  private func appendAllLinks(
    to resolved: inout Resolved, _ path: PredicatePath
  ) throws(InvalidPredicate) {
    guard resolved.target != nil, resolved.last?.type != .any else {
      throw InvalidPredicate("'\(path.text)' asks for the links to what is no object")
    }
    resolved.steps.append(.links)
    resolved.crossesCollection = true
    resolved.endsInCollection = true
    resolved.isMap = false
    resolved.target = nil
    resolved.last = nil
  }

  /// `@links.Class.property`: the objects of that class which link here.
  private func appendLinks(
    to resolved: inout Resolved, _ path: PredicatePath, at index: Int
  ) throws(InvalidPredicate) -> Int {
    guard index + 2 < path.components.count else {
      throw InvalidPredicate("@links must be followed by a class and a property ('\(path.text)')")
    }
    let (className, name) = (path.components[index + 1], path.components[index + 2])
    guard let origin = classNamed(className), let property = origin.predicateProperty(name),
      case .property(let column) = property.step
    else {
      throw InvalidPredicate(
        "Property '\(name)' not found in object of type '\(className)'",
        name: "Invalid property name")
    }
    resolved.steps.append(.backlinks(className: origin.predicateName, property: column))
    resolved.crossesCollection = true
    resolved.endsInCollection = true
    resolved.isMap = false
    resolved.target = origin
    resolved.last = (className, name, .linkingObjects)
    return index + 2
  }
}
