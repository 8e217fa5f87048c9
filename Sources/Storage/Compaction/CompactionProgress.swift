/// What a compaction step did.
public struct CompactionProgress: Sendable {
  /// Bytes of nodes that were moved towards the start.
  public var bytesMoved = 0
  /// Bytes that went back to the file system, as holes or by cutting the file.
  public var bytesReturned: UInt64 = 0
  /// Whether another step would find something to do.
  public var hasMore = false
  /// Whether there is much to gain that pinned versions hold back: worth another look later.
  public var isHeldBack = false
  /// Whether a search through the whole tree has come to its end without making the file smaller.
  var isFruitless = false
  /// Whether a search through the whole tree has come to its end.
  var isPassOver = false
}
