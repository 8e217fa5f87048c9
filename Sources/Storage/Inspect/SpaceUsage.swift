/// How much of a file is in use.
public struct SpaceUsage: Sendable, Hashable {
  /// The size of the file, bytes.
  public var totalBytes: UInt64
  /// Bytes that hold data, of the newest version or of one that is pinned.
  public var usedBytes: UInt64
}

/// How much of a file is free, in bytes.
public struct FreeSpaceSummary: Sendable, Hashable {
  /// What the next commit may use.
  public var reusable: UInt64
  /// What waits until no reader needs the versions that it is part of.
  public var waiting: UInt64
}
