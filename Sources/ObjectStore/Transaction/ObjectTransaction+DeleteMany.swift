import Storage

// Deleting many objects: cluster by cluster, each rewritten once.
extension ObjectTransaction {
  /// Deletes many objects and the embedded ones that belong to them, faster than one by one; keys
  /// that no object has are passed over.
  public func deleteObjects(_ keys: [ObjectKey], in table: TableKey) throws(StorageError) {
    try removeObjects(keys, in: table)
    try deleteOrphans()
  }

  /// Deletes many objects, and makes orphans of the embedded ones that belong to them.
  func removeObjects(_ keys: [ObjectKey], in table: TableKey) throws(StorageError) {
    let existing = try existing(keys, in: try self.table(table))
    if existing.count < 8 {
      for key in existing { try removeObject(key, in: table) }
      return
    }
    let state = try open(table)
    if schema.layouts[Int(table.rawValue)].hasRelations {
      try severLinks(state, existing)
    }
    try removeFromIndexes(state, existing)
    var start = 0
    while start < existing.count {
      _ = try locate(state, existing[start])
      var end = start + 1
      while end < existing.count, existing[end].rawValue <= state.pointee.high { end += 1 }
      try removeRows(state, existing[start..<end])
      start = end
    }
    for key in existing { state.pointee.history.deleted(key.rawValue) }
    generation &+= 1
  }

  /// Those keys that objects have, in order and once each.
  private func existing(
    _ keys: [ObjectKey], in table: Table
  ) throws(StorageError) -> [ObjectKey] {
    var existing: [ObjectKey] = []
    existing.reserveCapacity(keys.count)
    var cluster: Cluster?
    for key in keys.sorted() where key != existing.last {
      if let cluster, key <= cluster.key(cluster.count - 1) {
        if cluster.row(of: key) != nil { existing.append(key) }
      } else if let position = try table.find(key) {
        existing.append(key)
        cluster = position.cluster
      }
    }
    return existing
  }

  /// Takes the objects, all of them in the cluster at hand, out of it.
  private func removeRows(_ state: State, _ keys: ArraySlice<ObjectKey>) throws(StorageError) {
    let cluster = state.pointee.cluster
    if keys.count < 4 && keys.count < cluster.count {
      for key in keys { try removeRow(state, try locate(state, key)) }
      return
    }
    var kept: [Range<Int>] = []
    var next = 0
    for key in keys {
      guard let row = cluster.row(of: key) else { throw missing(state, key) }
      if row > next { kept.append(next..<row) }
      next = row + 1
    }
    if next < cluster.count { kept.append(next..<cluster.count) }
    state.pointee.addToCounts(-keys.count)
    if kept.isEmpty { return try removeCluster(state) }
    try releaseLargeValues(cluster, except: kept)
    let old = state.pointee.leaf.reference
    let new = try gatherCluster(state, kept.map { (old, $0) })
    try releaseCluster(old)
    state.pointee.setParentReference(state.pointee.depth, new)
    state.pointee.hasLeaf = false
    let left = try source.node(new).count
    if left < max(1, limits.clusterRows / 4) {
      try descend(state, keys[keys.startIndex].rawValue)
      try mergeLeaf(state)
    }
  }

  /// Lets go of the values in nodes of their own that rows outside of `kept` have.
  private func releaseLargeValues(
    _ cluster: Cluster, except kept: [Range<Int>]
  ) throws(StorageError) {
    for slot in 0..<cluster.node.referenceCount {
      let reference = cluster.node.reference(slot)
      if reference.isNone { continue }
      let node = try source.node(reference)
      guard node.kind == .byteVector, node.flags & VectorMath.largeFlag != 0 else { continue }
      for row in 0..<node.count where ByteVector.isLarge(node, row) {
        if kept.contains(where: { $0.contains(row) }) { continue }
        try writer.releaseTree(node.reference(ByteVector.largeRank(node, row)))
      }
    }
  }

  /// Takes objects that are about to go out of all indexes: one by one, or, where they are a good
  /// part of the table, by writing the indexes anew without them.
  private func removeFromIndexes(
    _ state: State, _ keys: [ObjectKey]
  ) throws(StorageError) {
    if schema.layouts[Int(state.pointee.key.rawValue)].indexCount == 0 { return }
    if keys.count < state.pointee.count / 4 {
      for key in keys {
        let row = try locate(state, key)
        try removeFromIndexes(state, row, key)
      }
      return
    }
    let gone = KeyFilter(sorted: keys)
    let columns = state.pointee.columns
    for slot in 0..<columns.count where columns[slot].indexSlot != 0 {
      let node = try indexNode(state, columns[slot])
      for place in 0..<2 {
        let old = node.node.reference(place)
        if old.isNone { continue }
        var left: [IndexPair] = []
        var iterator = PairIterator(root: old, in: source)
        while let pair = try iterator.next() {
          if !gone.contains(pair.key) { left.append(pair) }
        }
        node.setReference(place, try PairTree.build(writer, sorted: left, limits: limits))
        try writer.releaseTree(old)
      }
    }
  }
}
