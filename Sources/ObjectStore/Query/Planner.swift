import Storage

/// How the matches of a query are found in one version.
enum QueryPlan {
  /// No object can match.
  case nothing
  /// Look at every cluster.
  case scan(Table)
  /// Look at these objects, which are in the order of the source; `isExact` if all of them match.
  case candidates(Table, [ObjectKey], isExact: Bool)
}

extension CompiledQuery {
  /// Rough costs in nanoseconds of fetching an object that an index names, and of testing a row for
  /// each unit of `PredicateNode.cost`.
  private static let fetchCost = 150.0
  private static let rowCost = 0.5

  /// - Parameter limit: more matches than that are not wanted.
  func plan(_ context: EvaluationContext, limit: Int = .max) throws(StorageError) -> QueryPlan {
    guard let table = try context.table(table), table.count > 0 else { return .nothing }
    if let constant = node as? ConstantNode, !constant.value { return .nothing }
    switch description.source {
    case .table:
      guard let best = try cheapestProbe(table, context) else { return .scan(table) }
      let keysMax = best.probe.isExact ? limit : .max
      return .candidates(
        table, try best.probe.keys(best.index, limit: keysMax), isExact: best.probe.isExact)
    case .list, .backlinks:
      let keys = try sourceKeys(context)
      return .candidates(table, keys, isExact: (node as? ConstantNode)?.value == true)
    }
  }

  /// The index that narrows the search down most, if that is cheaper than a scan.
  func cheapestProbe(
    _ table: Table, _ context: EvaluationContext
  ) throws(StorageError) -> (probe: PlannedProbe, index: ColumnIndex)? {
    var best: (probe: PlannedProbe, index: ColumnIndex)?
    var bestCost = Double(table.count) * Double(node.cost) * Self.rowCost
    for probe in probes {
      guard let index = try index(probe, table, context) else { continue }
      let cost = Double(try probe.estimate(index)) * Self.fetchCost
      if cost < bestCost {
        best = (probe, index)
        bestCost = cost
      }
    }
    return best
  }

  /// How many objects match, if an index knows without fetching them.
  func indexedCount(
    _ table: Table, _ context: EvaluationContext
  ) throws(StorageError) -> Int? {
    guard let probe = probes.first, probe.isExact,
      let index = try index(probe, table, context)
    else { return nil }
    return try probe.count(index)
  }

  /// The index as the version at hand has it: since the query was compiled it may have been taken
  /// away, by a program that does without, and its place given to another.
  private func index(
    _ probe: PlannedProbe, _ table: Table, _ context: EvaluationContext
  ) throws(StorageError) -> ColumnIndex? {
    let column = probe.property.columnKey
    guard let property = context.view.schema.property(at: column, of: table.key),
      probe.probe.isAnswered(by: property)
    else { return nil }
    return try table.index(of: property)
  }

  /// The objects of the list, or of the backlinks, that the query is about.
  func sourceKeys(_ context: EvaluationContext) throws(StorageError) -> [ObjectKey] {
    switch description.source {
    case .table: return []
    case .list(let owner, let object, _):
      guard let column = sourceColumn, let table = try context.table(owner),
        let position = try table.find(object)
      else { return [] }
      let list = try context.list(column, at: PathPlace(table: table, position: position))
      return Array(try list.allLinks())
    case .backlinks(let origin, let column, let target):
      guard let hidden = sourceBacklinks,
        let tableKey = try targetTable(context, origin, column),
        let table = try context.table(tableKey), let position = try table.find(target)
      else { return [] }
      return try table.backlinks(hidden, at: position).keys()
    }
  }

  private func targetTable(
    _ context: EvaluationContext, _ origin: TableKey, _ column: ColumnKey
  ) throws(StorageError) -> TableKey? {
    context.view.schema.description(of: origin)?.property(at: column)?.targetTable
  }
}
