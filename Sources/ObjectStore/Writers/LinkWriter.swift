import Storage

/// An embedded object or a nested collection whose link has gone.
struct Orphan {
  var table: TableKey
  var key: ObjectKey
}

/// Keeps both ends of links in step: what a link leads to knows where the link is. `BacklinkWriter`
/// changes the vectors of backlinks; the links themselves are written by `PropertyWriter` and with
/// lists.
///
/// What a link owned becomes an orphan when the link ends; whoever ends links deletes the orphans
/// before the present operation is over, unless they are kept for a while.
///
/// It holds nothing but the tables, so it is made wherever it is needed.
struct LinkWriter {
  typealias State = OpenTables.State

  let tables: OpenTables

  private var writer: NodeWriter { tables.writer }
  private var schema: StoredSchema { tables.schema }
  private var clusters: ClusterWriter { ClusterWriter(tables: tables) }

  func addBacklink(
    _ table: TableKey, _ column: ColumnKey, _ target: ObjectKey, from origin: ObjectKey
  ) throws(StorageError) {
    try changeBacklinks(table, column, target) { (old, row) throws(StorageError) in
      try BacklinkWriter.add(writer, old, row: row, origin: origin, limits: tables.limits)
    }
  }

  func removeBacklink(
    _ table: TableKey, _ column: ColumnKey, _ target: ObjectKey, from origin: ObjectKey
  ) throws(StorageError) {
    try changeBacklinks(table, column, target) { (old, row) throws(StorageError) in
      try BacklinkWriter.remove(writer, old, row: row, origin: origin, limits: tables.limits)
    }
  }

  /// Gives the target's cluster the vector that `change` makes of the one that it has.
  @inline(__always)
  private func changeBacklinks(
    _ table: TableKey, _ column: ColumnKey, _ target: ObjectKey,
    by change: (NodeReference, Int) throws(StorageError) -> NodeReference
  ) throws(StorageError) {
    let state = try tables.open(table)
    let row = try clusters.locate(state, target)
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try change(old, row)
    if new != old { state.pointee.leaf.setReference(column.slot, new) }
  }

  /// A link has gone or is about to: so does its backlink, and the target if the link owned it.
  func endLink(
    _ spec: ColumnSpec, to target: ObjectKey, from origin: ObjectKey
  ) throws(StorageError) {
    try removeBacklink(spec.other, spec.otherColumn, target, from: origin)
    if spec.owns { tables.orphans.append(Orphan(table: spec.other, key: target)) }
  }

  // MARK: Links among values of any kind

  /// The hidden column in `target` for links out of a column of any kind of value, which is made
  /// when the first such link is.
  private func backlinkColumn(
    in target: TableKey, from table: TableKey, _ column: ColumnKey
  ) throws(StorageError) -> ColumnKey {
    let description = schema.description.classes[Int(target.rawValue)]
    if let known = description.backlinkColumn(from: table, column) { return known }
    var changed = schema.description
    let key = changed.classes[Int(target.rawValue)].addBacklink(from: table, column)
    try tables.storeSchema(changed)
    return key
  }

  func addAnyLink(
    _ value: StoredValue, _ table: TableKey, _ column: ColumnKey, _ object: ObjectKey
  ) throws(StorageError) {
    guard case .link(let targetTable, let target) = value else { return }
    let layout = schema.layouts[Int(targetTable.rawValue)]
    precondition(
      !layout.isEmbedded || layout.isNested,
      "an embedded object belongs to one link, and cannot be a value of any kind")
    let hidden = try backlinkColumn(in: targetTable, from: table, column)
    try addBacklink(targetTable, hidden, target, from: object)
  }

  func removeAnyLink(
    _ value: StoredValue, _ table: TableKey, _ column: ColumnKey, _ object: ObjectKey
  ) throws(StorageError) {
    guard case .link(let targetTable, let target) = value else { return }
    let hidden = try backlinkColumn(in: targetTable, from: table, column)
    try removeBacklink(targetTable, hidden, target, from: object)
    if schema.layouts[Int(targetTable.rawValue)].isNested {
      tables.orphans.append(Orphan(table: targetTable, key: target))
    }
  }

  /// Before a value of any kind is replaced: its backlink goes, that of the new one comes.
  func replaceAnyLink(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey, by new: StoredValue
  ) throws(StorageError) {
    let table = state.pointee.key
    let row = try clusters.locate(state, object)
    let position = ObjectPosition(cluster: state.pointee.cluster, row: row)
    let old = try tables.table(table).any(column, at: position)
    if old == new { return }
    try removeAnyLink(old, table, column, object)
    try addAnyLink(new, table, column, object)
  }

  // MARK: Links in lists

  func addElementLink(
    _ value: StoredValue, _ spec: ColumnSpec, _ column: ColumnKey, _ object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    if spec.kind == .any { return try addAnyLink(value, table, column, object) }
    guard spec.kind == .object, !(spec.isMap && value == .null) else { return }
    guard case .link(spec.other, let target) = value else {
      preconditionFailure("an object of the linked class was expected, not \(value)")
    }
    try addBacklink(spec.other, spec.otherColumn, target, from: object)
  }

  func removeElementLink(
    _ value: StoredValue, _ spec: ColumnSpec, _ column: ColumnKey, _ object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    if spec.kind == .any { return try removeAnyLink(value, table, column, object) }
    guard case .link(_, let target) = value else { return }
    try endLink(spec, to: target, from: object)
  }

  /// Takes back the backlinks of all elements of a list.
  func removeListBacklinks(
    _ list: ListView, _ spec: ColumnSpec, _ column: ColumnKey, _ object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    guard spec.kind == .object || spec.kind == .any else { return }
    for index in 0..<list.count {
      try removeElementLink(list.value(at: index), spec, column, object, in: table)
    }
  }
}
