import Storage

// Links from and to objects that are about to go.
extension ObjectDeletion {
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
    let row = try clusters.locate(state, key)
    let position = ObjectPosition(cluster: state.pointee.cluster, row: row)
    let stored = try transaction.table(state.pointee.key)
    if spec.kind == .any {
      try transaction.links.removeAnyLink(
        stored.any(column, at: position), state.pointee.key, column, key)
    } else if let target = try stored.link(column, at: position) {
      try transaction.links.endLink(spec, to: target, from: key)
    }
  }

  /// Lets go of an object's list and of the backlinks that come from it.
  private func dropList(
    _ state: State, _ column: ColumnKey, _ spec: ColumnSpec, _ key: ObjectKey
  ) throws(StorageError) {
    let list = try transaction.lists.current(state, column, key)
    if list.count == 0 { return }
    try transaction.links.removeListBacklinks(list, spec, column, key, in: state.pointee.key)
    try transaction.lists.storeRoot(state, column, key, .none)
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
      let row = try clusters.locate(state, key)
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
    let originState = try tables.open(spec.other)
    let originSpec = originState.pointee.columns[spec.otherColumn.slot]
    if originSpec.isList {
      return try removeFromLists(originState, spec.otherColumn, state.pointee.key, links)
    }
    for link in links {
      if originSpec.kind == .object {
        try transaction.properties.storeLink(
          originState, spec.otherColumn, link.origin, nil, isCut: true)
      } else {
        try storeAnyNull(originState, spec.otherColumn, link.origin)
      }
    }
  }

  private func storeAnyNull(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey
  ) throws(StorageError) {
    let row = try clusters.locate(state, object)
    let spec = state.pointee.columns[column.slot]
    if spec.indexSlot != 0 {
      try transaction.indexes.reindex(state, spec, column, row, object, to: nil)
    }
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try VectorWriter.set(
      writer, old, row: row, .null, kind: .any, isOptional: true)
    transaction.properties.finish(state, column, object, old, new, isCut: true)
  }

  /// Empties the object's set of origins, all of which are dealt with.
  private func forgetBacklinks(
    _ state: State, _ column: ColumnKey, _ key: ObjectKey
  ) throws(StorageError) {
    let row = try clusters.locate(state, key)
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try BacklinkWriter.clear(writer, old, row: row)
    if new != old { state.pointee.leaf.setReference(column.slot, new) }
  }
}
