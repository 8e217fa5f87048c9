import Storage

// Checks of what is kept twice: backlinks against links, indexes against columns.
extension StoreCheck {
  mutating func runBacklinks(_ description: ClassDescription) {
    table = description
    if description.backlinks.isEmpty { return }
    do throws(StorageError) {
      guard let stored = try StoreRoot.table(description.tableKey, root: root, in: source) else {
        return
      }
      for backlink in description.backlinks { try checkBacklinks(stored, backlink) }
    } catch {
      found(error.description)
    }
  }

  private mutating func checkBacklinks(
    _ stored: Table, _ backlink: BacklinkDescription
  ) throws(StorageError) {
    let place = HiddenColumn(table: table.tableKey, column: backlink.columnKey)
    var expected = expectedBacklinks[place] ?? [:]
    let origin = schema.description.description(of: backlink.originTable)
    let name =
      "backlinks of \(origin?.name ?? "?").\(origin?.property(at: backlink.originColumn)?.name ?? "?")"
    var clusters = stored.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let key = cluster.key(row)
        let view = try stored.backlinks(
          backlink.columnKey, at: ObjectPosition(cluster: cluster, row: row))
        let actual = try view.keys().map(\.rawValue)
        let wanted = (expected.removeValue(forKey: key.rawValue) ?? []).sorted()
        if actual != wanted {
          found("\(wanted) link here, \(actual) are noted", key.rawValue, name)
        }
        if view.count != actual.count { found("a count does not hold", key.rawValue, name) }
      }
    }
  }

  // MARK: Indexes

  mutating func checkIndex(
    _ stored: Table, _ property: PropertyDescription
  ) throws(StorageError) {
    let needsIndex = property.isIndexed || property.isPrimaryKey
    guard let index = try stored.index(of: property) else {
      if needsIndex { found("the index is missing", nil, property.name) }
      return
    }
    let spec = schema.layouts[Int(table.tableKey.rawValue)].columns[property.columnKey.slot]
    var values: [IndexPair] = []
    var nulls: [IndexPair] = []
    var clusters = stored.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let key = cluster.key(row).rawValue
        let value = try IndexValue.read(cluster, row, property.columnKey, spec, in: source)
        if let value {
          values.append(IndexPair(value, key))
        } else {
          nulls.append(IndexPair(0, key))
        }
      }
    }
    try compare(index.values, values.sorted(), property.name)
    try compare(index.nulls, nulls, property.name)
    if property.isPrimaryKey { try checkUnique(stored, values, nulls, property) }
  }

  private mutating func checkUnique(
    _ stored: Table, _ values: [IndexPair], _ nulls: [IndexPair], _ property: PropertyDescription
  ) throws(StorageError) {
    if nulls.count > 1 { found("several objects without a primary key", nil, property.name) }
    var known: [Int64: [StoredValue]] = [:]
    for pair in values {
      let key = ObjectKey(rawValue: pair.key)
      guard let position = try stored.find(key) else { continue }
      let value = try stored.value(of: property, at: position)
      if known[pair.value, default: []].contains(value) {
        found("a primary key that another object has as well", pair.key, property.name)
      }
      known[pair.value, default: []].append(value)
    }
  }

  private mutating func compare(
    _ root: NodeReference, _ expected: [IndexPair], _ name: String
  ) throws(StorageError) {
    var actual: [IndexPair] = []
    _ = try checkPairs(root, &actual, name)
    if actual == expected { return }
    let missing = Set(expected).subtracting(actual)
    let surplus = Set(actual).subtracting(expected)
    for pair in missing.sorted().prefix(10) { found("not in the index", pair.key, name) }
    for pair in surplus.sorted().prefix(10) {
      found("in the index with a value that it does not have", pair.key, name)
    }
    if missing.isEmpty, surplus.isEmpty { found("the index is not in order", nil, name) }
  }

  /// Collects a tree's entries, checking counts and separators, and returns how many there are.
  private mutating func checkPairs(
    _ reference: NodeReference, _ pairs: inout [IndexPair], _ name: String
  ) throws(StorageError) -> Int {
    if reference.isNone { return 0 }
    let node = try source.node(reference)
    if node.kind == .pairLeaf {
      let leaf = PairLeaf(node)
      if PairLeaf.headSize + leaf.count * leaf.stride > node.dataSize {
        found("a leaf of the index is too short", nil, name)
        return leaf.count
      }
      if leaf.count == 0 { found("an empty leaf in the index", nil, name) }
      pairs.append(contentsOf: leaf.pairs(0..<leaf.count))
      return leaf.count
    }
    guard node.kind == .pairInner else {
      throw source.corrupt(reference, "a node of an index was expected")
    }
    var total = 0
    for child in 0..<node.referenceCount {
      let start = pairs.count
      let below = try checkPairs(node.reference(child), &pairs, name)
      if below != InnerNode.count(node, child, stride: InnerNode.pairStride) {
        found("a count in the index does not hold", nil, name)
      }
      if start < pairs.count, pairs[start] != PairTree.first(node, child) {
        found("a separator of the index does not hold", pairs[start].key, name)
      }
      total += below
    }
    return total
  }
}
