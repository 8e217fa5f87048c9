/// The node that stands for a version.
enum SnapshotNode {
  static let root = 0
  static let history = 1
  static let freeSpace = 2
  static let referenceCount = 3

  /// UInt64: no node of the version ends beyond.
  static let logicalSize = 0
  /// UInt64: the last version that cut the end of the file off. No later version reaches beyond the
  /// newest one's logical size, so the file may be truncated to it as soon as nothing older than
  /// this is pinned or would be recovered.
  static let lastCut = 8
  static let dataSize = 16
}
