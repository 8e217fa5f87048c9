/// Something that is in no store, as predicates see it: an object or a value.
public protocol PlainElement {
  /// What is at the end of the path. A link to nothing gives null, unless there is a collection on
  /// the path: then it gives nothing.
  func values(_ path: QueryPath) -> [StoredValue]
  /// The objects of a collection.
  func objects(_ path: QueryPath) -> [any PlainElement]
  /// The size of each collection that the path leads to, of a string or data, or of a link.
  func sizes(_ path: QueryPath) -> [Int]
}

/// A predicate on elements that are in no store, evaluated in the plainest way.
public struct PlainQuery {
  private let predicate: QueryPredicate
  /// The objects whose subqueries are being counted, outermost first.
  private var outer: [any PlainElement] = []

  public init(_ predicate: QueryPredicate) { self.predicate = predicate }

  /// - Throws: `QueryError` for what only stored objects can be asked for.
  public func holds(for element: any PlainElement) throws(QueryError) -> Bool {
    try holds(predicate, element, isForAll: false)
  }

  private func holds(
    _ predicate: QueryPredicate, _ element: any PlainElement, isForAll: Bool
  ) throws(QueryError) -> Bool {
    switch predicate {
    case .constant(let value): return value
    case .and(let parts):
      for part in parts where try !holds(part, element, isForAll: false) { return false }
      return true
    case .or(let parts):
      for part in parts where try holds(part, element, isForAll: false) { return true }
      return false
    case .not(let part): return try !holds(part, element, isForAll: false)
    case .all(let part): return try holds(part, element, isForAll: true)
    case .compare(let left, let comparison, let right, let options):
      let others = try values(right, element)
      return try any(left, element, isForAll) { value in
        others.contains { Self.compare(value, comparison, $0, options) }
      }
    case .text(let left, let operation, let right, let options):
      let others = try values(right, element)
      return try any(left, element, isForAll) { value in
        others.contains { Self.text(value, .text(operation), $0, options) }
      }
    case .isIn(let left, let wanted):
      return try any(left, element, isForAll) { value in
        wanted.contains { Self.compare(value, .equal, $0, []) }
      }
    case .between(let left, let lower, let upper):
      let isAbove = try any(left, element, isForAll) {
        Self.compare($0, .greaterOrEqual, lower, [])
      }
      guard isAbove else { return false }
      return try any(left, element, isForAll) { Self.compare($0, .lessOrEqual, upper, []) }
    case .isOfKind(let left, let kinds):
      return try any(left, element, isForAll) { value in
        value == .null ? kinds.hasNull : kinds.values.contains(KindRules.kind(of: value))
      }
    case .search, .geoWithin:
      throw QueryError("Only objects of a realm can be searched for words and places.")
    }
  }

  private func any(
    _ expression: QueryExpression, _ element: any PlainElement, _ isForAll: Bool,
    _ holds: (StoredValue) -> Bool
  ) throws(QueryError) -> Bool {
    let values = try values(expression, element)
    return isForAll ? values.allSatisfy(holds) : values.contains(where: holds)
  }

  // MARK: Expressions

  private func values(
    _ expression: QueryExpression, _ element: any PlainElement
  ) throws(QueryError) -> [StoredValue] {
    switch expression {
    case .value(let value): return [value]
    case .values(let values): return values
    case .path(let path): return element.values(path)
    case .count(let path): return element.sizes(path).map { .int(Int64($0)) }
    case .aggregate(let operation, let path, let property):
      var whole = path
      if let property { whole.steps.append(.property(property)) }
      let values = element.values(whole)
      let kind = values.first { $0 != .null }.map(KindRules.kind) ?? .int
      var aggregate = RowAggregate(operation, kind)
      let constants = values.map { ConstantValue($0) }
      for constant in constants { aggregate.add(constant.row) }
      return withExtendedLifetime(constants) { [aggregate.result.stored] }
    case .subqueryCount(let path, let condition):
      var inner = PlainQuery(condition)
      inner.outer = outer + [element]
      var count: Int64 = 0
      for object in element.objects(path) where try inner.holds(for: object) { count += 1 }
      return [.int(count)]
    case .outer(let levels, let expression):
      var further = self
      further.outer.removeLast(levels)
      return try further.values(expression, outer[outer.count - levels])
    case .arithmetic(let left, let operation, let right):
      let others = try values(right, element)
      return try values(left, element).flatMap { value in
        others.map { Self.calculate(value, operation, $0) }
      }
    }
  }

  private static func calculate(
    _ left: StoredValue, _ operation: ArithmeticOperation, _ right: StoredValue
  ) -> StoredValue {
    let (one, other) = (ConstantValue(left), ConstantValue(right))
    return withExtendedLifetime((one, other)) {
      RowArithmetic.apply(one.row, operation, other.row).stored
    }
  }

  // MARK: Comparisons

  private static func compare(
    _ left: StoredValue, _ comparison: QueryComparison, _ right: StoredValue,
    _ options: TextOptions
  ) -> Bool {
    if !options.isEmpty, right != .null { return text(left, .compare(comparison), right, options) }
    // As a constant meets a column: what was written for a float is one.
    let right = KindRules.coerce(right, to: KindRules.kind(of: left)) ?? right
    let (one, other) = (ConstantValue(left), ConstantValue(right))
    return withExtendedLifetime((one, other)) {
      RowCompareNode.holds(one.row, comparison, other.row)
    }
  }

  private static func text(
    _ value: StoredValue, _ test: TextMatcher.Test, _ pattern: StoredValue,
    _ options: TextOptions
  ) -> Bool {
    if pattern == .null { return test.isInside || value == .null }
    let (one, other) = (ConstantValue(value), ConstantValue(pattern))
    return withExtendedLifetime((one, other)) {
      switch (one.row, other.row) {
      case (.string(let bytes), .string(let needle)), (.data(let bytes), .data(let needle)):
        var scratch = TextScratch()
        if unsafe needle.isEmpty, test.isInside { return false }
        return unsafe TextMatcher(test, needle, options).matches(bytes, scratch: &scratch)
      default: return test == .compare(.notEqual)
      }
    }
  }
}
