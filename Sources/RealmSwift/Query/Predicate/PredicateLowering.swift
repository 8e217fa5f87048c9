import ObjectStore

/// What a predicate must know about a class: its properties by their Swift names.
protocol PredicateClass {
  var predicateName: String { get }
  func predicateProperty(_ name: String) -> PredicateProperty?
  /// The property with that name, if it is neither a collection nor computed; nil also where that
  /// is not known beforehand.
  func plainProperty(_ name: String) -> PlainProperty?
}

/// A property as predicates see it.
struct PredicateProperty {
  /// The way to it in the file.
  var step: QueryPath.Step
  /// The kind of the value, or of the collection's elements.
  var type: PropertyType
  /// Whether it is a list, or linking objects.
  var isCollection: Bool
  /// The class that it leads to.
  var target: (any PredicateClass)?
}

/// Turns a condition into the engine's terms: Swift names into those of the file, arguments into
/// stored values. The engine checks the types.
struct PredicateLowering {
  /// The class of the objects; nil for a collection of scalars, whose only path is `self`.
  let type: (any PredicateClass)?
  /// What paths start with inside a subquery.
  let variable: String?
  /// The link to an object that was given as an argument.
  private let link: (ObjectBase) throws(InvalidPredicate) -> StoredValue

  /// - Parameter link: The link to an object that was given as an argument; throws if the object
  ///   is not one of the realm's.
  static func lower(
    _ condition: PredicateNode, for type: (any PredicateClass)?,
    link: @escaping (ObjectBase) throws(InvalidPredicate) -> StoredValue
  ) throws(InvalidPredicate) -> QueryPredicate {
    try PredicateLowering(type: type, variable: nil, link: link).lower(condition)
  }

  private func lower(_ node: PredicateNode) throws(InvalidPredicate) -> QueryPredicate {
    switch node {
    case .constant(let value): .constant(value)
    case .truth(let path, let value):
      .compare(try expression(.path(path)), .equal, .value(.bool(value)))
    case .comparison(let left, let comparison, let right, let options):
      try lower(left, comparison, right, TextOptions(options))
    case .between(let value, let lower, let upper):
      .between(
        try expression(value), try constant(lower, for: value), try constant(upper, for: value))
    case .and: .and(try parts(of: node))
    case .or: .or(try parts(of: node))
    case .not(let child): .not(try lower(child))
    }
  }

  /// The operands of a chain of the same connective, in order.
  private func parts(of node: PredicateNode) throws(InvalidPredicate) -> [QueryPredicate] {
    // Chains lean to the left; walking down that side needs no stack.
    var reversed: [QueryPredicate] = []
    var rest = node
    while true {
      switch (node, rest) {
      case (.and, .and(let left, let right)), (.or, .or(let left, let right)):
        reversed.append(try lower(right))
        rest = left
      default:
        reversed.append(try lower(rest))
        return reversed.reversed()
      }
    }
  }

  private func lower(
    _ left: PredicateOperand, _ comparison: PredicateOperator, _ right: PredicateOperand,
    _ options: TextOptions
  ) throws(InvalidPredicate) -> QueryPredicate {
    if variable == nil, let plain = plain(left, comparison, right, options) { return plain }
    switch comparison {
    case .isIn: return try isIn(left, right, options)
    case .matches:
      throw InvalidPredicate(
        "Operator 'MATCHES' not supported for type 'string'", name: "Invalid operator type")
    case .contains where try looksInside(left, for: right): break
    case .contains where try isCollection(left):
      return .compare(
        try expression(left, wholeCollection: true), .equal, try expression(right), options: options
      )
    default: break
    }
    let isInElements = comparison == .contains
    let first = try expression(left, wholeCollection: isInElements)
    let second = try expression(right)
    try check(right, against: left)
    try check(left, against: right)
    if let operation = TextOperation(comparison) {
      try checkText(left, comparison)
      return .text(first, operation, second, options: options)
    }
    return .compare(first, QueryComparison(comparison)!, second, options: options)
  }

  private func isIn(
    _ left: PredicateOperand, _ right: PredicateOperand, _ options: TextOptions
  ) throws(InvalidPredicate) -> QueryPredicate {
    let value = try expression(left)
    let operands: [PredicateOperand]
    switch right {
    case .path, .subqueryCount:
      try check(left, against: right)
      return .compare(
        value, .equal, try expression(right, wholeCollection: true), options: options)
    case .list(let list): operands = list
    case .value(let collection):
      guard let elements = elements(ofCollection: collection) else {
        throw InvalidPredicate("IN clause requires an array of items", name: "Invalid value")
      }
      operands = elements.map { .value($0) }
    }
    var values: [StoredValue] = []
    // What is of another kind than the property equals nothing.
    for operand in operands { values.append(try constant(operand, for: nil)) }
    if options.isEmpty { return .isIn(value, values) }
    return .or(values.map { .compare(value, .equal, .value($0), options: options) })
  }

  // MARK: - Operands

  private func constant(
    _ operand: PredicateOperand, for property: PredicateOperand?
  ) throws(InvalidPredicate) -> StoredValue {
    guard case .value(let value) = operand else {
      throw InvalidPredicate("A constant was expected in a list or range, not a key path")
    }
    if let property { try check(operand, against: property) }
    return try stored(value)
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

  /// - Parameter wholeCollection: Whether a path may lead to a collection without `ANY`.
  private func expression(
    _ operand: PredicateOperand, wholeCollection: Bool = false
  ) throws(InvalidPredicate) -> QueryExpression {
    switch operand {
    case .value(let value): return .value(try stored(value))
    case .list: throw InvalidPredicate("A list is only allowed after IN and BETWEEN")
    case .path(let path): return try expression(path, wholeCollection: wholeCollection)
    case .subqueryCount(let collection, let variable, let condition):
      let resolved = try resolve(collection)
      guard resolved.endsInCollection, let target = resolved.target else {
        throw InvalidPredicate("SUBQUERY needs a collection of objects, not '\(collection.text)'")
      }
      let inner = PredicateLowering(type: target, variable: variable, link: link)
      return .subqueryCount(QueryPath(resolved.steps), try inner.lower(condition))
    }
  }

  private func expression(
    _ path: PredicatePath, wholeCollection: Bool
  ) throws(InvalidPredicate) -> QueryExpression {
    if let place = path.components.firstIndex(where: { $0.hasPrefix("@") }) {
      return try aggregate(path, at: place)
    }
    let resolved = try resolve(path)
    if resolved.crossesCollection && path.quantifier == .none && !wholeCollection {
      throw InvalidPredicate(
        "Key paths that include an array property must use aggregate operations "
          + "('\(path.text)'; put ANY before it)")
    }
    if !resolved.crossesCollection && path.quantifier != .none {
      throw InvalidPredicate(
        "Aggregate operations can only be used on key paths that include an array property "
          + "('\(path.text)')")
    }
    return .path(QueryPath(resolved.steps))
  }

  private func isCollection(_ operand: PredicateOperand) throws(InvalidPredicate) -> Bool {
    guard case .path(let path) = operand, path.quantifier == .none,
      !path.components.contains(where: { $0.hasPrefix("@") })
    else { return false }
    return try resolve(path).endsInCollection
  }

  /// Whether `CONTAINS` looks into the elements of a collection of strings or data.
  private func looksInside(
    _ operand: PredicateOperand, for text: PredicateOperand
  ) throws(InvalidPredicate) -> Bool {
    guard try isText(text), try isCollection(operand), case .path(let path) = operand else {
      return false
    }
    switch try resolve(path).last?.type {
    case .string, .data, .any: return true
    default: return false
    }
  }

  private func isText(_ operand: PredicateOperand) throws(InvalidPredicate) -> Bool {
    guard case .value(let value) = operand else { return false }
    switch try stored(value) {
    case .string, .data, .null: return true
    default: return false
    }
  }

  // MARK: - Collection operators

  private static let aggregates: [String: AggregateOperation] = [
    "@min": .minimum, "@max": .maximum, "@sum": .sum, "@avg": .average,
  ]

  private func aggregate(
    _ path: PredicatePath, at place: Int
  ) throws(InvalidPredicate) -> QueryExpression {
    let name = path.components[place]
    let before = Array(path.components[..<place])
    let after = Array(path.components[(place + 1)...])
    if name == "@count" {
      let resolved = try resolve(PredicatePath(before))
      guard resolved.endsInCollection, after.isEmpty else {
        throw InvalidPredicate("@count can only be used on a collection ('\(path.text)')")
      }
      return .count(of: QueryPath(resolved.steps))
    }
    guard let operation = Self.aggregates[name] else {
      throw InvalidPredicate(
        "Unsupported collection operation '\(name)'", name: "Unsupported predicate")
    }
    let resolved = try resolve(PredicatePath(before + after))
    guard resolved.crossesCollection else {
      throw InvalidPredicate("\(name) can only be used on a collection ('\(path.text)')")
    }
    if resolved.endsInCollection {
      return .aggregate(operation, of: QueryPath(resolved.steps), property: nil)
    }
    guard case .property(let property) = resolved.steps.last else {
      throw InvalidPredicate("\(name) needs a property ('\(path.text)')")
    }
    return .aggregate(
      operation, of: QueryPath(Array(resolved.steps.dropLast())), property: property)
  }

  // MARK: - Paths

  struct Resolved {
    var steps: [QueryPath.Step] = []
    var crossesCollection = false
    var endsInCollection = false
    var target: (any PredicateClass)?
    /// The last property, and the name of its class; nil for the object itself.
    var last: (owner: String, name: String, type: PropertyType)?
  }

  func resolve(_ path: PredicatePath) throws(InvalidPredicate) -> Resolved {
    var names = path.components[...]
    if let variable {
      guard names.first == variable else {
        throw InvalidPredicate(
          "Key paths in a SUBQUERY must start with its variable '\(variable)', and '\(path.text)' "
            + "does not")
      }
      names = names.dropFirst()
    } else if names.first?.lowercased() == "self" {
      names = names.dropFirst()
    }
    var resolved = Resolved(target: type)
    for name in names { try append(name, to: &resolved, path) }
    return resolved
  }

  private func append(
    _ name: String, to resolved: inout Resolved, _ path: PredicatePath
  ) throws(InvalidPredicate) {
    guard let owner = resolved.target else {
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
    resolved.crossesCollection = resolved.crossesCollection || property.isCollection
    resolved.endsInCollection = property.isCollection
    resolved.target = property.target
    resolved.last = (owner.predicateName, name, property.type)
  }
}
