/// Adds up the sizes of nodes, of one tree or of several that cannot share nodes.
///
/// A file whose nodes refer to each other in a circle, or that shares them among parents, ends in
/// an error: the sizes of distinct nodes cannot add up to more than the file, and trees are not
/// deep. Nodes of a write transaction, which are not in the file yet, are not counted for that.
public struct TreeSize {
  /// Levels of any tree, at most; with the storage layer's own nodes on top.
  public static let depthMax = 64

  private let source: NodeSource
  private var left: UInt64

  public init(in source: NodeSource) {
    self.source = source
    left = source.limit
  }

  /// Bytes of the node and of everything that it refers to.
  public mutating func bytes(below reference: NodeReference) throws(StorageError) -> UInt64 {
    try bytes(below: reference, depth: 0)
  }

  private mutating func bytes(
    below reference: NodeReference, depth: Int
  ) throws(StorageError) -> UInt64 {
    if reference.isNone { return 0 }
    let node = try source.node(reference)
    var sum = try bytes(of: node, reference, depth: depth)
    for index in 0..<node.referenceCount {
      sum += try bytes(below: node.reference(index), depth: depth + 1)
    }
    return sum
  }

  /// Bytes of one node, which is `depth` levels below a root.
  public mutating func bytes(
    of node: Node, _ reference: NodeReference, depth: Int
  ) throws(StorageError) -> UInt64 {
    let size = UInt64(
      reference.isUncommitted ? node.byteSize : source.footprint(of: node))
    let counted = reference.isUncommitted ? 0 : size
    guard depth < Self.depthMax, counted <= left else {
      throw source.corrupt(reference, "a tree was expected whose nodes are not shared")
    }
    left -= counted
    return size
  }
}
