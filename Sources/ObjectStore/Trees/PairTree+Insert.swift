import Storage

// Putting entries into indexes. What becomes of full leaves is told in `ListTree+Insert`: it is the
// same here.
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
    let node = try node(root, Step(), in: writer.source)
    return try grown(writer, insertBelow(writer, root, node, pair, limits, Step()))
  }

  /// The root, above what became of the one before.
  private static func grown(
    _ writer: NodeWriter, _ inserted: Inserted
  ) throws(StorageError) -> NodeReference {
    guard let split = inserted.split else { return inserted.reference }
    let left = try writer.source.node(inserted.reference)
    let entry = InnerEntry(inserted.reference, first: firstPair(left), count: count(left))
    return InnerNode.make(writer, [entry, split], stride: InnerNode.pairStride)
  }

  private static func insertBelow(
    _ writer: NodeWriter, _ reference: NodeReference, _ node: Node, _ pair: IndexPair,
    _ limits: TreeLimits, _ step: Step
  ) throws(StorageError) -> Inserted {
    guard node.kind == .pairInner else {
      let leaf = PairLeaf(node)
      return try insertIntoLeaf(writer, reference, leaf, pair, at: leaf.lowerBound(pair), limits)
    }
    let child = childBelow(node, pair)
    let below = step.down(node, child)
    let next = try self.node(node.reference(child), below, in: writer.source)
    if isFullLeaf(next, limits),
      let made = try insertBesideFull(writer, reference, node, child, pair, limits)
    {
      return Inserted(reference: made)
    }
    let inserted = try insertBelow(writer, node.reference(child), next, pair, limits, below)
    return try adopt(writer, reference, child, inserted, pair, limits, step.edges)
  }

  /// Notes in an inner node that `pair` was put in below `child`.
  @inline(__always)
  private static func adopt(
    _ writer: NodeWriter, _ reference: NodeReference, _ child: Int, _ below: Inserted,
    _ pair: IndexPair, _ limits: TreeLimits, _ edges: TreeEdges
  ) throws(StorageError) -> Inserted {
    let mutable = try writer.mutable(reference)
    mutable.setReference(child, below.reference)
    if child == 0, pair < first(mutable.node, 0) {
      InnerNode.setFirst(mutable, 0, pair, stride: InnerNode.pairStride)
    }
    if let split = below.split {
      return try adopt(split, writer, mutable, child, limits, edges)
    }
    InnerNode.add(mutable, child, 1, stride: InnerNode.pairStride)
    return Inserted(reference: mutable.reference)
  }

  /// Puts the right part of a child that was cut in two beside the left one.
  @inline(never)
  private static func adopt(
    _ split: InnerEntry, _ writer: NodeWriter, _ mutable: MutableNode, _ child: Int,
    _ limits: TreeLimits, _ edges: TreeEdges
  ) throws(StorageError) -> Inserted {
    InnerNode.add(mutable, child, 1 - split.count, stride: InnerNode.pairStride)
    let grown = try InnerNode.insert(
      writer, mutable.reference, at: child + 1, split, stride: InnerNode.pairStride)
    return try splitIfFull(writer, grown, added: child + 1, limits, edges)
  }

  private static func splitIfFull(
    _ writer: NodeWriter, _ reference: NodeReference, added: Int, _ limits: TreeLimits,
    _ edges: TreeEdges
  ) throws(StorageError) -> Inserted {
    let node = try writer.mutable(reference)
    let children = node.node.referenceCount
    if children <= limits.innerChildren { return Inserted(reference: reference) }
    let cut = edges.cut(of: children, added: added)
    let right = InnerNode.split(writer, node, at: cut, stride: InnerNode.pairStride)
    let rightNode = try writer.source.node(right)
    return Inserted(
      reference: node.reference,
      split: InnerEntry(right, first: first(rightNode, 0), count: count(rightNode)))
  }

  private static func insertIntoLeaf(
    _ writer: NodeWriter, _ reference: NodeReference, _ leaf: PairLeaf, _ pair: IndexPair,
    at index: Int, _ limits: TreeLimits
  ) throws(StorageError) -> Inserted {
    if leaf.count < limits.pairEntries {
      return Inserted(reference: try PairLeaf.insert(writer, reference, at: index, pair))
    }
    if index == 0 {
      let left = try encode(writer, replacing: .none, [pair])
      return Inserted(
        reference: left, split: InnerEntry(reference, first: leaf[0], count: leaf.count))
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

  // MARK: Full leaves

  @inline(__always)
  private static func isFullLeaf(_ node: Node, _ limits: TreeLimits) -> Bool {
    node.kind == .pairLeaf && node.count >= limits.pairEntries
  }

  /// Puts an entry in whose place is in, or at the end of, a full leaf, where a neighbour below the
  /// same inner node has room.
  ///
  /// - Returns: nil, with nothing changed, if none has.
  private static func insertBesideFull(
    _ writer: NodeWriter, _ reference: NodeReference, _ node: Node, _ child: Int,
    _ pair: IndexPair, _ limits: TreeLimits
  ) throws(StorageError) -> NodeReference? {
    let stride = InnerNode.pairStride
    let full = PairLeaf(try writer.source.node(node.reference(child)))
    let index = full.lowerBound(pair)
    if index == full.count {
      guard child + 1 < node.referenceCount,
        InnerNode.count(node, child + 1, stride: stride) < limits.pairEntries
      else { return nil }
      _ = try leaf(node, child + 1, in: writer.source)
      let mutable = try writer.mutable(reference)
      let right = try PairLeaf.insert(
        writer, mutable.node.reference(child + 1), at: 0, pair)
      mutable.setReference(child + 1, right)
      InnerNode.setFirst(mutable, child + 1, pair, stride: stride)
      InnerNode.add(mutable, child + 1, 1, stride: stride)
      return mutable.reference
    }
    if index == 0 { return nil }
    for left in [child, child - 1] where left >= 0 && left + 1 < node.referenceCount {
      let other = left == child ? child + 1 : left
      if InnerNode.count(node, other, stride: stride) > limits.pairEntries / 2 { continue }
      return try spread(writer, reference, node, left, pair)
    }
    return nil
  }

  /// A child that has to be a leaf, because one beside it is.
  private static func leaf(
    _ node: Node, _ child: Int, in source: NodeSource
  ) throws(StorageError) -> PairLeaf {
    let found = try self.node(node.reference(child), Step().down(node, child), in: source)
    guard found.kind == .pairLeaf else {
      throw source.unexpected(node.reference(child), .pairLeaf)
    }
    return PairLeaf(found)
  }

  /// Puts an entry into one of two neighbouring leaves, and gives both the same number.
  private static func spread(
    _ writer: NodeWriter, _ reference: NodeReference, _ node: Node, _ left: Int,
    _ pair: IndexPair
  ) throws(StorageError) -> NodeReference {
    let before = try leaf(node, left, in: writer.source)
    let after = try leaf(node, left + 1, in: writer.source)
    if after[0] < before[before.count - 1] {
      throw writer.source.corrupt(
        node.reference(left + 1), "rising entries of an index were expected")
    }
    var pairs = before.pairs(0..<before.count) + after.pairs(0..<after.count)
    pairs.insert(pair, at: pairs.firstIndex { !($0 < pair) } ?? pairs.count)
    let cut = pairs.count / 2
    let mutable = try writer.mutable(reference)
    let stride = InnerNode.pairStride
    let halves = [Array(pairs[..<cut]), Array(pairs[cut...])]
    for (offset, half) in halves.enumerated() {
      let old = mutable.node.reference(left + offset)
      let new = try encode(writer, replacing: old, half)
      InnerNode.set(
        mutable, left + offset, InnerEntry(new, first: half[0], count: half.count), stride: stride)
    }
    return mutable.reference
  }

  // MARK: Unique values

  /// What came of adding a value that may occur only once.
  private struct InsertedUnique {
    var inserted: Inserted
    /// The key that already had the value; nothing was changed then.
    var existing: Int64?
  }

  /// Adds an entry unless there is one with that value, whose key is then returned.
  static func insertUnique(
    _ writer: NodeWriter, _ root: NodeReference, _ pair: IndexPair, limits: TreeLimits
  ) throws(StorageError) -> (root: NodeReference, existing: Int64?) {
    if root.isNone { return (try insert(writer, root, pair, limits: limits), nil) }
    let node = try node(root, Step(), in: writer.source)
    let result = try insertUniqueBelow(writer, root, node, pair, limits, Step())
    if let existing = result.existing { return (root, existing) }
    return (try grown(writer, result.inserted), nil)
  }

  private static func insertUniqueBelow(
    _ writer: NodeWriter, _ reference: NodeReference, _ node: Node, _ pair: IndexPair,
    _ limits: TreeLimits, _ step: Step
  ) throws(StorageError) -> InsertedUnique {
    guard node.kind == .pairInner else {
      let leaf = PairLeaf(node)
      let index = leaf.place(of: pair.value, step.edges)
      if index < leaf.count, leaf.value(index) == pair.value {
        return InsertedUnique(
          inserted: Inserted(reference: reference), existing: leaf.key(index))
      }
      return InsertedUnique(
        inserted: try insertIntoLeaf(writer, reference, leaf, pair, at: index, limits))
    }
    let child = childHolding(node, IndexPair(pair.value, .max))
    let below = step.down(node, child)
    let next = try self.node(node.reference(child), below, in: writer.source)
    if isFullLeaf(next, limits), key(of: pair.value, in: PairLeaf(next), below.edges) == nil,
      let made = try insertBesideFull(writer, reference, node, child, pair, limits)
    {
      return InsertedUnique(inserted: Inserted(reference: made))
    }
    let result = try insertUniqueBelow(
      writer, node.reference(child), next, pair, limits, below)
    if result.existing != nil { return result }
    return InsertedUnique(
      inserted: try adopt(
        writer, reference, child, result.inserted, pair, limits, step.edges))
  }

  /// The key of the first entry with that value.
  private static func key(of value: Int64, in leaf: PairLeaf, _ edges: TreeEdges) -> Int64? {
    let index = leaf.place(of: value, edges)
    return index < leaf.count && leaf.value(index) == value ? leaf.key(index) : nil
  }
}
