import Storage

// Indexes within a transaction. A value as an index keeps it is an integer, or nil for null.
extension ObjectTransaction {
  func indexedValue(_ value: StoredValue, _ spec: ColumnSpec) -> Int64? {
    IndexValue.of(value, in: spec.kind)
  }

  func indexedValue(
    _ cluster: Cluster, _ row: Int, _ column: ColumnKey, _ spec: ColumnSpec
  ) throws(StorageError) -> Int64? {
    try IndexValue.read(cluster, row, column, spec, in: source)
  }

  /// Where a column's index is.
  @inline(__always)
  private func indexReference(
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
  func indexNode(
    _ state: State, _ spec: ColumnSpec
  ) throws(StorageError) -> MutableNode {
    let reference = try indexReference(state, spec)
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

  func insertIntoIndex(
    _ state: State, _ spec: ColumnSpec, _ value: Int64?, _ key: ObjectKey
  ) throws(StorageError) {
    let node = try indexNode(state, spec)
    let place = value == nil ? 1 : 0
    let pair = IndexPair(value ?? 0, key.rawValue)
    let tree = try PairTree.insert(
      writer, node.node.reference(place), pair, limits: tables.limits)
    node.setReference(place, tree)
  }

  func removeFromIndex(
    _ state: State, _ spec: ColumnSpec, _ value: Int64?, _ key: ObjectKey
  ) throws(StorageError) {
    let node = try indexNode(state, spec)
    let place = value == nil ? 1 : 0
    let pair = IndexPair(value ?? 0, key.rawValue)
    let tree = try PairTree.remove(
      writer, node.node.reference(place), pair, limits: tables.limits)
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
    let reference = try indexReference(state, spec)
    let old = reference.isNone ? .none : try source.node(reference, .index).reference(0)
    let result = try PairTree.insertUnique(
      writer, old, IndexPair(value, key), limits: tables.limits)
    if let existing = result.existing { return existing }
    let node = try indexNode(state, spec)
    node.setReference(0, result.root)
    return nil
  }

  /// Moves an object's entry in a column's index from one value to another.
  func updateIndex(
    _ state: State, _ spec: ColumnSpec, from old: Int64?, to new: Int64?, _ key: ObjectKey
  ) throws(StorageError) {
    if old == new { return }
    try removeFromIndex(state, spec, old, key)
    try insertIntoIndex(state, spec, new, key)
  }

  /// The words of a string, as a full-text index keeps them.
  func indexedWords(
    _ cluster: Cluster, _ row: Int, _ column: ColumnKey
  ) throws(StorageError) -> [Int64] {
    try IndexValue.words(cluster, row, column, in: source)
  }

  /// Moves an object from the words that its string had to those that it has.
  func reindexWords(
    _ state: State, _ spec: ColumnSpec, _ column: ColumnKey, _ row: Int, _ key: ObjectKey,
    from old: [Int64]
  ) throws(StorageError) {
    let new = try indexedWords(state.pointee.cluster, row, column)
    let (before, after) = (Set(old), Set(new))
    for word in old where !after.contains(word) { try removeFromIndex(state, spec, word, key) }
    for word in new where !before.contains(word) { try insertIntoIndex(state, spec, word, key) }
  }

  /// Takes an object that is about to go out of all indexes.
  func removeFromIndexes(
    _ state: State, _ row: Int, _ key: ObjectKey
  ) throws(StorageError) {
    if schema.layouts[Int(state.pointee.key.rawValue)].indexCount == 0 { return }
    try indexUnfilled(state)
    let columns = state.pointee.columns
    for slot in 0..<columns.count where columns[slot].indexSlot != 0 {
      let spec = columns[slot]
      if spec.isFullText {
        let column = ColumnKey(rawValue: UInt32(slot))
        for word in try indexedWords(state.pointee.cluster, row, column) {
          try removeFromIndex(state, spec, word, key)
        }
        continue
      }
      let value = try indexedValue(
        state.pointee.cluster, row, ColumnKey(rawValue: UInt32(slot)), spec)
      try removeFromIndex(state, spec, value, key)
    }
  }

  /// Makes the index of a column from what is in the table.
  func buildIndex(_ state: State, _ column: ColumnKey) throws(StorageError) {
    let spec = state.pointee.columns[column.slot]
    var values: [IndexPair] = []
    var nulls: [IndexPair] = []
    // What a file says of itself takes no more memory than there is of the file.
    values.reserveCapacity(min(state.pointee.count, max(1 << 20, Int(source.limit) / 16)))
    var clusters = try table(state.pointee.key).clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let key = cluster.key(row).rawValue
        if spec.isFullText {
          for word in try indexedWords(cluster, row, column) {
            values.append(IndexPair(word, key))
          }
        } else if let value = try indexedValue(cluster, row, column, spec) {
          values.append(IndexPair(value, key))
        } else {
          nulls.append(IndexPair(0, key))
        }
      }
    }
    values.sort()
    let node = writer.make(kind: .index, referenceCount: 2)
    node.setReference(0, try PairTree.build(writer, sorted: values, limits: tables.limits))
    node.setReference(1, try PairTree.build(writer, sorted: nulls, limits: tables.limits))
    state.pointee.node.setReference(spec.indexSlot, node.reference)
  }
}
