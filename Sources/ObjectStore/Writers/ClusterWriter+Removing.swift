import Storage

// Rows and clusters that go. Nodes that become short are joined to a neighbour.
extension ClusterWriter {
  /// Takes the row out of the cluster at hand: its key and its place in every vector. What the row
  /// referred to elsewhere must be gone. The cluster may go, or become one with a neighbour; then
  /// no cluster is at hand any more.
  func removeRow(_ state: State, _ row: Int) throws(StorageError) {
    let leaf = state.pointee.leaf
    state.pointee.addToCounts(-1)
    if leaf.node.count == 1 { return try removeCluster(state) }
    for slot in 0..<leaf.node.referenceCount {
      let old = leaf.node.reference(slot)
      if old.isNone { continue }
      let new = try removeRow(old, row)
      if new != old { leaf.setReference(slot, new) }
    }
    try removeKey(state, row)
    if state.pointee.leaf.node.count < max(1, limits.clusterRows / 4) {
      try mergeLeaf(state)
    }
  }

  private func removeRow(
    _ vector: NodeReference, _ row: Int
  ) throws(StorageError) -> NodeReference {
    switch try source.node(vector).kind {
    case .byteVector: return try ByteVectorWriter.removeRow(writer, vector, row: row)
    case .referenceVector: return try ReferenceVectorWriter.removeRow(writer, vector, row: row)
    case .backlinkVector: return try BacklinkWriter.removeRow(writer, vector, row: row)
    default: return try ElementWriter.removeRow(writer, vector, row: row)
    }
  }

  private func removeKey(_ state: State, _ row: Int) throws(StorageError) {
    let leaf = state.pointee.leaf
    let cluster = Cluster(node: leaf.node)
    let count = cluster.count
    if cluster.isDense, row == count - 1 { return leaf.setCount(count - 1) }
    if cluster.isDense, row == 0 {
      unsafe leaf.data.storeBytes(of: cluster.baseKey + 1, as: Int64.self)
      return leaf.setCount(count - 1)
    }
    let width = cluster.node.width
    if width > 0, row > 0, row < count - 1 {
      let bytes = width / 8
      let place = unsafe leaf.data + (8 + row * bytes)
      unsafe place.copyMemory(from: place + bytes, byteCount: (count - row - 1) * bytes)
      leaf.setCount(count - 1)
      return leaf.setDataSize(8 + (count - 1) * bytes)
    }
    var keys = (0..<count).map { cluster.key($0).rawValue }
    keys.remove(at: row)
    try setKeys(state, keys)
  }

  /// Lets go of the cluster at hand, which has no object left, and of inner nodes left empty.
  func removeCluster(_ state: State) throws(StorageError) {
    try writer.releaseTree(state.pointee.leaf.reference)
    try removeChild(state, level: state.pointee.depth - 1)
  }

  /// Takes the child on the path out of the inner node at `level`; -1 is the table itself.
  func removeChild(_ state: State, level: Int) throws(StorageError) {
    state.pointee.hasLeaf = false
    var level = level
    while level >= 0 {
      let place = state.pointee.path[level]
      if place.node.node.referenceCount > 1 {
        InnerNode.remove(writer, place.node, at: place.slot, stride: InnerNode.clusterStride)
        if level > 0 { try mergeInner(state, level: level) }
        return try collapseRoot(state)
      }
      try writer.release(place.node.reference)
      level -= 1
    }
    state.pointee.node.setReference(TableNode.clusterReference, .none)
  }

  /// An inner root with a single child is not needed.
  private func collapseRoot(_ state: State) throws(StorageError) {
    while true {
      let reference = state.pointee.node.node.reference(TableNode.clusterReference)
      let root = try source.node(reference)
      guard root.kind == .clusterInner, root.referenceCount == 1 else { return }
      state.pointee.node.setReference(TableNode.clusterReference, root.reference(0))
      try writer.release(reference)
    }
  }

  /// Makes the inner node at `level` of the path one with a neighbour if both are small.
  private func mergeInner(_ state: State, level: Int) throws(StorageError) {
    let parent = state.pointee.path[level - 1]
    let stride = InnerNode.clusterStride
    for left in [parent.slot - 1, parent.slot] {
      guard left >= 0, left + 1 < parent.node.node.referenceCount else { continue }
      let a = parent.node.node.reference(left)
      let b = parent.node.node.reference(left + 1)
      let sizes = (
        try source.node(a, .clusterInner).referenceCount,
        try source.node(b, .clusterInner).referenceCount
      )
      guard InnerNode.shouldMerge(sizes.0, sizes.1, capacity: limits.innerChildren) else {
        continue
      }
      let added = InnerNode.count(parent.node.node, left + 1, stride: stride)
      let merged = try InnerNode.merge(writer, a, b, stride: stride)
      parent.node.setReference(left, merged)
      InnerNode.add(parent.node, left, added, stride: stride)
      InnerNode.remove(writer, parent.node, at: left + 1, stride: stride)
      if level > 1 { try mergeInner(state, level: level - 1) }
      return
    }
  }
}
