/// Files of 123 MB that differ in how they are made up.
public struct LeafShape: Sendable, CustomStringConvertible {
  public let tree: LeafTree
  public let description: String

  public init(tree: LeafTree, description: String) {
    self.tree = tree
    self.description = description
  }

  public static let all = [
    LeafShape(
      tree: LeafTree(leafCount: 30_000, leafBytes: 4096...4096),
      description: "30,000 leaves of 4 KiB"),
    LeafShape(
      tree: LeafTree(leafCount: 30_000, leafBytes: 64...8128),
      description: "30,000 leaves of 64 to 8,128 bytes"),
    LeafShape(
      tree: LeafTree(leafCount: 246_000, leafBytes: 64...936),
      description: "246,000 leaves of 64 to 936 bytes"),
    // Each commit writes the 240 KB of the root anew.
    LeafShape(
      tree: LeafTree(leafCount: 30_000, leafBytes: 64...8128, fanout: 30_000),
      description: "30,000 leaves of 64 to 8,128 bytes right below the root"),
  ]
}
