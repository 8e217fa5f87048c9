import Storage

// Running a query on one version.
extension CompiledQuery {
  /// The keys of the objects in the results, in order.
  public func evaluate(_ view: StoreView) throws(StorageError) -> ContiguousArray<ObjectKey> {
    try evaluate(EvaluationContext(view), limit: nil)
  }

  /// The same, looking at about so many rows at most: what was looked at is taken from `rows`.
  ///
  /// - Throws: `.beyondLimit` if those are not enough.
  public func evaluate(
    _ view: StoreView, rows: inout Int
  ) throws(StorageError) -> ContiguousArray<ObjectKey> {
    let context = EvaluationContext(view, rows: rows)
    defer { rows = context.rowsLeft }
    return try evaluate(context, limit: nil)
  }

  /// How many objects are in the results.
  public func count(_ view: StoreView) throws(StorageError) -> Int {
    let context = EvaluationContext(view)
    if hasAllMatches { return try matchCount(context) }
    if stages.count == 1, case .limit(let limit) = stages[0] {
      return min(try matchCount(context), limit)
    }
    return try evaluate(context, limit: nil).count
  }

  /// The first `limit` objects of the results, or all of them if there are fewer.
  public func first(_ limit: Int, _ view: StoreView) throws(StorageError)
    -> ContiguousArray<ObjectKey>
  {
    try evaluate(EvaluationContext(view), limit: limit)
  }

  /// The first object of the results, or nil.
  public func first(_ view: StoreView) throws(StorageError) -> ObjectKey? {
    try first(1, view).first
  }

  /// Whether the predicate holds for an object of the table (wherever the results come from).
  public func matches(_ key: ObjectKey, _ view: StoreView) throws(StorageError) -> Bool {
    try matches(key, EvaluationContext(view))
  }

  /// The same, looking at about so many rows at most: what was looked at is taken from `rows`.
  ///
  /// - Throws: `.beyondLimit` if those are not enough.
  public func matches(
    _ key: ObjectKey, _ view: StoreView, rows: inout Int
  ) throws(StorageError) -> Bool {
    let context = EvaluationContext(view, rows: rows)
    defer { rows = context.rowsLeft }
    try context.spend(1)
    let isMatch = try matches(key, context)
    try context.spend(0)
    return isMatch
  }

  func matches(_ key: ObjectKey, _ context: EvaluationContext) throws(StorageError) -> Bool {
    guard let table = try context.table(table), let position = try table.find(key) else {
      return false
    }
    let rows = ClusterRows(context: context, table: table, cluster: position.cluster)
    return try node.holds(rows, position.row)
  }

  private var isAlwaysTrue: Bool { (node as? ConstantNode)?.value == true }

  /// How many matches there are at least, as far as that is known beforehand: room for so many
  /// spares the copies, and the pages, of arrays that grow.
  private func certainMatches(_ context: EvaluationContext) throws(StorageError) -> Int {
    guard isAlwaysTrue, case .table = description.source else { return 0 }
    return try context.table(table)?.count ?? 0
  }

  private func matchCount(_ context: EvaluationContext) throws(StorageError) -> Int {
    if case .table = description.source, let table = try context.table(table) {
      if isAlwaysTrue { return table.count }
      if let count = try indexedCount(table, context) { return count }
    }
    var count = 0
    try forEachMatch(context) { (_, selection) throws(StorageError) in
      count += selection.count
      return false
    }
    return count
  }

  /// Calls `body` with the matches, in the order of the source, until it returns true. The matches
  /// of a list or an index come one by one.
  ///
  /// - Parameter column: what `body` reads of all of them.
  func forEachMatch(
    _ context: EvaluationContext, reading column: ColumnInfo? = nil,
    _ body: (ClusterRows, Selection) throws(StorageError) -> Bool
  ) throws(StorageError) {
    try forEachMatch(context, try plan(context), reading: column, body)
  }

  private func forEachMatch(
    _ context: EvaluationContext, _ plan: QueryPlan, reading column: ColumnInfo? = nil,
    _ body: (ClusterRows, Selection) throws(StorageError) -> Bool
  ) throws(StorageError) {
    switch plan {
    case .nothing: return
    case .scan(let table):
      let columns = ScannedColumns(node.scannedColumns, and: column.map(ScannedColumn.init))
      var clusters = table.clusters()
      while let cluster = try clusters.next() {
        clusters.lookAhead { columns.prefetch($0, context.source) }
        let rows = ClusterRows(context: context, table: table, cluster: cluster)
        let found = try node.select(rows, .first(cluster.count))
        // A scan of a column is far quicker than a walk along links.
        try context.spend(cluster.count >> 4)
        if !found.isEmpty, try body(rows, found) { return }
      }
    case .candidates(let table, let keys, let isExact):
      for key in keys {
        guard let position = try table.find(key) else { continue }
        let rows = ClusterRows(context: context, table: table, cluster: position.cluster)
        try context.spend(1)
        if !isExact, try !node.holds(rows, position.row) { continue }
        if try body(rows, .row(position.row)) { return }
      }
    }
  }

  /// - Parameter limit: more objects than that are not wanted.
  func evaluate(
    _ context: EvaluationContext, limit: Int?
  ) throws(StorageError) -> ContiguousArray<ObjectKey> {
    var stages = stages[...]
    var limit = limit
    if case .limit(let last) = stages.last {
      limit = min(limit ?? last, last)
      stages = stages.dropLast()
    }
    if stages.isEmpty { return try firstMatches(context, limit ?? .max) }
    if stages.count == 1, case .sort(let keys) = stages.first, let limit,
      limit <= TopCollector.limitMax
    {
      var top = TopCollector(keys, limit: limit)
      try forEachMatch(context) { (rows, selection) throws(StorageError) in
        try top.add(rows, selection)
        return false
      }
      return top.keys()
    }
    var rows = StagedRows(stages, capacity: try certainMatches(context))
    try forEachMatch(context) { (cluster, selection) throws(StorageError) in
      try rows.gather(cluster, selection)
      return false
    }
    return rows.keys(limit: limit)
  }

  private func firstMatches(
    _ context: EvaluationContext, _ limit: Int
  ) throws(StorageError) -> ContiguousArray<ObjectKey> {
    if limit == 0 { return [] }
    let plan = try plan(context, limit: limit)
    if case .candidates(_, let found, isExact: true) = plan, case .table = description.source {
      // An index names objects that are there.
      return ContiguousArray(found.prefix(limit))
    }
    var keys = ContiguousArray<ObjectKey>()
    if limit > 1_000 { keys.reserveCapacity(min(limit, try certainMatches(context))) }
    try forEachMatch(context, plan) { (rows, selection) throws(StorageError) in
      rows.cluster.append(selection, to: &keys)
      return keys.count >= limit
    }
    if keys.count > limit { keys.removeSubrange(limit...) }
    return keys
  }
}

extension Cluster {
  /// Appends the keys of the selected rows.
  func append(_ selection: Selection, to keys: inout ContiguousArray<ObjectKey>) {
    if isDense {
      let base = baseKey
      selection.forEach { keys.append(ObjectKey(rawValue: base &+ Int64($0))) }
    } else {
      selection.forEach { keys.append(key($0)) }
    }
  }
}
