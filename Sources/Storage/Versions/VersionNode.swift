import Coordination

/// What the node of a version refers to.
struct VersionNode {
  let published: PublishedVersion
  /// The root of the layer above.
  let root: NodeReference
  let history: NodeReference
  let freeSpace: NodeReference
  /// The last version that cut off the end of the file.
  let lastCut: Version

  var version: Version { published.version }

  /// - Throws: `.corrupt` if no such node is there.
  init(of published: PublishedVersion, in source: NodeSource) throws(StorageError) {
    let node = try Self.node(of: published, in: source)
    self.published = published
    root = node.reference(SnapshotNode.root)
    history = node.reference(SnapshotNode.history)
    freeSpace = node.reference(SnapshotNode.freeSpace)
    // Of a node that has been verified a sector may since have been read again, after a flush of
    // which nobody knows that it failed. What is no place in the file would be taken for memory.
    if root.isUncommitted || history.isUncommitted || freeSpace.isUncommitted {
      throw Self.noNode(of: published, in: source)
    }
    lastCut = Version(node.data.load(fromByteOffset: SnapshotNode.lastCut, as: UInt64.self))
  }

  /// What a short reading needs of it.
  ///
  /// - Throws: `.corrupt` if no such node is there.
  @inline(__always)
  static func root(
    of published: PublishedVersion, in source: NodeSource
  ) throws(StorageError) -> NodeReference {
    let root = try node(of: published, in: source).reference(SnapshotNode.root)
    if root.isUncommitted { throw noNode(of: published, in: source) }
    return root
  }

  @inline(__always)
  private static func node(
    of published: PublishedVersion, in source: NodeSource
  ) throws(StorageError) -> Node {
    let node = try source.node(NodeReference(rawValue: published.root))
    guard node.kind == .snapshot, node.referenceCount == SnapshotNode.referenceCount,
      node.dataSize >= SnapshotNode.dataSize
    else { throw noNode(of: published, in: source) }
    return node
  }

  @inline(never)
  private static func noNode(of published: PublishedVersion, in source: NodeSource) -> StorageError
  {
    source.corrupt(
      NodeReference(rawValue: published.root),
      "the node of version \(published.version) was expected")
  }
}
