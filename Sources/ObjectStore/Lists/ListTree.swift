import Storage

/// Reading of list trees: leaves are vectors, inner nodes have the kind `listInner`.
@usableFromInline
enum ListTree {
  /// Elements below `node`.
  @usableFromInline
  static func count(_ node: Node) -> Int {
    node.kind == .listInner ? InnerNode.total(node, stride: InnerNode.listStride) : node.count
  }

  /// The leaf with element `index`, and its place there.
  @usableFromInline
  static func leaf(
    _ root: NodeReference, _ index: Int, in source: NodeSource
  ) throws(StorageError) -> (node: Node, row: Int) {
    var offset = index
    var node = try source.node(root)
    while node.kind == .listInner {
      let child = InnerNode.child(node, containing: offset, stride: InnerNode.listStride)
      offset -= child.before
      node = try source.node(node.reference(child.index))
    }
    guard offset < node.count else { throw source.corrupt(root, "a list's count does not hold") }
    return (node, offset)
  }
}
