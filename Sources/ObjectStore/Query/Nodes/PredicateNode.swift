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
/// Classes rather than closures or an enumeration: one virtual call per cluster, nothing retained
/// per row.
class PredicateNode: @unchecked Sendable {
  // Sendable: subclasses have nothing but constants.

  /// How much work a row is, roughly: 1 for a vector compare. Conjunctions start with the least.
  var cost: Int { 1 }

  /// Those of the candidates for which the predicate holds.
  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    candidates
  }

  /// Whether the predicate holds for one row: cheaper than a selection of one.
  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    try !select(rows, .row(row)).isEmpty
  }
}

/// Holds for every object, or for none.
final class ConstantNode: PredicateNode, @unchecked Sendable {
  let value: Bool
  init(_ value: Bool) { self.value = value }
  override var cost: Int { 0 }

  override func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    value ? candidates : .none
  }

  override func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool { value }
}

/// Holds where all parts hold. Each part looks at what the ones before it have left.
final class ConjunctionNode: PredicateNode, @unchecked Sendable {
  let parts: [PredicateNode]
  init(_ parts: [PredicateNode]) { self.parts = parts.sorted { $0.cost < $1.cost } }
  override var cost: Int { parts.reduce(0) { $0 + $1.cost } }

  override func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    var left = candidates
    for part in parts {
      if left.isEmpty { break }
      left = try part.select(rows, left)
    }
    return left
  }

  override func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    for part in parts where try !part.holds(rows, row) { return false }
    return true
  }
}

/// Holds where any part holds. Each part looks at what the ones before it have not taken.
final class DisjunctionNode: PredicateNode, @unchecked Sendable {
  let parts: [PredicateNode]
  init(_ parts: [PredicateNode]) { self.parts = parts.sorted { $0.cost < $1.cost } }
  override var cost: Int { parts.reduce(0) { $0 + $1.cost } }

  override func select(
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

  override func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    for part in parts where try part.holds(rows, row) { return true }
    return false
  }
}

final class NegationNode: PredicateNode, @unchecked Sendable {
  let part: PredicateNode
  init(_ part: PredicateNode) { self.part = part }
  override var cost: Int { part.cost }

  override func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    candidates.subtracting(try part.select(rows, candidates))
  }
  override func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    try !part.holds(rows, row)
  }
}
