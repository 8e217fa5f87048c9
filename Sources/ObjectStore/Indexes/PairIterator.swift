import Storage

/// Walks the entries of a pair tree in order.
struct PairIterator {
  let source: NodeSource
  private var path: [(node: Node, next: Int)] = []
  private var leaf: PairLeaf?
  private var index = 0

  /// From the first entry on.
  init(root: NodeReference, in source: NodeSource) {
    self.source = source
    pending = root
  }

  private var pending: NodeReference

  /// From the first entry on that is not below `pair`.
  init(root: NodeReference, from pair: IndexPair, in source: NodeSource) throws(StorageError) {
    self.source = source
    pending = .none
    if root.isNone { return }
    var node = try source.node(root)
    while node.kind == .pairInner {
      let child = PairTree.childBelow(node, pair)
      path.append((node, child + 1))
      node = try source.node(node.reference(child))
    }
    let leaf = try PairTree.leaf(node, root, in: source)
    self.leaf = leaf
    index = leaf.lowerBound(pair)
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
        if node.kind == .pairLeaf {
          leaf = PairLeaf(node)
          return true
        }
        guard node.kind == .pairInner else { throw source.unexpected(reference, .pairLeaf) }
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
