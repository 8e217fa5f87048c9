import Storage

// Running a query on one version.
extension CompiledQuery {
  /// The keys of the objects in the results, in order.
  public func evaluate(_ view: StoreView) throws(StorageError) -> ContiguousArray<ObjectKey> {
    try evaluate(EvaluationContext(view), limit: description.limit)
  }

  /// How many objects are in the results.
  public func count(_ view: StoreView) throws(StorageError) -> Int {
    let context = EvaluationContext(view)
    if !distinct.isEmpty { return try evaluate(context, limit: description.limit).count }
    let found = try matchCount(context)
    return min(found, description.limit ?? found)
  }

  /// The first `limit` objects of the results, or all of them if there are fewer.
  public func first(_ limit: Int, _ view: StoreView) throws(StorageError)
    -> ContiguousArray<ObjectKey>
  {
    let limit = min(limit, description.limit ?? limit)
    if limit == 0 { return [] }
    return try evaluate(EvaluationContext(view), limit: limit)
  }

  /// The first object of the results, or nil.
  public func first(_ view: StoreView) throws(StorageError) -> ObjectKey? {
    try first(1, view).first
  }

  /// Whether the predicate holds for an object of the table (wherever the results come from).
  public func matches(_ key: ObjectKey, _ view: StoreView) throws(StorageError) -> Bool {
    try matches(key, EvaluationContext(view))
  }

  func matches(_ key: ObjectKey, _ context: EvaluationContext) throws(StorageError) -> Bool {
    guard let table = try context.table(table), let position = try table.find(key) else {
      return false
    }
    let rows = ClusterRows(context: context, table: table, cluster: position.cluster)
    return try node.holds(rows, position.row)
  }

  private func matchCount(_ context: EvaluationContext) throws(StorageError) -> Int {
    if case .table = description.source, let table = try context.table(table) {
      if (node as? ConstantNode)?.value == true { return table.count }
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
  func forEachMatch(
    _ context: EvaluationContext,
    _ body: (ClusterRows, Selection) throws(StorageError) -> Bool
  ) throws(StorageError) {
    try forEachMatch(context, try plan(context), body)
  }

  private func forEachMatch(
    _ context: EvaluationContext, _ plan: QueryPlan,
    _ body: (ClusterRows, Selection) throws(StorageError) -> Bool
  ) throws(StorageError) {
    switch plan {
    case .nothing: return
    case .scan(let table):
      var clusters = table.clusters()
      while let cluster = try clusters.next() {
        let rows = ClusterRows(context: context, table: table, cluster: cluster)
        let found = try node.select(rows, .first(cluster.count))
        if !found.isEmpty, try body(rows, found) { return }
      }
    case .candidates(let table, let keys, let isExact):
      for key in keys {
        guard let position = try table.find(key) else { continue }
        let rows = ClusterRows(context: context, table: table, cluster: position.cluster)
        if !isExact, try !node.holds(rows, position.row) { continue }
        if try body(rows, .row(position.row)) { return }
      }
    }
  }

  func evaluate(
    _ context: EvaluationContext, limit: Int?
  ) throws(StorageError) -> ContiguousArray<ObjectKey> {
    if let limit, distinct.isEmpty, !sort.isEmpty, limit <= TopCollector.limitMax {
      var top = TopCollector(sort, limit: limit)
      try forEachMatch(context) { (rows, selection) throws(StorageError) in
        try top.add(rows, selection)
        return false
      }
      return top.keys()
    }
    var columns = sort.map { SortColumn($0.path, ascending: $0.ascending) }
    var distinctColumns = distinct.map { SortColumn($0, ascending: true) }
    var keys = ContiguousArray<ObjectKey>()
    let enough = sort.isEmpty && distinct.isEmpty ? limit ?? .max : .max
    let plan = try plan(context, limit: enough)
    if case .candidates(_, let found, isExact: true) = plan, case .table = description.source,
      sort.isEmpty && distinct.isEmpty
    {
      // An index names objects that are there.
      return ContiguousArray(found.prefix(enough))
    }
    try forEachMatch(context, plan) { (rows, selection) throws(StorageError) in
      Self.append(rows.cluster, selection, to: &keys)
      for index in columns.indices { try columns[index].gather(rows, selection) }
      for index in distinctColumns.indices {
        try distinctColumns[index].gather(rows, selection)
      }
      return keys.count >= enough
    }
    if keys.count > enough { keys.removeSubrange(enough...) }
    if sort.isEmpty && distinct.isEmpty { return keys }
    let order = order(of: keys.count, columns, distinctColumns, limit: limit)
    return ContiguousArray(order.map { keys[Int($0)] })
  }

  /// The rows that are left after sorting, telling apart and limiting, in order.
  private func order(
    of count: Int, _ columns: [SortColumn], _ distinctColumns: [SortColumn], limit: Int?
  ) -> [UInt32] {
    var sorter = Sorter(columns)
    var order =
      columns.isEmpty ? Array(0..<UInt32(count)) : sorter.sorted(count: count)
    if !distinctColumns.isEmpty {
      let isFirst = Distinction.firstOfEach(order, distinctColumns)
      order = order.filter { isFirst[Int($0)] }
    }
    if let limit, limit < order.count { order.removeSubrange(limit...) }
    return order
  }

  private static func append(
    _ cluster: Cluster, _ selection: Selection, to keys: inout ContiguousArray<ObjectKey>
  ) {
    if cluster.isDense {
      let base = cluster.baseKey
      selection.forEach { keys.append(ObjectKey(rawValue: base &+ Int64($0))) }
    } else {
      selection.forEach { keys.append(cluster.key($0)) }
    }
  }
}

/// Finds the first row of each combination of values.
enum Distinction {
  /// - Parameter order: rows in the order in which they are looked at.
  /// - Returns: for each row whether it is the first of its combination.
  static func firstOfEach(_ order: [UInt32], _ columns: [SortColumn]) -> [Bool] {
    var isFirst = [Bool](repeating: false, count: order.count)
    var place = [Int](repeating: 0, count: order.count)
    for (index, row) in order.enumerated() { place[Int(row)] = index }
    // Sorted by the values, equal rows stand together; the one that comes first in `order` stays.
    var sorter = Sorter(columns)
    var best: UInt32?
    var last: UInt32?
    for row in sorter.sorted(count: order.count) {
      let isSame = last.map { areEqual($0, row, columns) } ?? false
      if let found = best, isSame {
        if place[Int(row)] < place[Int(found)] { best = row }
      } else {
        if let found = best { isFirst[Int(found)] = true }
        best = row
      }
      last = row
    }
    if let found = best { isFirst[Int(found)] = true }
    return isFirst
  }

  private static func areEqual(_ left: UInt32, _ right: UInt32, _ columns: [SortColumn]) -> Bool {
    columns.allSatisfy { $0.compare(Int(left), Int(right)) == .equal }
  }
}
