import Platform

/// Writes nodes that are in the page cache to the file once more, so that the next flush takes them
/// to the disk whatever became of earlier ones.
///
/// A node is never older than what it refers to, so a subtree whose root was written early enough
/// is passed over whole: the work goes by what the versions in question wrote. Where the log of
/// free space says where that is, the other nodes are not even looked at.
struct NodeRewriter {
  let source: NodeSource
  let file: any SystemFile

  private static let depthMax = 64

  /// Writes all nodes below `root` that were written after `version`, and not after `last`.
  ///
  /// - Throws: `.corrupt` where the page cache no longer has what was written.
  func run(
    _ root: NodeReference, after version: Version, upTo last: Version = .max
  ) throws(StorageError) {
    if root.isNone || source.isOlder(root, than: version) { return }
    let selection = Selection(
      after: version, upTo: last, written: try written(by: root, after: version))
    try visit(root, selection, depth: 0)
  }

  /// What is written: nodes of versions after one and up to another.
  private struct Selection {
    var after: Version
    var upTo: Version
    /// Where they lie, if that is known.
    var written: WrittenExtents?
  }

  private func written(
    by root: NodeReference, after version: Version
  ) throws(StorageError) -> WrittenExtents? {
    let copy = try source.verifiedCopy(root)
    defer { copy.deallocate() }
    guard copy.node.kind == .snapshot, copy.node.referenceCount == SnapshotNode.referenceCount
    else { throw source.corrupt(root, "the node of a version was expected") }
    let index = copy.node.reference(SnapshotNode.freeSpace)
    let written = try WrittenExtents(after: version, index: index, source)
    if let written, !written.contains(root.offset) {
      throw source.corrupt(index, "a log of free space with the version's own nodes was expected")
    }
    return written
  }

  private func visit(
    _ reference: NodeReference, _ selection: Selection, depth: Int
  ) throws(StorageError) {
    if reference.isNone { return }
    if let written = selection.written, !written.contains(reference.offset) { return }
    if source.isOlder(reference, than: selection.after) { return }
    // A copy, verified anew: after a failed flush the page cache may be read from the disk again at
    // any time, and then holds older bytes.
    let copy = try source.verifiedCopy(reference)
    defer { copy.deallocate() }
    let node = copy.node
    if node.createdIn <= selection.after { return }
    guard depth < Self.depthMax else {
      throw source.corrupt(reference, "a tree of at most \(Self.depthMax) levels was expected")
    }
    for index in 0..<node.referenceCount {
      let child = node.reference(index)
      guard !child.isUncommitted else {
        throw source.corrupt(reference, "references within the file were expected")
      }
      try visit(child, selection, depth: depth + 1)
    }
    guard node.createdIn <= selection.upTo else { return }
    do throws(SystemError) {
      try file.write(UnsafeRawBufferPointer(copy.image), at: reference.offset)
    } catch {
      throw StorageError(error, doing: "write nodes again")
    }
  }

  /// Writes the extents that a slot lists. False where they are not what it says.
  func run(_ extents: [CommitSlot.ProvenExtent]) throws(SystemError) -> Bool {
    for extent in extents {
      let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Int(extent.length), alignment: 8)
      defer { bytes.deallocate() }
      guard try file.read(into: bytes, at: extent.offset) == bytes.count,
        checksum(bytes.baseAddress!, count: bytes.count) == extent.checksum
      else { return false }
      try file.write(UnsafeRawBufferPointer(bytes), at: extent.offset)
    }
    return true
  }
}
