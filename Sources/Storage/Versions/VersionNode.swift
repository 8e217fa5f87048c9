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
    let reference = NodeReference(rawValue: published.root)
    let node = try source.node(reference)
    guard node.kind == .snapshot, node.referenceCount == SnapshotNode.referenceCount,
      node.dataSize >= SnapshotNode.dataSize
    else {
      throw source.corrupt(reference, "the node of version \(published.version) was expected")
    }
    self.published = published
    root = node.reference(SnapshotNode.root)
    history = node.reference(SnapshotNode.history)
    freeSpace = node.reference(SnapshotNode.freeSpace)
    lastCut = Version(node.data.load(fromByteOffset: SnapshotNode.lastCut, as: UInt64.self))
  }
}
