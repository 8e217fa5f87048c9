/// Walks the nodes that a version reaches, checking each one's checksum against its bytes and its
/// parent's tag anew, whatever this process has verified before.
///
/// Memory does not grow with the tree. The walk ends when it has met more bytes than the version
/// can have, as it does in a tree whose nodes are shared, or that goes round in a circle.
struct TreeWalk {
  let source: NodeSource
  let version: Version
  /// Nodes that need not be looked at, with all below them: another walk has.
  var known: CellSet?
  private(set) var bytes: UInt64 = 0
  private(set) var nodeCount = 0

  init(source: NodeSource, version: Version, known: CellSet? = nil) {
    self.source = source
    self.version = version
    self.known = known
    source.expectManyReads()
  }

  /// - Parameters:
  ///   - found: what is wrong, and where.
  ///   - body: each node's extent.
  mutating func visit(
    _ reference: NodeReference, found: (_ offset: UInt64, _ message: String) -> Void,
    _ body: (Extent) -> Void
  ) {
    _ = visit(reference, depth: 0, found: found, body)
  }

  /// Returns false when the walk is to end.
  private mutating func visit(
    _ reference: NodeReference, depth: Int, found: (UInt64, String) -> Void,
    _ body: (Extent) -> Void
  ) -> Bool {
    if reference.isNone || known?.contains(reference.offset) ?? false { return true }
    guard depth < TreeSize.depthMax else {
      found(reference.offset, "a tree deeper than \(TreeSize.depthMax) nodes")
      return true
    }
    do throws(StorageError) {
      return try source.withCheckedNode(reference) { node in
        visit(node, reference, depth: depth, found: found, body)
      }
    } catch {
      found(reference.offset, error.message)
      return true
    }
  }

  private mutating func visit(
    _ node: Node, _ reference: NodeReference, depth: Int, found: (UInt64, String) -> Void,
    _ body: (Extent) -> Void
  ) -> Bool {
    let size = UInt64(source.footprint(of: node))
    guard bytes + size <= source.limit else {
      found(reference.offset, "nodes are shared: the tree is larger than the file")
      return false
    }
    bytes += size
    nodeCount += 1
    body(Extent(offset: reference.offset, length: size))
    if node.createdIn > version {
      found(reference.offset, "a node of version \(node.createdIn) is part of version \(version)")
    }
    for index in 0..<node.referenceCount {
      guard visit(node.reference(index), depth: depth + 1, found: found, body) else { return false }
    }
    return true
  }
}
