import Storage

// Clusters made of rows of others.
extension ClusterWriter {
  /// Makes the cluster at hand one with a neighbour if both fit well into one.
  func mergeLeaf(_ state: State) throws(StorageError) {
    guard state.pointee.depth > 0 else { return }
    let parent = state.pointee.path[state.pointee.depth - 1]
    for left in [parent.slot - 1, parent.slot] {
      guard left >= 0, left + 1 < parent.node.node.referenceCount else { continue }
      let count = try clusterCount(parent.node.node, left)
      let next = try clusterCount(parent.node.node, left + 1)
      if InnerNode.shouldMerge(count, next, capacity: limits.clusterRows) {
        return try join(state, left)
      }
    }
  }

  /// How many objects a child of a lowest inner node has; what the inner node says alone may be
  /// damaged.
  func clusterCount(_ parent: Node, _ slot: Int) throws(StorageError) -> Int {
    let reference = parent.reference(slot)
    let count = try source.node(reference, .cluster).count
    try checkCount(
      reference, count, InnerNode.count(parent, slot, stride: InnerNode.clusterStride))
    return count
  }

  /// Makes one cluster of a child of the lowest inner node on the path and of the next one, whose
  /// counts have been checked; no cluster is at hand then.
  func join(_ state: State, _ left: Int) throws(StorageError) {
    let level = state.pointee.depth - 1
    let parent = state.pointee.path[level]
    let (a, b) = (parent.node.node.reference(left), parent.node.node.reference(left + 1))
    let first = Cluster(node: try source.node(a, .cluster))
    let second = Cluster(node: try source.node(b, .cluster))
    guard first.count > 0, first.key(first.count - 1) < second.key(0) else {
      throw source.corrupt(b, "objects with higher keys were expected")
    }
    let merged = try gather(state, [(a, 0..<first.count), (b, 0..<second.count)])
    let added = second.count
    try release(a)
    try release(b)
    parent.node.setReference(left, merged)
    InnerNode.add(parent.node, left, added, stride: InnerNode.clusterStride)
    state.pointee.path[level].slot = left + 1
    try removeChild(state, level: level)
  }

  /// A cluster of rows from others, its vectors as narrow as can be. The old ones stay.
  func gather(
    _ state: State, _ pieces: [(NodeReference, Range<Int>)]
  ) throws(StorageError) -> NodeReference {
    var keys: [Int64] = []
    var vectors: [[VectorPiece]] = Array(repeating: [], count: state.pointee.columns.count)
    for (reference, rows) in pieces {
      let cluster = Cluster(node: try source.node(reference))
      for row in rows { keys.append(cluster.key(row).rawValue) }
      for slot in vectors.indices {
        let vector = cluster.reference(ColumnKey(rawValue: UInt32(slot)))
        vectors[slot].append(VectorPiece(reference: vector, rows: rows))
      }
    }
    let span = UInt64(keys[keys.count - 1] - keys[0])
    let isDense = span == UInt64(keys.count - 1)
    let width = isDense ? 0 : VectorMath.offsetWidth(of: span)
    let leaf = writer.make(
      kind: .cluster, width: width, referenceCount: vectors.count, count: keys.count,
      dataSize: 8 + keys.count * width / 8)
    unsafe leaf.data.storeBytes(of: keys[0], as: Int64.self)
    for (row, key) in keys.enumerated() {
      unsafe VectorMath.setOffset(leaf.data + 8, width: width, row, UInt64(key - keys[0]))
    }
    for slot in vectors.indices where vectors[slot].contains(where: { !$0.reference.isNone }) {
      let vector = try gatherVector(state.pointee.columns[slot], vectors[slot])
      leaf.setReference(slot, vector)
    }
    return leaf.reference
  }

  private func gatherVector(
    _ spec: ColumnSpec, _ pieces: [VectorPiece]
  ) throws(StorageError) -> NodeReference {
    if spec.isBacklink { return try BacklinkWriter.gather(writer, pieces) }
    if spec.isList { return try ReferenceVectorWriter.gather(writer, pieces) }
    return try VectorWriter.gather(
      writer, pieces, kind: spec.kind, isOptional: spec.isOptional)
  }

  /// Lets go of a cluster and its vectors, but not of what those refer to.
  func release(_ reference: NodeReference) throws(StorageError) {
    let node = try source.node(reference)
    for slot in 0..<node.referenceCount { try writer.release(node.reference(slot)) }
    try writer.release(reference)
  }
}
