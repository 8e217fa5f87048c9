import Storage

// Keys only ever rise, so a table grows at its right end alone: clusters are filled up, never cut
// in two.
//
// A transaction that adds one object would write most of a cluster's vectors anew for it. So the
// last cluster stays short, a tail, as long as transactions add few objects each: the next one
// begins another tail, and joins the one before to its neighbour.
extension ClusterWriter {
  /// Adds a row for `key`, which is above all others, at the end of the table and makes its cluster
  /// the one at hand.
  @inline(__always)
  func appendRow(_ state: State, _ key: Int64) throws(StorageError) {
    if !state.pointee.hasLeaf || state.pointee.high != .max {
      if state.pointee.node.node.reference(TableNode.clusterReference).isNone {
        return try appendCluster(state, key)
      }
      try descend(state, .max)
      if try hasLeftTail(state) { return try appendCluster(state, key) }
    }
    let leaf = state.pointee.leaf
    let count = leaf.node.count
    if count >= limits.clusterRows { return try appendCluster(state, key) }
    let cluster = Cluster(node: leaf.node)
    if cluster.isDense, key == cluster.baseKey &+ Int64(count) {
      leaf.setCount(count &+ 1)
    } else {
      try appendSparse(state, key)
    }
    state.pointee.addToCounts(1)
  }

  /// Adds a row to a cluster whose keys have gaps, or get one.
  private func appendSparse(_ state: State, _ key: Int64) throws(StorageError) {
    let cluster = state.pointee.cluster
    var keys = (0..<cluster.count).map { cluster.key($0).rawValue }
    keys.append(key)
    try setKeys(state, keys)
  }

  /// Leaves the cluster at hand, the last one, as it is where it is long for one to which single
  /// objects are added, and nothing of it has been changed by this transaction.
  ///
  /// - Returns: whether the next object begins a cluster.
  private func hasLeftTail(_ state: State) throws(StorageError) -> Bool {
    let leaf = state.pointee.leaf.node
    let tailRows = max(1, limits.clusterRows / 4)
    guard leaf.count >= tailRows, leaf.count < limits.clusterRows, !isChanged(leaf) else {
      return false
    }
    let level = state.pointee.depth - 1
    if level >= 0, state.pointee.path[level].slot > 0 {
      let place = state.pointee.path[level]
      let count = try clusterCount(place.node.node, place.slot - 1)
      if count + leaf.count <= limits.clusterRows {
        try join(state, place.slot - 1)
        try descend(state, .max)
        return true
      }
    }
    // What cannot be joined later should not be short.
    return leaf.count <= tailRows + tailRows / 2
  }

  private func isChanged(_ leaf: Node) -> Bool {
    for slot in 0..<leaf.referenceCount where leaf.reference(slot).isUncommitted { return true }
    return false
  }

  /// Adds a cluster of one object at the right end.
  private func appendCluster(_ state: State, _ key: Int64) throws(StorageError) {
    let leaf = writer.make(
      kind: .cluster, referenceCount: state.pointee.columns.count, count: 1, dataSize: 8)
    unsafe leaf.data.storeBytes(of: key, as: Int64.self)
    let old = state.pointee.node.node.reference(TableNode.clusterReference)
    if old.isNone {
      state.pointee.node.setReference(TableNode.clusterReference, leaf.reference)
      state.pointee.count = 1
    } else {
      let entry = InnerEntry(leaf.reference, first: IndexPair(key, 0), count: 1)
      try appendChild(state, entry)
      state.pointee.count += 1
    }
    try descend(state, key)
  }

  /// Adds a child at the right end, on the lowest level of inner nodes; the path at hand must lead
  /// to the right end. Counts above the place where it is put in are raised.
  private func appendChild(_ state: State, _ entry: InnerEntry) throws(StorageError) {
    let stride = InnerNode.clusterStride
    var entry = entry
    var level = state.pointee.depth - 1
    while level >= 0 {
      let node = state.pointee.path[level].node
      let children = node.node.referenceCount
      if children < limits.innerChildren {
        let grown = try InnerNode.insert(
          writer, node.reference, at: children, entry, stride: stride)
        state.pointee.setParentReference(level, grown)
        for above in 0..<level {
          let place = state.pointee.path[above]
          InnerNode.add(place.node, place.slot, entry.count, stride: stride)
        }
        return
      }
      entry.reference = InnerNode.make(writer, [entry], stride: stride)
      level -= 1
    }
    let old = state.pointee.node.node.reference(TableNode.clusterReference)
    let left = InnerEntry(old, first: IndexPair(0, 0), count: state.pointee.count)
    let root = InnerNode.make(writer, [left, entry], stride: stride)
    state.pointee.node.setReference(TableNode.clusterReference, root)
  }
}
