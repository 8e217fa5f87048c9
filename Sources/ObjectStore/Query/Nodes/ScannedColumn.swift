import Storage

/// A column whose vectors a scan reads. A plain value: asking for the next cluster's vectors calls
/// no node of the predicate and retains nothing.
struct ScannedColumn: Hashable {
  private let key: ColumnKey
  private let bytesPerRow: Int

  init(_ column: ColumnInfo) {
    key = column.key
    bytesPerRow =
      switch column.kind {
      case .double, .date: 8
      case .float: 4
      default: 1
      }
  }

  /// The columns of all parts of a predicate, each once.
  static func all(of parts: [any PredicateNode]) -> ContiguousArray<ScannedColumn> {
    var columns = ContiguousArray<ScannedColumn>()
    for part in parts {
      for column in part.scannedColumns where !columns.contains(column) { columns.append(column) }
    }
    return columns
  }

  /// Asks the processor for the vector, as far as the column's kind says how large it is. What a
  /// damaged cluster says of its rows has not been looked at yet.
  @inline(__always)
  func prefetch(_ cluster: Cluster, _ source: NodeSource) {
    let rows = min(cluster.count, TreeLimits.standard.clusterRows)
    unsafe Prefetch.ask(source.place(of: cluster.reference(key)), bytes: 32 &+ rows &* bytesPerRow)
  }
}

/// The columns of a predicate, as a scan asks for them at each cluster.
struct ScannedColumns {
  // Beside the others: going through an array retains it, which a scan of narrow integers feels.
  private let first: ScannedColumn?
  private let others: ContiguousArray<ScannedColumn>

  /// - Parameter more: one that is read besides.
  init(_ columns: ContiguousArray<ScannedColumn>, and more: ScannedColumn?) {
    var columns = columns
    if let more, !columns.contains(more) { columns.append(more) }
    first = columns.first
    others = ContiguousArray(columns.dropFirst())
  }

  @inline(__always)
  func prefetch(_ cluster: Cluster, _ source: NodeSource) {
    guard let first else { return }
    first.prefetch(cluster, source)
    if others.isEmpty { return }
    for index in others.indices { others[index].prefetch(cluster, source) }
  }
}
