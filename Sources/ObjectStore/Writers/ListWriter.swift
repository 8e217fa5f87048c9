import Storage

/// Reaches the lists of objects that are about to change, and stores their new roots; what is below
/// a root is changed by `ListTreeWriter`. Sets, and the keys and values of maps, are lists here.
///
/// Backlinks are up to others. It holds nothing but the tables, so it is made wherever it is
/// needed.
struct ListWriter {
  typealias State = OpenTables.State

  let tables: OpenTables

  private var writer: NodeWriter { tables.writer }
  private var source: NodeSource { tables.source }
  private var clusters: ClusterWriter { ClusterWriter(tables: tables) }

  func spec(_ state: State, _ column: ColumnKey) -> ColumnSpec {
    precondition(column.slot < state.pointee.columns.count, "no such column")
    let spec = state.pointee.columns[column.slot]
    precondition(spec.isList, "that column is no list")
    return spec
  }

  /// The list as it is now, on the way to a change: the cluster that holds it is made changeable.
  func current(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey
  ) throws(StorageError) -> ListView {
    let spec = spec(state, column)
    let row = try clusters.locate(state, object)
    let reference = state.pointee.leaf.node.reference(column.slot)
    var root = NodeReference.none
    if !reference.isNone {
      let node = try source.node(reference, .referenceVector)
      if row < node.count { root = node.reference(row) }
    }
    return try ListView(
      root: root, kind: spec.kind, isOptional: spec.isOptional, target: spec.other, in: source)
  }

  func storeRoot(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey, _ root: NodeReference
  ) throws(StorageError) {
    let row = try clusters.locate(state, object)
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try ReferenceVectorWriter.set(writer, old, row: row, root)
    if new != old { state.pointee.leaf.setReference(column.slot, new) }
  }

  /// Notes what has happened to the list.
  func record(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey, _ operation: ListOperation
  ) {
    state.pointee.history.list(object.rawValue, column.rawValue, operation)
    tables.generation &+= 1
  }
}
