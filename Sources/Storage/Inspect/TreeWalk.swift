/// Walks all nodes that a version reaches, checking each one's checksum against its bytes and its
/// parent's tag anew, whatever this process has verified before.
struct TreeWalk {
  let source: NodeSource
  let version: UInt64
  private(set) var extents: [Extent] = []
  private(set) var findings: [(offset: UInt64, message: String)] = []

  private static let depthMax = 64

  init(source: NodeSource, version: UInt64) {
    self.source = source
    self.version = version
  }

  mutating func visit(_ reference: NodeReference, depth: Int = 0) {
    if reference.isNone { return }
    guard depth < Self.depthMax else {
      findings.append((reference.offset, "a tree deeper than \(Self.depthMax) nodes"))
      return
    }
    let node: Node
    do throws(StorageError) {
      node = try source.checkedNode(reference)
    } catch {
      findings.append((reference.offset, error.message))
      return
    }
    extents.append(Extent(offset: reference.offset, length: UInt64(node.byteSize)))
    if node.born > version {
      findings.append(
        (reference.offset, "a node of version \(node.born) is part of version \(version)"))
    }
    for index in 0..<node.referenceCount {
      let child = node.reference(index)
      if child.isUncommitted {
        findings.append((reference.offset, "a node refers to private memory"))
      } else {
        visit(child, depth: depth + 1)
      }
    }
  }
}
