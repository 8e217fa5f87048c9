import Platform

/// Writes nodes that are in the page cache to the file once more, so that the next flush takes them
/// to the disk whatever became of earlier ones.
///
/// A node is never older than what it refers to, so a subtree whose root was written early enough
/// is passed over whole: the work goes by what the versions in question wrote.
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
    try visit(root, after: version, upTo: last, depth: 0)
  }

  private func visit(
    _ reference: NodeReference, after version: Version, upTo last: Version, depth: Int
  ) throws(StorageError) {
    if reference.isNone || source.isOlder(reference, than: version) { return }
    // A copy, verified anew: after a failed flush the page cache may be read from the disk again at
    // any time, and then holds older bytes.
    let copy = try source.verifiedCopy(reference)
    defer { copy.deallocate() }
    let node = copy.node
    if node.createdIn <= version { return }
    guard depth < Self.depthMax else {
      throw source.corrupt(reference, "a tree of at most \(Self.depthMax) levels was expected")
    }
    for index in 0..<node.referenceCount {
      let child = node.reference(index)
      guard !child.isUncommitted else {
        throw source.corrupt(reference, "references within the file were expected")
      }
      try visit(child, after: version, upTo: last, depth: depth + 1)
    }
    guard node.createdIn <= last else { return }
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
