extension Placement {
  /// Takes the free run at the end of the file out of it, so that the file can be cut there: as far
  /// as its blocks have been given back, because to cut off others takes milliseconds, with the
  /// writer role held. For the time when everything has been placed.
  mutating func cutTail() throws(StorageError) -> Extent? {
    guard let last = try freeSpace.returnedEnd(), try freeSpace.take(exactly: last) else {
      return nil
    }
    freeSpace.logicalSize = last.offset
    return last
  }
}
