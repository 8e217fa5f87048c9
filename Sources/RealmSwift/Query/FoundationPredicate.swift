import Foundation

// Conditions written with Foundation's `#Predicate`. Each kind of expression that has a counterpart
// in the engine says what it stands for; any other one is a misuse when the predicate is used.

/// An expression of a `#Predicate` that queries understand.
protocol ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent
}

/// What the variables of a `#Predicate` stand for.
struct PredicateScope {
  private var paths: [PredicateExpressions.VariableID: PredicatePath] = [:]
  private var depth = 0

  /// The condition that a predicate on one object is.
  static func convert<Input>(
    _ predicate: Foundation.Predicate<Input>
  ) throws(InvalidPredicate) -> PredicateNode {
    let scope = PredicateScope().binding(predicate.variable.key, to: PredicatePath([]))
    return try scope.condition(predicate.expression)
  }

  func binding(
    _ variable: PredicateExpressions.VariableID, to path: PredicatePath
  ) -> PredicateScope {
    var scope = self
    scope.paths[variable] = path
    return scope
  }

  /// A scope in which the variable stands for an element of a collection; also the name of it.
  func element(
    _ variable: PredicateExpressions.VariableID
  ) -> (scope: PredicateScope, name: String) {
    var scope = self
    scope.depth += 1
    let name = "$element\(scope.depth)"
    scope.paths[variable] = PredicatePath([name])
    return (scope, name)
  }

  func path(_ variable: PredicateExpressions.VariableID) throws(InvalidPredicate) -> PredicatePath {
    guard let path = paths[variable] else {
      throw InvalidPredicate("A #Predicate may only refer to its own variables")
    }
    return path
  }

  func content(_ expression: Any) throws(InvalidPredicate) -> QueryContent {
    guard let expression = expression as? any ConvertibleExpression else {
      throw InvalidPredicate(
        "#Predicate expressions of type '\(type(of: expression))' are not supported in queries",
        name: "Unsupported predicate")
    }
    return try expression.content(self)
  }

  func condition(_ expression: Any) throws(InvalidPredicate) -> PredicateNode {
    switch try content(expression) {
    case .condition(let condition): return condition
    case .operand(.path(let path)): return .truth(path, is: true)
    case .operand(.value(let value as Bool)): return .constant(value)
    case .operand: throw InvalidPredicate("A condition was expected in the #Predicate")
    }
  }

  func operand(_ expression: Any) throws(InvalidPredicate) -> PredicateOperand {
    guard case .operand(let operand) = try content(expression) else {
      throw InvalidPredicate(
        "The results of conditions cannot be compared in a #Predicate that is used in a query")
    }
    return operand
  }

  func path(of expression: Any) throws(InvalidPredicate) -> PredicatePath {
    guard case .path(let path) = try operand(expression) else {
      throw InvalidPredicate("A property was expected in the #Predicate")
    }
    return path
  }

  func compare(
    _ left: Any, _ comparison: PredicateOperator, _ right: Any, _ options: StringOptions = []
  ) throws(InvalidPredicate) -> QueryContent {
    .condition(.comparison(try operand(left), comparison, try operand(right), options))
  }
}

// MARK: - Values and properties

extension PredicateExpressions.Variable: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    .operand(.path(try scope.path(key)))
  }
}

extension PredicateExpressions.Value: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    .operand(.value(value))
  }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    .operand(.value(nil))
  }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    var path = try scope.path(of: root)
    if let collection = Root.Output.self as? any CountedCollection.Type {
      path.components.append("@count")
      if keyPath == collection.countKeyPath { return .operand(.path(path)) }
      if keyPath == collection.isEmptyKeyPath {
        return .condition(.comparison(.path(path), .equal, .value(0), []))
      }
    }
    guard let type = Root.Output.self as? ObjectBase.Type else {
      throw InvalidPredicate(
        "Members of '\(Root.Output.self)' are not supported in queries",
        name: "Unsupported predicate")
    }
    let names = KeyPathRecorder.name(of: keyPath, on: type)
    path.components += names.split(separator: ".").map(String.init)
    return .operand(.path(path))
  }
}

/// Collections whose size can be asked for in a `#Predicate`.
private protocol CountedCollection {
  static var countKeyPath: AnyKeyPath { get }
  static var isEmptyKeyPath: AnyKeyPath { get }
}

extension List: CountedCollection {
  fileprivate static var countKeyPath: AnyKeyPath { \List<Element>.count }
  fileprivate static var isEmptyKeyPath: AnyKeyPath { \List<Element>.isEmpty }
}

extension LinkingObjects: CountedCollection {
  fileprivate static var countKeyPath: AnyKeyPath { \LinkingObjects<Element>.count }
  fileprivate static var isEmptyKeyPath: AnyKeyPath { \LinkingObjects<Element>.isEmpty }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.binding(variable.key, to: scope.path(of: wrapped)).content(transform)
  }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.content(inner)
  }
}

// MARK: - Logic and comparisons

extension PredicateExpressions.Conjunction: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    .condition(.and(try scope.condition(lhs), try scope.condition(rhs)))
  }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    .condition(.or(try scope.condition(lhs), try scope.condition(rhs)))
  }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    .condition(.not(try scope.condition(wrapped)))
  }
}

extension PredicateExpressions.Equal: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.compare(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.compare(lhs, .notEqual, rhs)
  }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    let comparison: PredicateOperator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw InvalidPredicate("An unknown comparison in a #Predicate")
      }
    return try scope.compare(lhs, comparison, rhs)
  }
}

// MARK: - Numbers

extension PredicateScope {
  fileprivate func calculate(
    _ left: Any, _ operation: PredicateArithmetic, _ right: Any
  ) throws(InvalidPredicate) -> QueryContent {
    .operand(.arithmetic(try operand(left), operation, try operand(right)))
  }
}

extension PredicateExpressions.Arithmetic: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    let operation: PredicateArithmetic =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw InvalidPredicate("An unknown calculation in a #Predicate")
      }
    return try scope.calculate(lhs, operation, rhs)
  }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.calculate(lhs, .divide, rhs)
  }
}

extension PredicateExpressions.IntDivision: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.calculate(lhs, .divide, rhs)
  }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    .operand(.arithmetic(.value(0), .subtract, try scope.operand(wrapped)))
  }
}

// MARK: - Ranges

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    let value = try scope.operand(element)
    var bounds = range as? any RangeBounds
    if bounds == nil, case .value(let constant) = try scope.operand(range) {
      bounds = constant as? any RangeBounds
    }
    guard let bounds else {
      throw InvalidPredicate(
        "Ranges of type '\(RangeExpression.self)' are not supported in queries")
    }
    let (lower, upper) = (try scope.bound(bounds.lowest), try scope.bound(bounds.highest))
    if bounds.isClosed { return .condition(.between(value, lower, upper)) }
    return .condition(
      .and(.comparison(value, .greaterOrEqual, lower, []), .comparison(value, .less, upper, [])))
  }
}

extension PredicateScope {
  /// A bound of a range, which may itself be an expression.
  fileprivate func bound(_ bound: Any) throws(InvalidPredicate) -> PredicateOperand {
    bound is any ConvertibleExpression ? try operand(bound) : .value(bound)
  }
}

/// Ranges, and expressions that make them.
private protocol RangeBounds {
  var lowest: Any { get }
  var highest: Any { get }
  var isClosed: Bool { get }
}

extension ClosedRange: RangeBounds {
  fileprivate var lowest: Any { lowerBound }
  fileprivate var highest: Any { upperBound }
  fileprivate var isClosed: Bool { true }
}

extension Range: RangeBounds {
  fileprivate var lowest: Any { lowerBound }
  fileprivate var highest: Any { upperBound }
  fileprivate var isClosed: Bool { false }
}

extension PredicateExpressions.ClosedRange: RangeBounds {
  fileprivate var lowest: Any { lower }
  fileprivate var highest: Any { upper }
  fileprivate var isClosed: Bool { true }
}

extension PredicateExpressions.Range: RangeBounds {
  fileprivate var lowest: Any { lower }
  fileprivate var highest: Any { upper }
  fileprivate var isClosed: Bool { false }
}

// MARK: - Strings and collections

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.compare(base, .contains, other)
  }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.compare(base, .beginsWith, prefix)
  }
}

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    try scope.compare(element, .isIn, sequence)
  }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    let (inner, name) = scope.element(variable.key)
    let count = PredicateOperand.subqueryCount(
      try scope.path(of: sequence), variable: name, try inner.condition(test))
    return .condition(.comparison(count, .greater, .value(0), []))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
  func content(_ scope: PredicateScope) throws(InvalidPredicate) -> QueryContent {
    let (inner, name) = scope.element(variable.key)
    let count = PredicateOperand.subqueryCount(
      try scope.path(of: sequence), variable: name, .not(try inner.condition(test)))
    return .condition(.comparison(count, .equal, .value(0), []))
  }
}
