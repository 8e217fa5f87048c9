import ObjectStore

// What stands on either side of a comparison.
extension PredicateLowering {
  func constant(
    _ operand: PredicateOperand, for property: PredicateOperand?
  ) throws(InvalidPredicate) -> StoredValue {
    switch operand {
    case .value(let value):
      if let property { try check(operand, against: property) }
      return try stored(value)
    case .object(let className, let key): return try object(className, try constant(key, for: nil))
    default:
      throw InvalidPredicate("A constant was expected in a list or range, not a key path")
    }
  }

  func stored(_ value: Any?) throws(InvalidPredicate) -> StoredValue {
    if let object = persistedArgument(value) as? ObjectBase { return try link(object) }
    guard let stored = StoredValue(constant: value) else {
      throw InvalidPredicate(
        "Cannot use a value of type '\(Swift.type(of: value!))' in a predicate",
        name: "Invalid value")
    }
    return stored
  }

  func expression(_ operand: PredicateOperand) throws(InvalidPredicate) -> QueryExpression {
    switch operand {
    case .value(let value):
      if StoredValue(constant: value) == nil, let elements = elements(ofCollection: value) {
        return try values(elements.map { .value($0) })
      }
      return .value(try stored(value))
    case .list(let operands, let quantifier):
      if quantifier == .none {
        throw InvalidPredicate("A list is only allowed after IN, BETWEEN, ANY and ALL")
      }
      return try values(operands)
    case .path(let path): return try expression(path)
    case .object: return .value(try constant(operand, for: nil))
    case .arithmetic(let left, let operation, let right):
      return .arithmetic(
        try expression(left), ArithmeticOperation(operation), try expression(right))
    case .subqueryCount(let collection, let variable, let condition):
      let resolved = try resolve(collection)
      guard resolved.endsInCollection, let target = resolved.target else {
        throw InvalidPredicate("SUBQUERY needs a collection of objects, not '\(collection.text)'")
      }
      let inner = PredicateLowering(
        scopes: scopes + [Scope(type: target, variable: variable)], link: link, object: object,
        classNamed: classNamed, depth: depth)
      return leveled(
        .subqueryCount(
          QueryPath(resolved.steps), try inner.descended().lower(condition)), resolved)
    }
  }

  private func values(_ operands: [PredicateOperand]) throws(InvalidPredicate) -> QueryExpression {
    var values: [StoredValue] = []
    for operand in operands { values.append(try constant(operand, for: nil)) }
    return .values(values)
  }

  /// The expression as one of the object that the path starts at.
  private func leveled(_ expression: QueryExpression, _ resolved: Resolved) -> QueryExpression {
    resolved.level == 0 ? expression : .outer(resolved.level, expression)
  }

  private func expression(_ path: PredicatePath) throws(InvalidPredicate) -> QueryExpression {
    if let place = operatorPlace(path) { return try aggregate(path, at: place) }
    if path.endsInSize {
      var collection = path
      collection.subscripts[path.components.count - 1]?.removeLast()
      return try count(collection, path)
    }
    let resolved = try resolve(path)
    if !resolved.crossesCollection && path.quantifier != .none {
      throw InvalidPredicate(
        "Aggregate operations can only be used on key paths that include an array property "
          + "('\(path.text)')")
    }
    return leveled(.path(QueryPath(resolved.steps)), resolved)
  }

  // MARK: - Collection operators

  private static let aggregates: [String: AggregateOperation] = [
    "@min": .minimum, "@max": .maximum, "@sum": .sum, "@avg": .average,
  ]

  /// Those that stand for something on the way rather than for what is done with its end.
  private static let steps: Set<String> = [
    "@links", "@keys", "@allKeys", "@values", "@allValues",
  ]

  /// Where the path has an operator such as `@count`.
  func operatorPlace(_ path: PredicatePath) -> Int? {
    path.components.firstIndex { $0.hasPrefix("@") && !Self.steps.contains($0) }
  }

  private func aggregate(
    _ path: PredicatePath, at place: Int
  ) throws(InvalidPredicate) -> QueryExpression {
    let name = path.components[place]
    let isLast = place == path.components.count - 1
    if name == "@count" || name == "@size" {
      if !isLast { throw InvalidPredicate("\(name) must be the end of a path ('\(path.text)')") }
      return try count(path.part(0..<place), path)
    }
    guard let operation = Self.aggregates[name] else {
      throw InvalidPredicate(
        "Unsupported collection operation '\(name)'", name: "Unsupported predicate")
    }
    var whole = path.part(0..<place)
    let rest = path.part((place + 1)..<path.components.count)
    for (index, elements) in rest.subscripts { whole.subscripts[place + index] = elements }
    whole.components += rest.components
    let resolved = try resolve(whole)
    guard resolved.crossesCollection else {
      throw InvalidPredicate("\(name) can only be used on a collection ('\(path.text)')")
    }
    if resolved.endsInCollection {
      return leveled(
        .aggregate(operation, of: QueryPath(resolved.steps), property: nil), resolved)
    }
    guard case .property(let property) = resolved.steps.last else {
      throw InvalidPredicate("\(name) needs a property ('\(path.text)')")
    }
    let collection = QueryPath(Array(resolved.steps.dropLast()))
    return leveled(.aggregate(operation, of: collection, property: property), resolved)
  }

  /// The size of a collection, a string, data or a link.
  private func count(
    _ counted: PredicatePath, _ path: PredicatePath
  ) throws(InvalidPredicate) -> QueryExpression {
    let resolved = try resolve(counted, isCounted: true)
    switch resolved.last?.type {
    case _ where resolved.endsInCollection: break
    case .string, .data, .object, .any: break
    default:
      throw InvalidPredicate("@count can only be used on a collection ('\(path.text)')")
    }
    return leveled(.count(of: QueryPath(resolved.steps)), resolved)
  }
}

extension PredicatePath {
  /// Whether it ends in `[SIZE]`.
  var endsInSize: Bool { subscripts[components.count - 1]?.last == .size }
}
