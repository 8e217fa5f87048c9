import Storage

// Backlinks, and what happens to links when an object goes.
extension ObjectTransaction {
  func addBacklink(
    _ table: TableKey, _ column: ColumnKey, _ target: ObjectKey, from origin: ObjectKey
  ) throws(StorageError) {
    let state = try open(table)
    let row = try locate(state, target)
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try BacklinkWriter.add(writer, old, row: row, origin: origin, limits: limits)
    if new != old { state.pointee.leaf.setReference(column.slot, new) }
  }

  func removeBacklink(
    _ table: TableKey, _ column: ColumnKey, _ target: ObjectKey, from origin: ObjectKey
  ) throws(StorageError) {
    let state = try open(table)
    let row = try locate(state, target)
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try BacklinkWriter.remove(writer, old, row: row, origin: origin, limits: limits)
    if new != old { state.pointee.leaf.setReference(column.slot, new) }
  }

  /// A link has gone or is about to: so does its backlink, and the target if the link owned it.
  func endLink(
    _ spec: ColumnSpec, to target: ObjectKey, from origin: ObjectKey
  ) throws(StorageError) {
    try removeBacklink(spec.other, spec.otherColumn, target, from: origin)
    if spec.owns { orphans.append(Orphan(table: spec.other, key: target)) }
  }

  // MARK: Links among values of any kind

  /// The hidden column in `target` for links out of a column of any kind of value, which is made
  /// when the first such link is.
  func backlinkColumn(
    in target: TableKey, from table: TableKey, _ column: ColumnKey
  ) throws(StorageError) -> ColumnKey {
    let description = schema.description.classes[Int(target.rawValue)]
    if let known = description.backlinkColumn(from: table, column) { return known }
    var changed = schema.description
    let key = changed.classes[Int(target.rawValue)].addBacklink(from: table, column)
    try store(changed)
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
      orphans.append(Orphan(table: targetTable, key: target))
    }
  }

  /// Before a value of any kind is replaced: its backlink goes, that of the new one comes.
  func replaceAnyLink(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey, by new: StoredValue
  ) throws(StorageError) {
    let table = state.pointee.key
    let row = try locate(state, object)
    let position = ObjectPosition(cluster: state.pointee.cluster, row: row)
    let old = try self.table(table).any(column, at: position)
    if old == new { return }
    try removeAnyLink(old, table, column, object)
    try addAnyLink(new, table, column, object)
  }

  // MARK: Deleting

  /// Takes objects that are about to go out of all links: what leads from them leaves the
  /// backlinks, then what leads to them becomes null or leaves its list.
  ///
  /// Links among the objects themselves are gone before the second step. That goes through a list
  /// once, however many of the objects are in it.
  func severLinks(_ state: State, _ keys: [ObjectKey]) throws(StorageError) {
    let columns = state.pointee.columns.count
    for key in keys {
      for slot in 0..<columns {
        try severLink(state, ColumnKey(rawValue: UInt32(slot)), from: key)
      }
    }
    for slot in 0..<columns where state.pointee.columns[slot].isBacklink {
      try clearLinks(state, to: keys, ColumnKey(rawValue: UInt32(slot)))
    }
  }

  /// Takes back the backlinks of what leads out of one column, and lets go of its list. The column
  /// itself keeps its links: the object goes.
  private func severLink(
    _ state: State, _ column: ColumnKey, from key: ObjectKey
  ) throws(StorageError) {
    let spec = state.pointee.columns[column.slot]
    if spec.isBacklink { return }
    if spec.isList { return try dropList(state, column, spec, key) }
    guard spec.kind == .object || spec.kind == .any else { return }
    let row = try locate(state, key)
    let position = ObjectPosition(cluster: state.pointee.cluster, row: row)
    let stored = try table(state.pointee.key)
    if spec.kind == .any {
      try removeAnyLink(stored.any(column, at: position), state.pointee.key, column, key)
    } else if let target = try stored.link(column, at: position) {
      try endLink(spec, to: target, from: key)
    }
  }

  /// Lets go of an object's list and of the backlinks that come from it.
  private func dropList(
    _ state: State, _ column: ColumnKey, _ spec: ColumnSpec, _ key: ObjectKey
  ) throws(StorageError) {
    let list = try currentList(state, column, key)
    if list.count == 0 { return }
    try removeListBacklinks(list, spec, column, key, in: state.pointee.key)
    try storeListRoot(state, column, key, .none)
    try writer.releaseTree(list.root)
  }

  /// Makes every link to one of `keys` that the hidden `column` knows of null, or takes it out of
  /// its list.
  private func clearLinks(
    _ state: State, to keys: [ObjectKey], _ column: ColumnKey
  ) throws(StorageError) {
    let spec = state.pointee.columns[column.slot]
    var links: [ListedLink] = []
    for key in keys {
      let row = try locate(state, key)
      let vector = state.pointee.leaf.node.reference(column.slot)
      if vector.isNone { continue }
      let node = try source.node(vector, .backlinkVector)
      if row >= node.count { continue }
      let backlinks = try BacklinkView(node, row, in: source)
      if backlinks.count == 0 { continue }
      try backlinks.forEachKey { (origin) throws(StorageError) in
        links.append(ListedLink(origin: ObjectKey(rawValue: origin), target: key))
      }
      try forgetBacklinks(state, column, key)
    }
    if links.isEmpty { return }
    let originState = try open(spec.other)
    let originSpec = originState.pointee.columns[spec.otherColumn.slot]
    if originSpec.isList {
      return try removeFromLists(originState, spec.otherColumn, state.pointee.key, links)
    }
    for link in links {
      if originSpec.kind == .object {
        try storeLink(originState, spec.otherColumn, link.origin, nil)
      } else {
        try storeAnyNull(originState, spec.otherColumn, link.origin)
      }
    }
  }

  private func storeAnyNull(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey
  ) throws(StorageError) {
    let row = try locate(state, object)
    let spec = state.pointee.columns[column.slot]
    if spec.indexSlot != 0 { try reindex(state, spec, column, row, object, to: nil) }
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try VectorWriter.set(
      writer, old, row: row, .null, kind: .any, isOptional: true)
    finish(state, column, object, old, new)
  }

  /// Empties the object's set of origins, all of which are dealt with.
  private func forgetBacklinks(
    _ state: State, _ column: ColumnKey, _ key: ObjectKey
  ) throws(StorageError) {
    let row = try locate(state, key)
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try BacklinkWriter.clear(writer, old, row: row)
    if new != old { state.pointee.leaf.setReference(column.slot, new) }
  }
}
