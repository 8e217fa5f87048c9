import Storage

extension PairTree {
  /// What became of a subtree into which a pair was put.
  struct Inserted {
    var reference: NodeReference
    /// A new right neighbour, if the node had to be cut in two.
    var split: InnerEntry?
  }

  /// Adds an entry (equal ones may exist) and returns the root.
  static func insert(
    _ writer: NodeWriter, _ root: NodeReference, _ pair: IndexPair, limits: TreeLimits
  ) throws(StorageError) -> NodeReference {
    if root.isNone {
      return try unsafe withUnsafeOne(pair) { buffer throws(StorageError) in
        try unsafe PairLeaf.encode(writer, replacing: .none, buffer)
      }
    }
    let result = try insertBelow(writer, root, pair, limits, Step())
    guard let split = result.split else { return result.reference }
    let left = try writer.source.node(result.reference)
    let entry = InnerEntry(result.reference, first: firstPair(left), count: count(left))
    return InnerNode.make(writer, [entry, split], stride: InnerNode.pairStride)
  }

  static func withUnsafeOne<Result>(
    _ pair: IndexPair,
    _ body: (UnsafeBufferPointer<IndexPair>) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let memory = UnsafeMutablePointer<IndexPair>.allocate(capacity: 1)
    defer { unsafe memory.deallocate() }
    unsafe memory.initialize(to: pair)
    return try unsafe body(UnsafeBufferPointer(start: memory, count: 1))
  }

  static func encode(
    _ writer: NodeWriter, replacing old: NodeReference, _ pairs: [IndexPair]
  ) throws(StorageError) -> NodeReference {
    try unsafe pairs.withUnsafeBufferPointer { buffer throws(StorageError) in
      try unsafe PairLeaf.encode(writer, replacing: old, buffer)
    }
  }

  @inline(__always)
  static func firstPair(_ node: Node) -> IndexPair {
    node.kind == .pairInner ? first(node, 0) : PairLeaf(node)[0]
  }

  /// A step down the tree on the way to a change: how deep it is, and how many entries the parent
  /// says are below. A committed node that says something else is refused before it is changed;
  /// from then on both are kept right.
  struct Step {
    var depth = 0
    var expected: Int?

    func down(_ node: Node, _ child: Int) -> Step {
      Step(depth: depth + 1, expected: InnerNode.count(node, child, stride: InnerNode.pairStride))
    }
  }

  private static func node(
    _ reference: NodeReference, _ step: Step, in source: NodeSource
  ) throws(StorageError) -> Node {
    let node = try source.node(reference)
    if step.depth > TreeLimits.depthMax { throw source.tooDeep(reference) }
    guard node.kind == .pairInner || node.kind == .pairLeaf else {
      throw source.unexpected(reference, .pairLeaf)
    }
    if !reference.isUncommitted, let expected = step.expected, count(node) != expected {
      throw source.corrupt(reference, "\(expected) entries of an index were expected")
    }
    return node
  }

  private static func insertBelow(
    _ writer: NodeWriter, _ reference: NodeReference, _ pair: IndexPair, _ limits: TreeLimits,
    _ step: Step
  ) throws(StorageError) -> Inserted {
    let node = try node(reference, step, in: writer.source)
    guard node.kind == .pairInner else {
      return try insertIntoLeaf(writer, reference, PairLeaf(node), pair, limits)
    }
    let child = childBelow(node, pair)
    let below = try insertBelow(
      writer, node.reference(child), pair, limits, step.down(node, child))
    return try adopt(writer, reference, child, below, pair, limits)
  }

  /// Notes in an inner node that `pair` was put in below `child`.
  private static func adopt(
    _ writer: NodeWriter, _ reference: NodeReference, _ child: Int, _ below: Inserted,
    _ pair: IndexPair, _ limits: TreeLimits
  ) throws(StorageError) -> Inserted {
    let mutable = try writer.mutable(reference)
    mutable.setReference(child, below.reference)
    let stride = InnerNode.pairStride
    if child == 0, pair < first(mutable.node, 0) {
      InnerNode.setFirst(mutable, 0, pair, stride: stride)
    }
    guard let split = below.split else {
      InnerNode.add(mutable, child, 1, stride: stride)
      return Inserted(reference: mutable.reference)
    }
    InnerNode.add(mutable, child, 1 - split.count, stride: stride)
    let grown = try InnerNode.insert(
      writer, mutable.reference, at: child + 1, split, stride: stride)
    return try splitIfFull(writer, grown, appended: child + 1, limits)
  }

  private static func splitIfFull(
    _ writer: NodeWriter, _ reference: NodeReference, appended: Int, _ limits: TreeLimits
  ) throws(StorageError) -> Inserted {
    let node = try writer.mutable(reference)
    let children = node.node.referenceCount
    if children <= limits.innerChildren { return Inserted(reference: reference) }
    let cut = appended == children - 1 ? children - 1 : children / 2
    let right = InnerNode.split(writer, node, at: cut, stride: InnerNode.pairStride)
    let rightNode = try writer.source.node(right)
    return Inserted(
      reference: node.reference,
      split: InnerEntry(right, first: first(rightNode, 0), count: count(rightNode)))
  }

  private static func insertIntoLeaf(
    _ writer: NodeWriter, _ reference: NodeReference, _ leaf: PairLeaf, _ pair: IndexPair,
    _ limits: TreeLimits
  ) throws(StorageError) -> Inserted {
    let index = leaf.lowerBound(pair)
    if leaf.count < limits.pairEntries {
      return Inserted(reference: try PairLeaf.insert(writer, reference, at: index, pair))
    }
    if index == leaf.count {
      let right = try encode(writer, replacing: .none, [pair])
      return Inserted(reference: reference, split: InnerEntry(right, first: pair, count: 1))
    }
    let cut = leaf.count / 2
    var lower = leaf.pairs(0..<cut)
    var upper = leaf.pairs(cut..<leaf.count)
    if index <= cut {
      lower.insert(pair, at: index)
    } else {
      upper.insert(pair, at: index - cut)
    }
    let left = try encode(writer, replacing: reference, lower)
    let right = try encode(writer, replacing: .none, upper)
    return Inserted(
      reference: left, split: InnerEntry(right, first: upper[0], count: upper.count))
  }

  // MARK: Unique values

  /// What came of adding a value that may occur only once.
  struct InsertedUnique {
    var inserted: Inserted
    /// The key that already had the value; nothing was changed then.
    var existing: Int64?
  }

  /// Adds an entry unless there is one with that value, whose key is then returned.
  static func insertUnique(
    _ writer: NodeWriter, _ root: NodeReference, _ pair: IndexPair, limits: TreeLimits
  ) throws(StorageError) -> (root: NodeReference, existing: Int64?) {
    if root.isNone { return (try insert(writer, root, pair, limits: limits), nil) }
    let result = try insertUniqueBelow(writer, root, pair, limits, Step())
    if let existing = result.existing { return (root, existing) }
    guard let split = result.inserted.split else { return (result.inserted.reference, nil) }
    let left = try writer.source.node(result.inserted.reference)
    let entry = InnerEntry(
      result.inserted.reference, first: firstPair(left), count: count(left))
    return (InnerNode.make(writer, [entry, split], stride: InnerNode.pairStride), nil)
  }

  private static func insertUniqueBelow(
    _ writer: NodeWriter, _ reference: NodeReference, _ pair: IndexPair, _ limits: TreeLimits,
    _ step: Step
  ) throws(StorageError) -> InsertedUnique {
    let node = try node(reference, step, in: writer.source)
    guard node.kind == .pairInner else {
      let leaf = PairLeaf(node)
      let index = leaf.lowerBound(IndexPair(pair.value, .min))
      if index < leaf.count, leaf.value(index) == pair.value {
        return InsertedUnique(inserted: Inserted(reference: reference), existing: leaf.key(index))
      }
      return InsertedUnique(inserted: try insertIntoLeaf(writer, reference, leaf, pair, limits))
    }
    let child = childHolding(node, IndexPair(pair.value, .max))
    let below = try insertUniqueBelow(
      writer, node.reference(child), pair, limits, step.down(node, child))
    if below.existing != nil { return below }
    return InsertedUnique(
      inserted: try adopt(writer, reference, child, below.inserted, pair, limits))
  }

  // MARK: Removing

  /// Takes one entry equal to `pair` out and returns the root; nil if there is none.
  static func remove(
    _ writer: NodeWriter, _ root: NodeReference, _ pair: IndexPair, limits: TreeLimits
  ) throws(StorageError) -> NodeReference? {
    if root.isNone { return nil }
    guard var result = try removeBelow(writer, root, pair, limits, Step()) else { return nil }
    while !result.isNone {
      let node = try writer.source.node(result)
      guard node.kind == .pairInner, node.referenceCount == 1 else { break }
      let child = node.reference(0)
      try writer.release(result)
      result = child
    }
    return result
  }

  /// The last child whose first pair is not above `pair` (0 if all are). Separators are exact, so
  /// it has an entry equal to `pair` if any has.
  private static func childHolding(_ node: Node, _ pair: IndexPair) -> Int {
    var low = 0
    var high = node.referenceCount
    while high - low > 1 {
      let middle = (low + high) / 2
      if pair < first(node, middle) { high = middle } else { low = middle }
    }
    return low
  }

  private static func removeBelow(
    _ writer: NodeWriter, _ reference: NodeReference, _ pair: IndexPair, _ limits: TreeLimits,
    _ step: Step
  ) throws(StorageError) -> NodeReference? {
    let node = try node(reference, step, in: writer.source)
    guard node.kind == .pairInner else {
      let leaf = PairLeaf(node)
      let index = leaf.lowerBound(pair)
      guard index < leaf.count, leaf[index] == pair else { return nil }
      if leaf.count > 1 { return try PairLeaf.remove(writer, reference, at: index) }
      try writer.release(reference)
      return NodeReference.none
    }
    let child = childHolding(node, pair)
    let below = try removeBelow(
      writer, node.reference(child), pair, limits, step.down(node, child))
    guard let below else { return nil }
    let stride = InnerNode.pairStride
    if below.isNone, node.referenceCount == 1 {
      try writer.release(reference)
      return NodeReference.none
    }
    let mutable = try writer.mutable(reference)
    if below.isNone {
      InnerNode.remove(writer, mutable, at: child, stride: stride)
      return mutable.reference
    }
    mutable.setReference(child, below)
    InnerNode.add(mutable, child, -1, stride: stride)
    let first = firstPair(try writer.source.node(below))
    InnerNode.setFirst(mutable, child, first, stride: stride)
    try mergeAround(writer, mutable, child, limits)
    return mutable.reference
  }

  /// Makes `child` one with a neighbour if they are small enough.
  private static func mergeAround(
    _ writer: NodeWriter, _ node: MutableNode, _ child: Int, _ limits: TreeLimits
  ) throws(StorageError) {
    let size = try writer.source.node(node.node.reference(child)).count
    let isInner = try writer.source.node(node.node.reference(child)).kind == .pairInner
    let capacity = isInner ? limits.innerChildren : limits.pairEntries
    if size >= max(1, capacity / 4), size > 1 { return }
    for left in [child - 1, child] where left >= 0 && left + 1 < node.node.referenceCount {
      let step = Step()
      let before = try self.node(
        node.node.reference(left), step.down(node.node, left), in: writer.source)
      let after = try self.node(
        node.node.reference(left + 1), step.down(node.node, left + 1), in: writer.source)
      guard before.kind == after.kind else {
        throw writer.source.unexpected(node.node.reference(left + 1), before.kind)
      }
      if InnerNode.shouldMerge(before.count, after.count, capacity: capacity) {
        return try merge(writer, node, left, isInner: isInner)
      }
    }
  }

  private static func merge(
    _ writer: NodeWriter, _ node: MutableNode, _ left: Int, isInner: Bool
  ) throws(StorageError) {
    let stride = InnerNode.pairStride
    let a = node.node.reference(left)
    let b = node.node.reference(left + 1)
    let added = InnerNode.count(node.node, left + 1, stride: stride)
    let merged: NodeReference
    if isInner {
      merged = try InnerNode.merge(writer, a, b, stride: stride)
    } else {
      let first = PairLeaf(try writer.source.node(a))
      let second = PairLeaf(try writer.source.node(b))
      if second[0] < first[first.count - 1] {
        throw writer.source.corrupt(b, "rising entries of an index were expected")
      }
      let pairs = first.pairs(0..<first.count) + second.pairs(0..<second.count)
      merged = try encode(writer, replacing: a, pairs)
      try writer.release(b)
    }
    node.setReference(left, merged)
    InnerNode.add(node, left, added, stride: stride)
    InnerNode.remove(writer, node, at: left + 1, stride: stride)
  }

  // MARK: Building

  /// A tree of pairs that are in order, with full leaves.
  static func build(
    _ writer: NodeWriter, sorted pairs: [IndexPair], limits: TreeLimits
  ) throws(StorageError) -> NodeReference {
    if pairs.isEmpty { return .none }
    var level: [InnerEntry] = []
    var start = 0
    while start < pairs.count {
      let end = min(pairs.count, start + limits.pairEntries)
      let leaf = try unsafe pairs.withUnsafeBufferPointer { buffer throws(StorageError) in
        try unsafe PairLeaf.encode(
          writer, replacing: .none, UnsafeBufferPointer(rebasing: buffer[start..<end]))
      }
      level.append(InnerEntry(leaf, first: pairs[start], count: end - start))
      start = end
    }
    while level.count > 1 {
      var above: [InnerEntry] = []
      var start = 0
      while start < level.count {
        let children = Array(level[start..<min(level.count, start + limits.innerChildren)])
        let inner = InnerNode.make(writer, children, stride: InnerNode.pairStride)
        let count = children.reduce(0) { $0 + $1.count }
        above.append(InnerEntry(inner, first: children[0].first, count: count))
        start += children.count
      }
      level = above
    }
    return level[0].reference
  }
}
