import Platform
import Storage

extension PairTree {
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
    var edges = TreeEdges()

    func down(_ node: Node, _ child: Int) -> Step {
      Step(
        depth: depth + 1, expected: InnerNode.count(node, child, stride: InnerNode.pairStride),
        edges: edges.down(node, child))
    }
  }

  static func node(
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
  static func childHolding(_ node: Node, _ pair: IndexPair) -> Int {
    let count = node.referenceCount
    // What comes in rising order belongs to the last.
    if count > 1, !(pair < first(node, count - 1)) { return count - 1 }
    return (1..<max(1, count)).partitionPoint { !(pair < first(node, $0)) } - 1
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
