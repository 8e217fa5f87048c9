import Storage

// The way to clusters and changes of their rows.
extension ObjectTransaction {
  typealias State = OpenTables.State

  /// The row of an object in `state.leaf`, which is made the cluster that holds it.
  @inline(__always)
  func locate(_ state: State, _ object: ObjectKey) throws(StorageError) -> Int {
    let key = object.rawValue
    if !state.pointee.hasLeaf || key < state.pointee.low || key > state.pointee.high {
      try descend(state, key)
    }
    guard let row = state.pointee.cluster.row(of: object) else {
      throw missing(state, object)
    }
    return row
  }

  /// An object that is not there: the caller's mistake, or a file whose parts contradict each
  /// other.
  @inline(never)
  func missing(_ state: State, _ object: ObjectKey) -> StorageError {
    source.corrupt(
      tables.root, "object \(object.rawValue) of table \(state.pointee.key.rawValue) was expected")
  }

  /// Makes the nodes from the table down to the cluster that `key` belongs into changeable. The
  /// table must have clusters.
  func descend(_ state: State, _ key: Int64) throws(StorageError) {
    state.pointee.hasLeaf = false
    var reference = state.pointee.node.node.reference(TableNode.clusterReference)
    if reference.isNone { throw missing(state, ObjectKey(rawValue: key)) }
    var expected = state.pointee.count
    var level = 0
    state.pointee.low = .min
    state.pointee.high = .max
    while true {
      let node = try source.node(reference)
      if node.kind == .cluster { break }
      guard node.kind == .clusterInner, level < TableState.depthMax else {
        throw source.corrupt(reference, "a cluster was expected")
      }
      try checkCount(reference, InnerNode.total(node, stride: InnerNode.clusterStride), expected)
      let mutable = try writer.mutable(reference)
      state.pointee.setParentReference(level, mutable.reference)
      let child = InnerNode.child(mutable.node, key: key)
      let stride = InnerNode.clusterStride
      if child > 0 { state.pointee.low = InnerNode.first(mutable.node, child, stride: stride) }
      if child + 1 < mutable.node.referenceCount {
        state.pointee.high = InnerNode.first(mutable.node, child + 1, stride: stride) - 1
      }
      expected = InnerNode.count(mutable.node, child, stride: stride)
      state.pointee.path[level] = PathEntry(node: mutable, slot: child)
      level += 1
      reference = mutable.node.reference(child)
    }
    state.pointee.depth = level
    try checkLeaf(state, reference, expected)
    state.pointee.leaf = try mutableLeaf(reference, columns: state.pointee.columns.count)
    state.pointee.setParentReference(level, state.pointee.leaf.reference)
    state.pointee.hasLeaf = true
  }

  /// A committed node that says another number of elements than its parent is refused before it is
  /// changed; from then on both are kept right. (Adding up 64 counts costs less than copying them.)
  private func checkCount(
    _ reference: NodeReference, _ found: Int, _ expected: Int
  ) throws(StorageError) {
    if !reference.isUncommitted, found != expected {
      throw source.corrupt(reference, "\(expected) objects were expected, \(found) were found")
    }
  }

  /// The same for a cluster, whose keys must lie where the separators say.
  private func checkLeaf(
    _ state: State, _ reference: NodeReference, _ expected: Int
  ) throws(StorageError) {
    if reference.isUncommitted { return }
    let cluster = Cluster(node: try source.node(reference, .cluster))
    try checkCount(reference, cluster.count, expected)
    let last = cluster.key(cluster.count - 1).rawValue
    guard cluster.baseKey >= state.pointee.low, last <= state.pointee.high,
      last < state.pointee.nextKey
    else { throw source.corrupt(reference, "objects with other keys were expected") }
  }

  /// A changeable cluster with a reference per column.
  private func mutableLeaf(
    _ reference: NodeReference, columns: Int
  ) throws(StorageError) -> MutableNode {
    let missing = columns - (try source.node(reference).referenceCount)
    let leaf = try writer.mutable(reference, growing: max(0, missing) * 8)
    if missing > 0 { writer.setReferenceCount(leaf, columns) }
    return leaf
  }

  // MARK: Keys

  /// Writes the keys of the cluster at hand anew. The cluster may move.
  func setKeys(_ state: State, _ keys: [Int64]) throws(StorageError) {
    let base = keys[0]
    let span = UInt64(keys[keys.count - 1] - base)
    let isDense = span == UInt64(keys.count - 1)
    let width = isDense ? 0 : VectorMath.offsetWidth(of: span)
    let size = 8 + keys.count * width / 8
    let old = state.pointee.leaf
    let growing = max(0, size + 8 - old.node.dataSize)
    let leaf = try writer.mutable(old.reference, growing: growing)
    let data = unsafe leaf.data
    unsafe data.storeBytes(of: base, as: Int64.self)
    for (row, key) in keys.enumerated() {
      unsafe VectorMath.setOffset(data + 8, width: width, row, UInt64(key - base))
    }
    leaf.setWidth(width)
    leaf.setCount(keys.count)
    leaf.setDataSize(size)
    if leaf.reference != old.reference {
      state.pointee.setParentReference(state.pointee.depth, leaf.reference)
      state.pointee.leaf = leaf
    }
  }

  // MARK: Removing

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
    if state.pointee.leaf.node.count < max(1, tables.limits.clusterRows / 4) {
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
  private func removeChild(_ state: State, level: Int) throws(StorageError) {
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
      guard InnerNode.shouldMerge(sizes.0, sizes.1, capacity: tables.limits.innerChildren) else {
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

  /// Makes the cluster at hand one with a neighbour if both fit well into one.
  func mergeLeaf(_ state: State) throws(StorageError) {
    guard state.pointee.depth > 0 else { return }
    let parent = state.pointee.path[state.pointee.depth - 1]
    for left in [parent.slot - 1, parent.slot] {
      guard left >= 0, left + 1 < parent.node.node.referenceCount else { continue }
      let count = try clusterCount(parent.node.node, left)
      let next = try clusterCount(parent.node.node, left + 1)
      if InnerNode.shouldMerge(count, next, capacity: tables.limits.clusterRows) {
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
    let merged = try gatherCluster(state, [(a, 0..<first.count), (b, 0..<second.count)])
    let added = second.count
    try releaseCluster(a)
    try releaseCluster(b)
    parent.node.setReference(left, merged)
    InnerNode.add(parent.node, left, added, stride: InnerNode.clusterStride)
    state.pointee.path[level].slot = left + 1
    try removeChild(state, level: level)
  }

  /// A cluster of rows from others, its vectors as narrow as can be. The old ones stay.
  func gatherCluster(
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
  func releaseCluster(_ reference: NodeReference) throws(StorageError) {
    let node = try source.node(reference)
    for slot in 0..<node.referenceCount { try writer.release(node.reference(slot)) }
    try writer.release(reference)
  }
}
