import Platform

/// Writes nodes that are in the page cache to the file once more, so that the next flush takes them
/// to the disk whatever became of earlier ones.
///
/// A node is never older than what it refers to, so a subtree whose root was born early enough is
/// passed over whole: the work goes by what the versions in question wrote.
struct NodeRewriter {
  let source: NodeSource
  let file: any SystemFile

  private static let depthMax = 64

  /// Writes all nodes below `root` that were born after `version`, and not after `last`.
  ///
  /// - Throws: `.corrupt` where the page cache no longer has what was written.
  func run(
    _ root: NodeReference, after version: UInt64, upTo last: UInt64 = .max
  ) throws(StorageError) {
    try visit(root, after: version, upTo: last, depth: 0)
  }

  private func visit(
    _ reference: NodeReference, after version: UInt64, upTo last: UInt64, depth: Int
  ) throws(StorageError) {
    if reference.isNone { return }
    // Looked at anew, whatever this process has seen of it before.
    let node = try source.checkedNode(reference)
    if node.born <= version { return }
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
    guard node.born <= last else { return }
    let bytes = [UInt8](UnsafeRawBufferPointer(start: node.address, count: node.byteSize))
    let failure = bytes.withUnsafeBytes { bytes -> SystemError? in
      do throws(SystemError) {
        try file.write(bytes, at: reference.offset)
        return nil
      } catch { return error }
    }
    if let failure { throw StorageError(failure, doing: "write nodes again") }
  }
}
