import Storage

// The kinds of node that the object store gives meaning to. docs/FORMAT.md describes each.
extension NodeKind {
  /// The object store's root: schema, then one table per class.
  @inlinable public static var storeRoot: NodeKind { NodeKind(rawValue: 32) }
  @inlinable public static var schema: NodeKind { NodeKind(rawValue: 33) }
  @inlinable public static var table: NodeKind { NodeKind(rawValue: 34) }
  @inlinable public static var clusterInner: NodeKind { NodeKind(rawValue: 35) }
  @inlinable public static var cluster: NodeKind { NodeKind(rawValue: 36) }
  @inlinable public static var integerVector: NodeKind { NodeKind(rawValue: 37) }
  @inlinable public static var floatVector: NodeKind { NodeKind(rawValue: 38) }
  @inlinable public static var doubleVector: NodeKind { NodeKind(rawValue: 39) }
  @inlinable public static var fixedVector: NodeKind { NodeKind(rawValue: 40) }
  @inlinable public static var byteVector: NodeKind { NodeKind(rawValue: 41) }
  @inlinable public static var referenceVector: NodeKind { NodeKind(rawValue: 42) }
  @inlinable public static var backlinkVector: NodeKind { NodeKind(rawValue: 43) }
  /// One large value, or one chunk of it.
  @inlinable public static var blob: NodeKind { NodeKind(rawValue: 44) }
  @inlinable public static var chunkedBlob: NodeKind { NodeKind(rawValue: 45) }
  @inlinable public static var listInner: NodeKind { NodeKind(rawValue: 46) }
  /// An index: a tree of values and a tree of the objects that hold null.
  @inlinable public static var index: NodeKind { NodeKind(rawValue: 47) }
  @inlinable public static var pairInner: NodeKind { NodeKind(rawValue: 48) }
  @inlinable public static var pairLeaf: NodeKind { NodeKind(rawValue: 49) }
  // 50 ..< 64 are reserved for sets, maps and full-text indexes.
}

/// Sizes that are no part of the format: any file may hold smaller or (but for `inlineBytesMax` and
/// `clusterRows`) larger nodes.
public struct TreeLimits: Sendable {
  /// Objects per cluster; at most 256, so that the 16-bit offsets of a byte vector suffice.
  public var clusterRows: Int
  /// Children per inner node of any tree.
  public var innerChildren: Int
  /// Elements per leaf of a list; at most 256.
  public var listElements: Int
  /// Entries per leaf of an index.
  public var pairEntries: Int

  public static let standard = TreeLimits(
    clusterRows: 256, innerChildren: 64, listElements: 256, pairEntries: 256)

  /// For tests: small nodes make deep trees of few objects.
  public init(clusterRows: Int, innerChildren: Int, listElements: Int, pairEntries: Int) {
    precondition((2...256).contains(clusterRows) && (2...256).contains(listElements))
    precondition(innerChildren >= 4 && pairEntries >= 4)
    self.clusterRows = clusterRows
    self.innerChildren = innerChildren
    self.listElements = listElements
    self.pairEntries = pairEntries
  }

  /// Longer values live in nodes of their own, so that changing one value of a cluster does not
  /// copy much.
  public static let inlineBytesMax = 255
  /// Bytes per chunk of a large value.
  public static let blobChunkBytes = 16 << 20
}
