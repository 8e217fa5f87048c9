import Storage

/// Takes objects out of a store within a transaction, with the embedded ones that belong to them:
/// out of the links, lists and indexes that lead to them, then out of their clusters. Many go
/// cluster by cluster, each rewritten once.
struct ObjectDeletion {
  typealias State = OpenTables.State

  let transaction: ObjectTransaction

  var tables: OpenTables { transaction.tables }
  var clusters: ClusterWriter { transaction.clusters }
  var schema: StoredSchema { transaction.schema }
  var source: NodeSource { transaction.source }
  var writer: NodeWriter { transaction.writer }

  /// Deletes an object, and makes orphans of the embedded ones that belong to it.
  func remove(_ key: ObjectKey, in table: TableKey) throws(StorageError) {
    let state = try tables.open(table)
    if schema.layouts[Int(table.rawValue)].hasRelations {
      try severLinks(state, [key])
    }
    let row = try clusters.locate(state, key)
    try transaction.indexes.removeFromAll(state, row, key)
    state.pointee.history.deleted(key.rawValue)
    try clusters.removeRow(state, row)
    tables.generation &+= 1
  }

  /// Deletes many objects, and makes orphans of the embedded ones that belong to them.
  func remove(_ keys: [ObjectKey], in table: TableKey) throws(StorageError) {
    let existing = try existing(keys, in: try transaction.table(table))
    if existing.count < 8 {
      for key in existing { try remove(key, in: table) }
      return
    }
    let state = try tables.open(table)
    if schema.layouts[Int(table.rawValue)].hasRelations {
      try severLinks(state, existing)
    }
    try removeFromIndexes(state, existing)
    var start = 0
    while start < existing.count {
      _ = try clusters.locate(state, existing[start])
      var end = start + 1
      while end < existing.count, existing[end].rawValue <= state.pointee.high { end += 1 }
      try removeRows(state, existing[start..<end])
      start = end
    }
    for key in existing { state.pointee.history.deleted(key.rawValue) }
    tables.generation &+= 1
  }

  /// Those keys that objects have, in order and once each: the same array if that is what it has.
  private func existing(
    _ keys: [ObjectKey], in table: Table
  ) throws(StorageError) -> [ObjectKey] {
    let rise = keys.indices.dropFirst().allSatisfy { keys[$0 - 1] < keys[$0] }
    let keys = rise ? keys : keys.sorted()
    var walk: ClusterWalk?
    /// Those of the keys before the present one, once that is not all of them.
    var existing: [ObjectKey]?
    var last: ObjectKey?
    for index in keys.indices {
      let key = keys[index]
      var found = false
      if key == last {
        // Named twice.
      } else if walk != nil, key <= walk!.last {
        found = walk!.row(of: key) != nil
      } else if let position = try table.find(key) {
        found = true
        walk = ClusterWalk(position.cluster, from: position.row)
      }
      last = key
      if found {
        existing?.append(key)
      } else if existing == nil {
        existing = Array(keys[..<index])
      }
    }
    return existing ?? keys
  }

  /// Takes the objects, all of them in the cluster at hand, out of it.
  private func removeRows(_ state: State, _ keys: ArraySlice<ObjectKey>) throws(StorageError) {
    let cluster = state.pointee.cluster
    if keys.count < 4 && keys.count < cluster.count {
      for key in keys { try clusters.removeRow(state, try clusters.locate(state, key)) }
      return
    }
    var kept: [Range<Int>] = []
    var next = 0
    var walk = ClusterWalk(cluster, from: 0)
    for key in keys {
      guard let row = walk.row(of: key) else { throw clusters.missing(state, key) }
      if row > next { kept.append(next..<row) }
      next = row + 1
    }
    if next < cluster.count { kept.append(next..<cluster.count) }
    state.pointee.addToCounts(-keys.count)
    if kept.isEmpty { return try clusters.removeCluster(state) }
    try releaseLargeValues(cluster, except: kept)
    let old = state.pointee.leaf.reference
    let new = try clusters.gather(state, kept.map { (old, $0) })
    try clusters.release(old)
    state.pointee.setParentReference(state.pointee.depth, new)
    state.pointee.hasLeaf = false
    let left = try source.node(new).count
    if left < max(1, tables.limits.clusterRows / 4) {
      try clusters.descend(state, keys[keys.startIndex].rawValue)
      try clusters.mergeLeaf(state)
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
    try transaction.indexes.insertUnfilled(state)
    if keys.count < state.pointee.count / 4 {
      for key in keys {
        let row = try clusters.locate(state, key)
        try transaction.indexes.removeFromAll(state, row, key)
      }
      return
    }
    let gone = KeyFilter(sorted: keys)
    let columns = state.pointee.columns
    var left: [IndexPair] = []
    left.reserveCapacity(state.pointee.count - keys.count)
    for slot in 0..<columns.count where columns[slot].indexSlot != 0 {
      let node = try transaction.indexes.node(state, columns[slot])
      for place in 0..<2 {
        let old = node.node.reference(place)
        if old.isNone { continue }
        left.removeAll(keepingCapacity: true)
        var iterator = PairIterator(root: old, in: source)
        while let pair = try iterator.next() {
          if !gone.contains(pair.key) { left.append(pair) }
        }
        node.setReference(
          place, try PairTree.build(writer, sorted: left, limits: tables.limits))
        try writer.releaseTree(old)
      }
    }
  }

  /// Deletes all objects of a class, and the embedded ones that belong to them.
  func removeAll(in table: TableKey) throws(StorageError) {
    let state = try tables.open(table)
    let keys = Array(try transaction.table(table).allKeys())
    if schema.layouts[Int(table.rawValue)].hasRelations {
      try remove(keys, in: table)
      return try removeOrphans()
    }
    for key in keys { state.pointee.history.deleted(key.rawValue) }
    for slot in 0..<state.pointee.node.node.referenceCount {
      try writer.releaseTree(state.pointee.node.node.reference(slot))
      state.pointee.node.setReference(slot, .none)
    }
    state.pointee.count = 0
    state.pointee.hasLeaf = false
    state.pointee.unfilledColumns = 0  // the object is gone
    tables.generation &+= 1
  }

  /// Deletes the embedded objects whose links have gone, and what those own in turn: level by
  /// level, so that a long chain of them takes no stack.
  func removeOrphans() throws(StorageError) {
    if transaction.orphanHolds > 0 { return }
    while !tables.orphans.isEmpty {
      var level = tables.orphans
      tables.orphans.removeAll(keepingCapacity: true)
      if level.count > 1 { level.sort { ($0.table, $0.key) < ($1.table, $1.key) } }
      var start = 0
      while start < level.count {
        let table = level[start].table
        var end = start + 1
        while end < level.count, level[end].table == table { end += 1 }
        try remove(level[start..<end].map(\.key), in: table)
        start = end
      }
    }
  }
}

/// The rows of keys that rise: found by going on from the last one, where each search would begin
/// anew with all rows.
private struct ClusterWalk {
  private let cluster: Cluster
  private var row: Int
  /// The cluster's last key.
  let last: ObjectKey

  init(_ cluster: Cluster, from row: Int) {
    self.cluster = cluster
    self.row = row
    last = cluster.key(cluster.count - 1)
  }

  /// The row of the object with that key, nil if there is none.
  @inline(__always)
  mutating func row(of key: ObjectKey) -> Int? {
    if cluster.isDense { return cluster.row(of: key) }
    let count = cluster.count
    while row < count {
      let found = cluster.key(row)
      if found >= key { return found == key ? row : nil }
      row &+= 1
    }
    return nil
  }
}
