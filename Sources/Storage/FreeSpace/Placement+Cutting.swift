extension Placement {
  static var cutSizeMin: UInt64 { 65536 }

  /// Takes the free run at the end of the file out of it, so that the file can be cut there. For
  /// the time when everything has been placed.
  mutating func cutTail() throws(StorageError) -> Extent? {
    guard let last = try freeSpace.lastRun(), last.end == freeSpace.logicalSize,
      last.length >= Self.cutSizeMin
    else { return nil }
    guard try freeSpace.take(exactly: last) else { return nil }
    freeSpace.logicalSize = last.offset
    return last
  }
}
