/// How much of a file is in use.
public struct SpaceUsage: Sendable, Hashable {
  /// The size of the file, bytes.
  public var totalBytes: UInt64
  /// Bytes that hold data, of the newest version or of one that is pinned.
  public var usedBytes: UInt64
}

extension Database {
  /// How much of the file is in use now. Waits for the writer lock.
  public func spaceUsage() throws(StorageError) -> SpaceUsage {
    let transaction = try beginWrite()
    defer { transaction.cancel() }
    try transaction.refreshFreeSpace()
    let freeSpace = writerState.freeSpace
    return SpaceUsage(
      totalBytes: freeSpace.logicalSize,
      usedBytes: freeSpace.logicalSize - min(freeSpace.logicalSize, freeSpace.reusableBytes))
  }
}
