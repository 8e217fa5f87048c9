import Storage

/// Changes the indexes of a table that is open: each object's entries follow its values.
///
/// A value as an index keeps it is an integer, or nil for null. Nothing but a reference: made
/// wherever it is used.
struct IndexWriter {
  typealias State = OpenTables.State

  let tables: OpenTables

  private var writer: NodeWriter { tables.writer }
  private var source: NodeSource { tables.source }
  private var limits: TreeLimits { tables.limits }

  /// Where a column's index is.
  @inline(__always)
  private func reference(
    _ state: State, _ spec: ColumnSpec
  ) throws(StorageError) -> NodeReference {
    let table = state.pointee.node.node
    guard spec.indexSlot < table.referenceCount else {
      throw source.corrupt(tables.root, "a table with \(spec.indexSlot) indexes was expected")
    }
    return table.reference(spec.indexSlot)
  }

  /// The index node of a column, changeable.
  @inline(__always)
  func node(
    _ state: State, _ spec: ColumnSpec
  ) throws(StorageError) -> MutableNode {
    let reference = try reference(state, spec)
    let node: MutableNode
    if reference.isNone {
      node = writer.make(kind: .index, referenceCount: 2)
    } else {
      _ = try source.node(reference, .index)
      node = try writer.mutable(reference)
    }
    if node.reference != reference {
      state.pointee.node.setReference(spec.indexSlot, node.reference)
    }
    return node
  }

  /// An entry, and in which of an index's trees it is: nulls have one of their own.
  @inline(__always)
  private static func entry(_ value: Int64?, _ key: ObjectKey) -> (place: Int, pair: IndexPair) {
    (value == nil ? 1 : 0, IndexPair(value ?? 0, key.rawValue))
  }

  func insert(
    _ state: State, _ spec: ColumnSpec, _ value: Int64?, _ key: ObjectKey
  ) throws(StorageError) {
    let node = try node(state, spec)
    let (place, pair) = Self.entry(value, key)
    let tree = try PairTree.insert(
      writer, node.node.reference(place), pair, limits: limits)
    node.setReference(place, tree)
  }

  func remove(
    _ state: State, _ spec: ColumnSpec, _ value: Int64?, _ key: ObjectKey
  ) throws(StorageError) {
    let node = try node(state, spec)
    let (place, pair) = Self.entry(value, key)
    let tree = try PairTree.remove(
      writer, node.node.reference(place), pair, limits: limits)
    guard let tree else {
      throw source.corrupt(
        node.node.reference(place), "an index entry of object \(key.rawValue) was expected")
    }
    node.setReference(place, tree)
  }

  /// Adds an entry of a primary key's index; if there is one with that value, returns its object's
  /// key instead.
  @inline(__always)
  func insertUnique(
    _ state: State, _ spec: ColumnSpec, value: Int64, key: Int64
  ) throws(StorageError) -> Int64? {
    let reference = try reference(state, spec)
    let old = reference.isNone ? .none : try source.node(reference, .index).reference(0)
    let result = try PairTree.insertUnique(
      writer, old, IndexPair(value, key), limits: limits)
    if let existing = result.existing { return existing }
    let node = try node(state, spec)
    node.setReference(0, result.root)
    return nil
  }

  /// Moves an object's entry in a column's index from one value to another.
  private func move(
    _ state: State, _ spec: ColumnSpec, from old: Int64?, to new: Int64?, _ key: ObjectKey
  ) throws(StorageError) {
    if old == new { return }
    try remove(state, spec, old, key)
    try insert(state, spec, new, key)
  }

  /// Moves the object to its new place in the column's index, if it has one.
  @inline(__always)
  func reindex(
    _ state: State, _ spec: ColumnSpec, _ column: ColumnKey, _ row: Int, _ object: ObjectKey,
    to new: Int64?
  ) throws(StorageError) {
    if takeUnfilled(state, column, object) {
      return try insert(state, spec, new, object)
    }
    let old = try IndexValue.read(state.pointee.cluster, row, column, spec, in: source)
    try move(state, spec, from: old, to: new, object)
  }

  /// Moves an object from the words that its string had to those that it has.
  func reindexWords(
    _ state: State, _ spec: ColumnSpec, _ column: ColumnKey, _ row: Int, _ key: ObjectKey,
    from old: [Int64]
  ) throws(StorageError) {
    let new = try IndexValue.words(state.pointee.cluster, row, column, in: source)
    let (before, after) = (Set(old), Set(new))
    for word in old where !after.contains(word) { try remove(state, spec, word, key) }
    for word in new where !before.contains(word) { try insert(state, spec, word, key) }
  }

  /// Takes an object that is about to go out of all indexes.
  func removeFromAll(
    _ state: State, _ row: Int, _ key: ObjectKey
  ) throws(StorageError) {
    if tables.schema.layouts[Int(state.pointee.key.rawValue)].indexCount == 0 { return }
    try insertUnfilled(state)
    let columns = state.pointee.columns
    for slot in 0..<columns.count where columns[slot].indexSlot != 0 {
      let spec = columns[slot]
      if spec.isFullText {
        let column = ColumnKey(rawValue: UInt32(slot))
        for word in try IndexValue.words(state.pointee.cluster, row, column, in: source) {
          try remove(state, spec, word, key)
        }
        continue
      }
      let value = try IndexValue.read(
        state.pointee.cluster, row, ColumnKey(rawValue: UInt32(slot)), spec, in: source)
      try remove(state, spec, value, key)
    }
  }

  /// Makes the index of a column from what is in the table.
  func build(_ state: State, _ column: ColumnKey) throws(StorageError) {
    let spec = state.pointee.columns[column.slot]
    var values: [IndexPair] = []
    var nulls: [IndexPair] = []
    // What a file says of itself takes no more memory than there is of the file.
    values.reserveCapacity(min(state.pointee.count, max(1 << 20, Int(source.limit) / 16)))
    var clusters = try tables.table(state.pointee.key).clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let key = cluster.key(row).rawValue
        if spec.isFullText {
          for word in try IndexValue.words(cluster, row, column, in: source) {
            values.append(IndexPair(word, key))
          }
        } else if let value = try IndexValue.read(cluster, row, column, spec, in: source) {
          values.append(IndexPair(value, key))
        } else {
          nulls.append(IndexPair(0, key))
        }
      }
    }
    values.sort()
    let node = writer.make(kind: .index, referenceCount: 2)
    node.setReference(0, try PairTree.build(writer, sorted: values, limits: limits))
    node.setReference(1, try PairTree.build(writer, sorted: nulls, limits: limits))
    state.pointee.node.setReference(spec.indexSlot, node.reference)
  }
}
