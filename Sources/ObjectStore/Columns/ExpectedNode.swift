import Storage

// A checksum proves that a node is whole, and the tag in its parent's reference all but proves that
// it is the node that the parent means. What a read then relies on for its safety, that the node is
// of the kind that belongs there, is looked at each time: one comparison with what is in the cache.
extension NodeSource {
  /// The node that `reference` names, which must be of that kind.
  ///
  /// - Throws: `.corrupt`, naming the byte offset, if it is of another kind or damaged.
  @inlinable @inline(__always)
  func node(_ reference: NodeReference, _ kind: NodeKind) throws(StorageError) -> Node {
    let node = try node(reference)
    if node.kind != kind { throw unexpected(reference, kind) }
    return node
  }

  /// The vector that `reference` names, which must be one of such values.
  @inlinable @inline(__always)
  func vector(_ reference: NodeReference, of kind: ValueKind) throws(StorageError) -> Node {
    let node = try node(reference)
    if node.kind != kind.vectorKind || (kind.hasFixedWidth && node.width != kind.fixedWidth) {
      throw unexpected(reference, kind.vectorKind)
    }
    return node
  }

  /// Counts a step down a tree.
  @inlinable @inline(__always)
  func descend(_ depth: inout Int, _ reference: NodeReference) throws(StorageError) {
    depth &+= 1
    if depth > TreeLimits.depthMax { throw tooDeep(reference) }
  }

  @usableFromInline @inline(never)
  func tooDeep(_ reference: NodeReference) -> StorageError {
    corrupt(reference, "a tree of at most \(TreeLimits.depthMax) levels was expected")
  }

  /// What to throw where `reference` leads to a node of another kind.
  @usableFromInline @inline(never)
  func unexpected(_ reference: NodeReference, _ kind: NodeKind) -> StorageError {
    let found = (try? node(reference).kind.name) ?? "nothing"
    return corrupt(reference, "\(kind.name) was expected, \(found) was found")
  }
}

extension ValueKind {
  /// What kind of node the vectors of such values are.
  @inlinable @inline(__always)
  var vectorKind: NodeKind {
    switch self {
    case .int, .bool, .object: .integerVector
    case .float: .floatVector
    case .double, .date: .doubleVector
    case .objectId, .uuid, .decimal128: .fixedVector
    case .string, .data, .any: .byteVector
    }
  }

  @inlinable @inline(__always)
  var hasFixedWidth: Bool { vectorKind == .fixedVector }

  /// Bits per element of a fixed vector.
  @inlinable @inline(__always)
  var fixedWidth: Int { self == .objectId ? 96 : 128 }
}

extension NodeKind {
  /// For messages.
  var name: String {
    switch self {
    case .storeRoot: "the root of the object store"
    case .schema: "a schema"
    case .table: "a table"
    case .clusterInner: "an inner node of clusters"
    case .cluster: "a cluster"
    case .integerVector: "a vector of integers"
    case .floatVector: "a vector of floats"
    case .doubleVector: "a vector of doubles"
    case .fixedVector: "a vector of identifiers or decimals"
    case .byteVector: "a vector of byte strings"
    case .referenceVector: "a vector of references"
    case .backlinkVector: "a vector of backlinks"
    case .blob: "a large value"
    case .chunkedBlob: "a large value in pieces"
    case .listInner: "an inner node of a list"
    case .index: "an index"
    case .pairInner: "an inner node of an index"
    case .pairLeaf: "a leaf of an index"
    default: "a node of kind \(rawValue)"
    }
  }
}
