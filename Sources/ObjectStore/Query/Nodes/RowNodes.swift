import Storage

/// A `QueryExpression` resolved against a schema.
enum CompiledExpression: Sendable {
  case value(ConstantValue)
  case path(CompiledPath)
  case count(CompiledPath)
  case aggregate(AggregateOperation, CompiledPath)
  case subqueryCount(CompiledPath, PredicateNode)

  /// Calls `body` with each value, until it returns true.
  func any(
    _ context: EvaluationContext, _ place: PathPlace,
    _ body: (RowValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch self {
    case .value(let constant): return try body(constant.row)
    case .path(let path): return try path.any(context, from: place, body)
    case .count(let path):
      return try body(.int(Int64(try path.count(context, from: place))))
    case .aggregate(let operation, let path):
      var aggregate = RowAggregate(operation, path.kind)
      _ = try path.any(context, from: place) { (value) throws(StorageError) in
        aggregate.add(value)
        return false
      }
      return try body(aggregate.result)
    case .subqueryCount(let path, let node):
      return try body(.int(Int64(try Self.count(context, place, path, node))))
    }
  }

  private static func count(
    _ context: EvaluationContext, _ place: PathPlace, _ path: CompiledPath, _ node: PredicateNode
  ) throws(StorageError) -> Int {
    var count = 0
    _ = try path.any(context, from: place) { (value) throws(StorageError) in
      guard case .link(let key, let object) = value, let table = try context.table(key),
        let position = try table.find(object)
      else { return false }
      let rows = ClusterRows(context: context, table: table, cluster: position.cluster)
      if try node.holds(rows, position.row) { count += 1 }
      return false
    }
    return count
  }
}

/// A predicate that looks at one row after the other.
class RowNode: PredicateNode, @unchecked Sendable {
  override var cost: Int { 256 }

  func holds(_ context: EvaluationContext, _ place: PathPlace) throws(StorageError) -> Bool {
    false
  }

  override final func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = Selection.none
    try candidates.forEach { (row) throws(StorageError) in
      if try holds(rows.context, rows.place(row)) { found.insert(row) }
    }
    return found
  }

  override final func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    try holds(rows.context, rows.place(row))
  }
}

/// Any value of one expression compared with any value of another.
final class RowCompareNode: RowNode, @unchecked Sendable {
  private let left: CompiledExpression
  private let right: CompiledExpression
  private let comparison: QueryComparison

  init(_ left: CompiledExpression, _ comparison: QueryComparison, _ right: CompiledExpression) {
    self.left = left
    self.right = right
    self.comparison = comparison
  }

  override func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let comparison = self.comparison
    let right = self.right
    if case .value(let constant) = right {
      let value = constant.row
      return try left.any(context, place) { (left) throws(StorageError) in
        Self.holds(left, comparison, value)
      }
    }
    return try left.any(context, place) { (left) throws(StorageError) in
      try right.any(context, place) { (right) throws(StorageError) in
        Self.holds(left, comparison, right)
      }
    }
  }

  /// Null equals null, but is not "less or equal".
  @inline(__always)
  static func holds(_ left: RowValue, _ comparison: QueryComparison, _ right: RowValue) -> Bool {
    let order = RowValue.compare(left, right)
    switch comparison {
    case .lessOrEqual, .greaterOrEqual: return !left.isNull && order.satisfies(comparison)
    default: return order.satisfies(comparison)
    }
  }
}

/// Any string (or data) of an expression against a constant.
final class RowTextNode: RowNode, @unchecked Sendable {
  private let left: CompiledExpression
  private let matcher: TextMatcher
  /// What null gives: true for "not equal".
  private let holdsForNull: Bool

  init(_ left: CompiledExpression, _ matcher: TextMatcher) {
    self.left = left
    self.matcher = matcher
    holdsForNull = matcher.test == .compare(.notEqual)
  }

  override func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let matcher = self.matcher
    let holdsForNull = self.holdsForNull
    return try left.any(context, place) { (value) throws(StorageError) in
      switch value {
      case .string(let bytes), .data(let bytes):
        return matcher.matches(bytes, scratch: &context.scratch)
      default: return holdsForNull
      }
    }
  }
}

/// Strings of one expression against strings of another, so the pattern changes from row to row.
final class RowTextPairNode: RowNode, @unchecked Sendable {
  private let left: CompiledExpression
  private let right: CompiledExpression
  private let test: TextMatcher.Test
  private let options: TextOptions

  init(
    _ left: CompiledExpression, _ test: TextMatcher.Test, _ right: CompiledExpression,
    _ options: TextOptions
  ) {
    self.left = left
    self.right = right
    self.test = test
    self.options = options
  }

  override func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    try right.any(context, place) { (pattern) throws(StorageError) in
      try left.any(context, place) { (value) throws(StorageError) in
        holds(context, value, pattern)
      }
    }
  }

  private func holds(
    _ context: EvaluationContext, _ value: RowValue, _ pattern: RowValue
  ) -> Bool {
    switch (value, pattern) {
    case (.string(let bytes), .string(let pattern)), (.data(let bytes), .data(let pattern)):
      return TextMatcher(test, pattern, options).matches(bytes, scratch: &context.scratch)
    case (.null, .null): return test == .compare(.equal)
    default: return test == .compare(.notEqual)
    }
  }
}

/// Any value of an expression equal to one of several constants.
final class RowSetNode: RowNode, @unchecked Sendable {
  private let left: CompiledExpression
  private let values: [ConstantValue]

  init(_ left: CompiledExpression, _ values: [ConstantValue]) {
    self.left = left
    self.values = values
  }

  override func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let values = self.values
    return try left.any(context, place) { (value) throws(StorageError) in
      values.contains { RowValue.compare(value, $0.row) == .equal }
    }
  }
}

/// Any value of an expression that is neither below one constant nor above another.
final class RowBetweenNode: RowNode, @unchecked Sendable {
  private let left: CompiledExpression
  private let lower: ConstantValue
  private let upper: ConstantValue

  init(_ left: CompiledExpression, _ lower: ConstantValue, _ upper: ConstantValue) {
    self.left = left
    self.lower = lower
    self.upper = upper
  }

  override func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let lower = self.lower.row
    let upper = self.upper.row
    return try left.any(context, place) { (value) throws(StorageError) in
      RowCompareNode.holds(value, .greaterOrEqual, lower)
        && RowCompareNode.holds(value, .lessOrEqual, upper)
    }
  }
}
