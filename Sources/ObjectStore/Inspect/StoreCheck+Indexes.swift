import Storage

// Indexes against columns. In sums of an index's pairs the key comes first.
extension StoreCheck {
  mutating func checkIndex(
    _ stored: Table, _ property: PropertyDescription
  ) throws(StorageError) {
    let needsIndex = property.isIndexed || property.isPrimaryKey || property.isFullText
    guard let index = try stored.index(of: property) else {
      if needsIndex { found("the index is missing", nil, property.name) }
      return
    }
    var values = PairSums()
    var nulls = PairSums()
    var nullCount = 0
    try forEachValue(stored, property) { (key, value) in
      if let value {
        values.add(key, value)
      } else {
        nulls.add(key, 0)
        nullCount += 1
      }
    }
    try compare(stored, property, index.values, values, isNull: false)
    try compare(stored, property, index.nulls, nulls, isNull: true)
    guard property.isPrimaryKey else { return }
    if nullCount > 1 { found("several objects without a primary key", nil, property.name) }
    try checkUnique(stored, index, property)
  }

  private func forEachValue(
    _ stored: Table, _ property: PropertyDescription,
    _ body: (_ key: Int64, _ value: Int64?) -> Void
  ) throws(StorageError) {
    let spec = schema.layouts[Int(table.tableKey.rawValue)].columns[property.columnKey.slot]
    var clusters = stored.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        if property.isFullText {
          for word in try IndexValue.words(cluster, row, property.columnKey, in: source) {
            body(cluster.key(row).rawValue, word)
          }
          continue
        }
        let value = try IndexValue.read(cluster, row, property.columnKey, spec, in: source)
        body(cluster.key(row).rawValue, value)
      }
    }
  }

  private mutating func compare(
    _ stored: Table, _ property: PropertyDescription, _ root: NodeReference,
    _ expected: PairSums, isNull: Bool
  ) throws(StorageError) {
    var walk = PairWalk()
    _ = try checkPairs(root, &walk, property.name, depth: 0)
    if walk.sums == expected { return }
    var difference = PairDifference(buckets: walk.sums.difference(from: expected))
    try forEachValue(stored, property) { (key, value) in
      if (value == nil) == isNull { difference.add(key, value ?? 0, 1) }
    }
    var pairs = PairIterator(root: root, in: source)
    while let pair = try pairs.next() { difference.add(pair.key, pair.value, -1) }
    let (missing, surplus) = difference.rest
    for pair in missing.prefix(10) { found("not in the index", pair.value, property.name) }
    for pair in surplus.prefix(10) {
      found("in the index with a value that it does not have", pair.value, property.name)
    }
    if missing.isEmpty, surplus.isEmpty { found("the index differs", nil, property.name) }
  }

  private struct PairWalk {
    var sums = PairSums()
    var last: IndexPair?
    /// Of the leaf or subtree that was visited last.
    var first: IndexPair?
  }

  /// Sums up a tree's entries, checking order, counts and separators, and returns how many there
  /// are.
  private mutating func checkPairs(
    _ reference: NodeReference, _ walk: inout PairWalk, _ name: String, depth: Int
  ) throws(StorageError) -> Int {
    if reference.isNone { return 0 }
    let node = try meet(reference, depth: depth)
    if node.kind == .pairLeaf { return checkLeaf(PairLeaf(node), &walk, name) }
    guard node.kind == .pairInner else {
      throw source.corrupt(reference, "a node of an index was expected")
    }
    var total = 0
    var first: IndexPair?
    for child in 0..<node.referenceCount {
      let below = try checkPairs(node.reference(child), &walk, name, depth: depth + 1)
      if below != InnerNode.count(node, child, stride: InnerNode.pairStride) {
        found("a count in the index does not hold", nil, name)
      }
      if let start = walk.first, start != PairTree.first(node, child) {
        found("a separator of the index does not hold", start.key, name)
      }
      if child == 0 { first = walk.first }
      total += below
    }
    walk.first = first
    return total
  }

  private mutating func checkLeaf(
    _ leaf: PairLeaf, _ walk: inout PairWalk, _ name: String
  ) -> Int {
    if leaf.count == 0 { found("an empty leaf in the index", nil, name) }
    for index in 0..<leaf.count {
      let pair = leaf[index]
      if let last = walk.last, pair < last { found("the index is not in order", pair.key, name) }
      walk.last = pair
      if index == 0 { walk.first = pair }
      walk.sums.add(pair.key, pair.value)
    }
    return leaf.count
  }

  // MARK: Primary keys

  /// Objects of equal index values stand side by side; only those of equal hashes may differ.
  private mutating func checkUnique(
    _ stored: Table, _ index: ColumnIndex, _ property: PropertyDescription
  ) throws(StorageError) {
    var pairs = PairIterator(root: index.values, in: source)
    var last: IndexPair?
    var known: [StoredValue] = []
    while let pair = try pairs.next() {
      defer { last = pair }
      if pair.value != last?.value {
        known.removeAll(keepingCapacity: true)
        continue
      }
      if known.isEmpty, let last { try remember(last.key, &known, stored, property) }
      try remember(pair.key, &known, stored, property)
    }
  }

  /// Hashes of this many different values do not coincide by chance.
  private static let equalHashesMax = 1000

  private mutating func remember(
    _ key: Int64, _ known: inout [StoredValue], _ stored: Table, _ property: PropertyDescription
  ) throws(StorageError) {
    guard known.count < Self.equalHashesMax,
      let position = try stored.find(ObjectKey(rawValue: key))
    else { return }
    let value = try stored.value(of: property, at: position)
    if known.contains(value) {
      found("a primary key that another object has as well", key, property.name)
    }
    known.append(value)
  }
}
