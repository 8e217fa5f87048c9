import Storage

/// The way from a table to the clusters of its objects, and changes of their rows.
///
/// Works on the state of an open table, whose path and leaf it sets: "the cluster at hand" is that
/// leaf. Keeps the counts and separators of inner nodes right, and clusters neither too long nor,
/// where they have neighbours to join, too short. Who changes rows has to see to indexes, backlinks
/// and history. It holds nothing but the tables, so it is made wherever it is needed.
struct ClusterWriter {
  typealias State = OpenTables.State

  let tables: OpenTables

  var writer: NodeWriter { tables.writer }
  var source: NodeSource { tables.source }
  var limits: TreeLimits { tables.limits }

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
  func checkCount(
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

  // MARK: Room for values

  /// For how many rows a vector that has to be made, or to grow, should leave room: a transaction
  /// that has made a few objects will make more, and one that has begun a few columns at their
  /// first rows will go on to the last ones.
  @inline(__always)
  func reserveRows(
    _ state: State, _ kind: ValueKind, _ old: NodeReference, row: Int
  ) -> Int {
    let created = state.pointee.created
    if created >= 8 { return min(limits.clusterRows, created) }
    return row < 4 || state.pointee.begun >= 8 ? rowsToFill(state, kind, old, row) : 0
  }

  @inline(never)
  private func rowsToFill(
    _ state: State, _ kind: ValueKind, _ old: NodeReference, _ row: Int
  ) -> Int {
    if old.isNone, row >= 4 { return 0 }
    if old.isNone { state.pointee.begun &+= 1 }
    if state.pointee.begun <= 8 { return 0 }
    let rows = state.pointee.leaf.node.count
    // How long the first strings are says how long the others will be.
    return old.isNone && VectorWriter.isBytes(kind) ? min(rows, 24) : rows
  }
}
