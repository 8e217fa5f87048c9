import Storage

/// Collects the first few objects of a sorted order while a query runs.
///
/// It keeps a few more rows than wanted. When there are too many it cuts them down to those wanted,
/// the last of which is a bound: from then on, a vector at a time, only rows that do not come
/// behind it are looked at.
struct TopCollector {
  /// Beyond that a full sort is not much more work.
  static let limitMax = 4096

  private let sort: [CompiledSortKey]
  private let limit: Int
  private let room: Int
  private var columns: [SortColumn]
  private var found = ContiguousArray<ObjectKey>()
  /// Holds for every row that may come before the last of those wanted.
  private var bound: (any PredicateNode)?

  init(_ sort: [CompiledSortKey], limit: Int) {
    self.sort = sort
    self.limit = limit
    room = max(4 * limit, 512)
    columns = sort.map { SortColumn($0.path, ascending: $0.ascending) }
  }

  mutating func add(_ rows: ClusterRows, _ selection: Selection) throws(StorageError) {
    var wanted = selection
    if let bound { wanted = try bound.select(rows, selection) }
    if wanted.isEmpty { return }
    wanted.forEach { found.append(rows.cluster.key($0)) }
    for index in columns.indices { try columns[index].gather(rows, wanted) }
    if found.count > room { cut() }
  }

  private mutating func cut() {
    let rows = TopRows.first(limit, of: found.count, by: columns)
    found = ContiguousArray(rows.map { found[Int($0)] })
    for index in columns.indices { columns[index].keep(rows) }
    if let last = rows.indices.last { bound = bound(after: last) }
  }

  /// Rows that equal the last one wanted pass; that they come later in the table decides later.
  private func bound(after row: Int) -> (any PredicateNode)? {
    let key = sort[0]
    guard key.path.hops.isEmpty, case .value(let column) = key.path.end else { return nil }
    if columns[0].presence(row) == .null {
      return key.ascending ? NullNode(column, isNull: true) : nil
    }
    guard let value = columns[0].value(row) else { return nil }
    // What is not behind, rather than what is before: null and not-a-number pass.
    let behind = ColumnCompiler.compare(column, key.ascending ? .greater : .less, value)
    return behind.map { NegationNode($0) }
  }

  /// The first objects in order.
  func keys() -> ContiguousArray<ObjectKey> {
    let rows = TopRows.first(limit, of: found.count, by: columns)
    return ContiguousArray(rows.map { found[Int($0)] })
  }
}
