import Storage

/// A cluster in which a predicate is to be evaluated.
struct ClusterRows {
  let context: EvaluationContext
  let table: Table
  let cluster: Cluster

  @inline(__always)
  var count: Int { cluster.count }

  @inline(__always)
  func place(_ row: Int) -> PathPlace {
    PathPlace(table: table, position: ObjectPosition(cluster: cluster, row: row))
  }
}

/// A part of a compiled predicate. Immutable, so one tree serves any number of threads.
///
/// Final classes behind a protocol rather than closures or an enumeration: one call through a table
/// per cluster, nothing retained per row, and the compiler checks that they may be shared.
protocol PredicateNode: AnyObject, Sendable {
  /// How much work a row is, roughly: 1 for a vector compare. Conjunctions start with the least.
  var cost: Int { get }

  /// What an index of a column could be asked instead; nil if none could.
  var probe: IndexProbe? { get }
  /// The column whose index `probe` is for.
  var probedColumn: ColumnKey? { get }

  /// Those of the candidates for which the predicate holds.
  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection

  /// The columns whose vectors every selection reads, so that a scan can ask for them ahead.
  var scannedColumns: ContiguousArray<ScannedColumn> { get }

  /// Whether the predicate holds for one row: cheaper than a selection of one.
  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool
}

extension PredicateNode {
  var probe: IndexProbe? { nil }
  var probedColumn: ColumnKey? { nil }
  var scannedColumns: ContiguousArray<ScannedColumn> { [] }
}

/// Holds for every object, or for none.
final class ConstantNode: PredicateNode {
  let value: Bool
  init(_ value: Bool) { self.value = value }
  var cost: Int { 0 }

  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    value ? candidates : .none
  }

  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool { value }
}

/// Holds where all parts hold. Each part looks at what the ones before it have left.
final class ConjunctionNode: PredicateNode {
  let parts: [any PredicateNode]
  // The two that are asked first, once more: a constant of an object is called without being
  // retained, an element of an array is not.
  private let first: any PredicateNode
  private let second: any PredicateNode

  /// - Parameter parts: two at least.
  init(_ parts: [any PredicateNode]) {
    self.parts = parts.sorted { $0.cost < $1.cost }
    first = self.parts[0]
    second = self.parts[1]
  }

  var cost: Int { parts.reduce(0) { $0 + $1.cost } }

  var scannedColumns: ContiguousArray<ScannedColumn> { ScannedColumn.all(of: parts) }

  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var left = try first.select(rows, candidates)
    if left.isEmpty { return left }
    left = try second.select(rows, left)
    if parts.count == 2 { return left }
    for part in parts.dropFirst(2) {
      if left.isEmpty { break }
      left = try part.select(rows, left)
    }
    return left
  }

  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    for part in parts where try !part.holds(rows, row) { return false }
    return true
  }
}

/// Holds where any part holds. Each part looks at what the ones before it have not taken.
final class DisjunctionNode: PredicateNode {
  let parts: [any PredicateNode]
  init(_ parts: [any PredicateNode]) { self.parts = parts.sorted { $0.cost < $1.cost } }
  var cost: Int { parts.reduce(0) { $0 + $1.cost } }

  var scannedColumns: ContiguousArray<ScannedColumn> { ScannedColumn.all(of: parts) }

  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var found = Selection.none
    for part in parts {
      let open = candidates.subtracting(found)
      if open.isEmpty { break }
      found = found | (try part.select(rows, open))
    }
    return found
  }

  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    for part in parts where try part.holds(rows, row) { return true }
    return false
  }
}

final class NegationNode: PredicateNode {
  let part: any PredicateNode
  init(_ part: any PredicateNode) { self.part = part }
  var cost: Int { part.cost }

  var scannedColumns: ContiguousArray<ScannedColumn> { part.scannedColumns }

  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    candidates.subtracting(try part.select(rows, candidates))
  }
  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    try !part.holds(rows, row)
  }
}
