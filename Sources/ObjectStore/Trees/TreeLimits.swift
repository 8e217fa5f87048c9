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

  /// Levels of nodes below the root of any tree, at most; a hundred million objects need five. What
  /// goes deeper is damaged, and perhaps goes round in a circle.
  public static let depthMax = 32

  /// Longer values live in nodes of their own, so that changing one value of a cluster does not
  /// copy much.
  public static let inlineBytesMax = 255
  /// Bytes per chunk of a large value.
  public static let blobChunkBytes = 16 << 20
}
