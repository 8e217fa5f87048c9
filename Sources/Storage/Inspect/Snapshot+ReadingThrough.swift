import Platform

extension Snapshot {
  /// Calls `body` with a source of the version for reading all of it once: what that decrypts of an
  /// encrypted file is given back at the end, where what is read through `source` stays for the
  /// process. A plain file is read through its own mapping.
  ///
  /// - Throws: what `body` throws, or that the file could not be mapped once more.
  public func readingThrough<Result>(
    _ body: (NodeSource) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard let cipher = database.mappings.cipher else { return try body(source) }
    let mapping: Mapping
    do throws(SystemError) {
      mapping = try Mapping.make(
        database.file, covering: logicalSize, reservation: 0, cipher: cipher)
    } catch { throw StorageError(error, doing: "map the file") }
    // Held to the end: nodes that `body` has at hand lie in it.
    defer { withExtendedLifetime(mapping) {} }
    return try body(NodeSource(mapping: mapping, limit: logicalSize))
  }
}
