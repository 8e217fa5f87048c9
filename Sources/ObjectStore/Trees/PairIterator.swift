import Storage

/// Walks the entries of a pair tree in order.
struct PairIterator {
  let source: NodeSource
  private var path: [(node: Node, next: Int)] = []
  private var leaf: PairLeaf?
  private var index = 0
  /// Entries that may still come; more would mean that nodes are shared.
  private var left = 0

  /// From the first entry on.
  init(root: NodeReference, in source: NodeSource) {
    self.source = source
    pending = root
  }

  private var pending: NodeReference
  private var isAtRoot = true

  /// From the first entry on that is not below `pair`.
  init(root: NodeReference, from pair: IndexPair, in source: NodeSource) throws(StorageError) {
    self.source = source
    pending = .none
    if root.isNone { return }
    isAtRoot = false
    left = try PairTree.count(root, in: source)
    var depth = 0
    var node = try source.node(root)
    while node.kind == .pairInner {
      try source.descend(&depth, root)
      let child = PairTree.childBelow(node, pair)
      path.append((node, child + 1))
      node = try source.node(node.reference(child))
    }
    let leaf = try PairTree.leaf(node, root, in: source)
    self.leaf = leaf
    index = leaf.lowerBound(pair)
    try count(leaf, root)
  }

  private mutating func count(
    _ leaf: PairLeaf, _ reference: NodeReference
  ) throws(StorageError) {
    left &-= leaf.count
    if left < 0 { throw source.corrupt(reference, "fewer entries of an index were expected") }
  }

  /// The next entry, or nil at the end.
  mutating func next() throws(StorageError) -> IndexPair? {
    while true {
      if let leaf, index < leaf.count {
        defer { index += 1 }
        return leaf[index]
      }
      guard try advance() else { return nil }
    }
  }

  /// Goes to the next leaf; false at the end.
  private mutating func advance() throws(StorageError) -> Bool {
    leaf = nil
    index = 0
    while true {
      if !pending.isNone {
        let reference = pending
        let node = try source.node(reference)
        pending = .none
        if isAtRoot { left = PairTree.count(node) }
        isAtRoot = false
        if node.kind == .pairLeaf {
          let leaf = PairLeaf(node)
          try count(leaf, reference)
          self.leaf = leaf
          return true
        }
        guard node.kind == .pairInner else { throw source.unexpected(reference, .pairLeaf) }
        if path.count >= TreeLimits.depthMax { throw source.tooDeep(reference) }
        path.append((node, 0))
      }
      guard let top = path.last else { return false }
      if top.next < top.node.referenceCount {
        pending = top.node.reference(top.next)
        path[path.count - 1].next += 1
      } else {
        path.removeLast()
      }
    }
  }
}
