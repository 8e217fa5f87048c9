import Storage

/// Reading of list trees: leaves are vectors, inner nodes have the kind `listInner`.
@usableFromInline
enum ListTree {
  /// Elements below `node`.
  @usableFromInline
  static func count(_ node: Node) -> Int {
    node.kind == .listInner ? InnerNode.total(node, stride: InnerNode.listStride) : node.count
  }

  /// A node of a list of values of that kind: an inner one, or a vector of theirs.
  static func node(
    _ reference: NodeReference, _ kind: ValueKind, in source: NodeSource
  ) throws(StorageError) -> Node {
    let node = try source.node(reference)
    return node.kind == .listInner ? node : try source.vector(reference, of: kind)
  }

  /// The leaf with element `index`, and its place there.
  @usableFromInline
  static func leaf(
    _ root: NodeReference, _ index: Int, _ kind: ValueKind, in source: NodeSource
  ) throws(StorageError) -> (node: Node, row: Int) {
    var offset = index
    var depth = 0
    var node = try self.node(root, kind, in: source)
    while node.kind == .listInner {
      try source.descend(&depth, root)
      let child = InnerNode.child(node, containing: offset, stride: InnerNode.listStride)
      offset -= child.before
      node = try self.node(node.reference(child.index), kind, in: source)
    }
    guard offset < node.count else { throw source.corrupt(root, "a list's count does not hold") }
    return (node, offset)
  }
}
