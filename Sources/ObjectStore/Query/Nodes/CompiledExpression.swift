import Storage

/// A `QueryExpression` resolved against a schema.
enum CompiledExpression: Sendable {
  case value(ConstantValue)
  case values([ConstantValue])
  case path(CompiledPath)
  case count(CompiledPath)
  case aggregate(AggregateOperation, CompiledPath)
  case subqueryCount(CompiledPath, any PredicateNode)
  indirect case outer(Int, CompiledExpression)
  indirect case arithmetic(CompiledExpression, ArithmeticOperation, CompiledExpression)

  /// Calls `body` with each value, until it returns true.
  func any(
    _ context: EvaluationContext, _ place: PathPlace,
    _ body: (RowValue) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    switch self {
    case .value(let constant): return try body(constant.row)
    case .values(let constants):
      for constant in constants where try body(constant.row) { return true }
      return false
    case .path(let path): return try path.any(context, from: place, isOnce: true, body)
    case .count(let path): return try path.anyCount(context, from: place, body)
    case .aggregate(let operation, let path):
      var aggregate = RowAggregate(operation, path.kind)
      _ = try path.any(context, from: place) { (value) throws(StorageError) in
        aggregate.add(value)
        return false
      }
      return try body(aggregate.result)
    case .subqueryCount(let path, let node):
      return try body(.int(Int64(try Self.count(context, place, path, node))))
    case .outer(let levels, let expression):
      return try expression.any(context, context.outerPlace(levels), body)
    case .arithmetic(let left, let operation, let right):
      return try left.any(context, place) { (left) throws(StorageError) in
        try right.any(context, place) { (right) throws(StorageError) in
          try body(RowArithmetic.apply(left, operation, right))
        }
      }
    }
  }

  private static func count(
    _ context: EvaluationContext, _ place: PathPlace, _ path: CompiledPath,
    _ node: any PredicateNode
  ) throws(StorageError) -> Int {
    var count = 0
    context.enterSubquery(of: place)
    defer { context.leaveSubquery() }
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
