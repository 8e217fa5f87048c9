/// How much of a file is free, in bytes.
public struct FreeSpaceSummary: Sendable, Hashable {
  /// What the next commit may use.
  public var reusable: UInt64
  /// What waits until no reader needs the versions that it is part of.
  public var waiting: UInt64
}

extension Database {
  /// What a writer would find free now. Takes the writer's turn for a moment.
  ///
  /// - Throws: what `beginWrite` throws.
  public func freeSpaceInUse() throws(StorageError) -> FreeSpaceSummary {
    let transaction = try beginWrite()
    defer { transaction.cancel() }
    try transaction.refreshFreeSpace()
    let freeSpace = writerState.freeSpace
    let reusable = freeSpace.reusableBytes
    return FreeSpaceSummary(reusable: reusable, waiting: freeSpace.freeBytes - reusable)
  }
}
