import ObjectStore

/// Turns a condition into the engine's terms: Swift names into those of the file, arguments into
/// stored values. The engine checks the types.
struct PredicateLowering {
  /// The object that paths start at.
  struct Scope {
    /// Its class; nil for a collection of scalars, whose only path is `self`.
    let type: (any PredicateClass)?
    /// What paths start with inside a subquery.
    let variable: String?
  }

  /// Those of the subqueries around the condition, innermost last.
  let scopes: [Scope]
  /// The link to an object that was given as an argument.
  let link: (ObjectBase) throws(InvalidPredicate) -> StoredValue
  /// The link to the object of a class with a primary key.
  let object: (String, StoredValue) throws(InvalidPredicate) -> StoredValue
  let classNamed: (String) -> (any PredicateClass)?
  /// How many conditions the one at hand is in.
  var depth = 0

  /// - Parameters:
  ///   - link: The link to an object that was given as an argument; throws if the object is not one
  ///     of the realm's.
  ///   - object: The link to the object of a class with that primary key.
  ///   - classNamed: Another class of the realm.
  static func lower(
    _ condition: PredicateNode, for type: (any PredicateClass)?,
    classNamed: @escaping (String) -> (any PredicateClass)? = { _ in nil },
    object: @escaping (String, StoredValue) throws(InvalidPredicate) -> StoredValue = {
      (name, _) throws(InvalidPredicate) in throw InvalidPredicate("There is no class '\(name)'")
    },
    link: @escaping (ObjectBase) throws(InvalidPredicate) -> StoredValue
  ) throws(InvalidPredicate) -> QueryPredicate {
    try PredicateLowering(
      scopes: [Scope(type: type, variable: nil)], link: link, object: object,
      classNamed: classNamed
    ).lower(condition)
  }

  func lower(_ node: PredicateNode) throws(InvalidPredicate) -> QueryPredicate {
    switch node {
    case .constant(let value): .constant(value)
    case .truth(let path, let value):
      .compare(try expression(.path(path)), .equal, .value(.bool(value)))
    case .comparison(let left, let comparison, let right, let options):
      try lower(left, comparison, right, TextOptions(options))
    case .between(let value, let lower, let upper): try between(value, lower, upper)
    case .and: .and(try descended().parts(of: node))
    case .or: .or(try descended().parts(of: node))
    case .not(let child): .not(try descended().lower(child))
    }
  }

  func descended() throws(InvalidPredicate) -> PredicateLowering {
    // What stands in parentheses may be an OR of ANDs: two levels.
    if depth == 2 * PredicateNode.depthMax { throw PredicateNode.nestedTooDeep }
    var inner = self
    inner.depth += 1
    return inner
  }

  /// The operands of a chain of the same connective, in order.
  private func parts(of node: PredicateNode) throws(InvalidPredicate) -> [QueryPredicate] {
    // Chains lean to one side, mostly to the left, and may be long.
    var reversed: [QueryPredicate] = []
    var rest = [node]
    while let next = rest.popLast() {
      switch (node, next) {
      case (.and, .and(let left, let right)), (.or, .or(let left, let right)):
        rest.append(left)
        rest.append(right)
      default: reversed.append(try lower(next))
      }
    }
    return reversed.reversed()
  }

  private func between(
    _ value: PredicateOperand, _ lower: PredicateOperand, _ upper: PredicateOperand
  ) throws(InvalidPredicate) -> QueryPredicate {
    let between = QueryPredicate.between(
      try expression(value), try constant(lower, for: value), try constant(upper, for: value))
    return value.quantifier == .all ? .all(between) : between
  }

  private func lower(
    _ left: PredicateOperand, _ comparison: PredicateOperator, _ right: PredicateOperand,
    _ options: TextOptions
  ) throws(InvalidPredicate) -> QueryPredicate {
    if scopes.count == 1, let plain = scopes[0].type?.plain(left, comparison, right, options) {
      return plain
    }
    if left.quantifier != .all, right.quantifier == .all {
      guard let swapped = comparison.swapped else {
        throw InvalidPredicate("ALL must stand on the left of '\(comparison.rawValue)'")
      }
      return try lower(right, swapped, left, options)
    }
    let predicate: QueryPredicate
    if let test = try kindTest(left, comparison, right) {
      predicate = test
    } else {
      predicate = try compare(left, comparison, right, options)
    }
    return left.quantifier == .all ? .all(predicate) : predicate
  }

  private func compare(
    _ left: PredicateOperand, _ comparison: PredicateOperator, _ right: PredicateOperand,
    _ options: TextOptions
  ) throws(InvalidPredicate) -> QueryPredicate {
    switch comparison {
    case .isIn: return try isIn(left, right, options)
    case .text: return try search(left, right)
    case .matches:
      throw InvalidPredicate(
        "Operator 'MATCHES' not supported for type 'string'", name: "Invalid operator type")
    case .contains where try looksInside(left, for: right): break
    case .contains where try isCollection(left):
      return .compare(try expression(left), .equal, try expression(right), options: options)
    default: break
    }
    let (first, second) = (try expression(left), try expression(right))
    if let members = try compareMembers(left, comparison, right, second) { return members }
    try check(right, against: left)
    try check(left, against: right)
    if let operation = TextOperation(comparison) {
      try checkText(left, comparison)
      return .text(first, operation, second, options: options)
    }
    return .compare(first, QueryComparison(comparison)!, second, options: options)
  }

  private func search(
    _ left: PredicateOperand, _ right: PredicateOperand
  ) throws(InvalidPredicate) -> QueryPredicate {
    guard case .value(let value) = right, case .string(let text) = StoredValue(constant: value)
    else { throw InvalidPredicate("TEXT needs a string to search for", name: "Invalid value") }
    return .search(try expression(left), text)
  }

  /// Whether a link leads to a place within a shape; nil if the value is no shape.
  private func within(
    _ left: PredicateOperand, _ value: Any?
  ) throws(InvalidPredicate) -> QueryPredicate? {
    guard let shape = value as? any RLMGeospatial else { return nil }
    guard case .path(let path) = left, operatorPlace(path) == nil else {
      throw InvalidPredicate("A property that has a place was expected before IN")
    }
    let resolved = try resolve(path)
    if resolved.level != 0 {
      throw InvalidPredicate("'\(path.text)' is not a place of the object that is looked at")
    }
    return .geoWithin(QueryPath(resolved.steps), shape._shape)
  }

  private func isIn(
    _ left: PredicateOperand, _ right: PredicateOperand, _ options: TextOptions
  ) throws(InvalidPredicate) -> QueryPredicate {
    if case .value(let shape) = right, let within = try within(left, shape) { return within }
    let value = try expression(left)
    let operands: [PredicateOperand]
    switch right {
    case .path, .subqueryCount, .arithmetic, .object:
      try check(left, against: right)
      return .compare(value, .equal, try expression(right), options: options)
    case .list(let list, _): operands = list
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
    switch StoredValue(constant: value) {
    case .string, .data, .null: return true
    default: return false
    }
  }

  private func isCollection(_ operand: PredicateOperand) throws(InvalidPredicate) -> Bool {
    guard case .path(let path) = operand, operatorPlace(path) == nil, !path.endsInSize else {
      return false
    }
    return try resolve(path).endsInCollection
  }

  // MARK: - Kinds of values

  /// `value.@type == 'string'` and its like; nil for any other comparison.
  private func kindTest(
    _ left: PredicateOperand, _ comparison: PredicateOperator, _ right: PredicateOperand
  ) throws(InvalidPredicate) -> QueryPredicate? {
    guard case .path(var path) = left, path.components.last == "@type" else { return nil }
    path.components.removeLast()
    let names: [PredicateOperand]
    switch (comparison, right) {
    case (.equal, .value), (.notEqual, .value): names = [right]
    case (.isIn, .list(let list, _)): names = list
    case (.isIn, .value(let collection)):
      names = (elements(ofCollection: collection) ?? []).map { .value($0) }
    default:
      throw InvalidPredicate("@type is compared by ==, != or IN with names of types")
    }
    var kinds = QueryKinds()
    for name in names {
      guard case .value(let value as String) = name else {
        throw InvalidPredicate("@type is compared with names of types, such as 'string'")
      }
      switch value.lowercased() {
      case "null": kinds.hasNull = true
      case "list", "array": kinds.collections.insert(.list)
      case "dictionary", "map": kinds.collections.insert(.map)
      default: kinds.values.formUnion(try named(value))
      }
    }
    let test = QueryPredicate.isOfKind(try expression(.path(path)), kinds)
    return comparison == .notEqual ? .not(test) : test
  }

  private func named(_ name: String) throws(InvalidPredicate) -> Set<ValueKind> {
    switch name.lowercased() {
    case "int", "integer", "int16", "int32", "int64": [.int]
    case "bool", "boolean": [.bool]
    case "float": [.float]
    case "double": [.double]
    case "decimal", "decimal128": [.decimal128]
    case "number", "numeric": [.int, .float, .double, .decimal128]
    case "string": [.string]
    case "data", "binary", "bytes", "bindata": [.data]
    case "date", "timestamp": [.date]
    case "objectid": [.objectId]
    case "uuid": [.uuid]
    case "object", "link", "objectlink": [.object]
    default: throw InvalidPredicate("Unable to parse the type attribute string '\(name)'")
    }
  }
}

extension PredicateOperand {
  /// Which of its values a condition is about.
  var quantifier: PredicatePath.Quantifier {
    switch self {
    case .path(let path): path.quantifier
    case .list(_, let quantifier): quantifier
    case .arithmetic(let left, _, let right):
      left.quantifier == .none ? right.quantifier : left.quantifier
    case .value, .subqueryCount, .object: .none
    }
  }
}
