extension Database {
  // MARK: Flushing

  /// Makes every version committed so far survive power loss. Two flushes for any number of
  /// commits; the writer role is held for the length of a write between them only, or all the time
  /// where there is no room to pin the version.
  ///
  /// - Throws: `.inputOutput`, `.poisoned`, `.corrupt`.
  public func flush() throws(StorageError) { try writer.flusher.flush() }

  /// Calls `body`, on a background thread, once `version` survives power loss, or with the error
  /// that made that impossible.
  public func whenDurable(
    _ version: Version, _ body: @escaping @Sendable (Result<Void, StorageError>) -> Void
  ) {
    maintenance.whenDurable(version, self, body)
  }

  // MARK: Compaction

  /// Does a bounded piece of compaction. The writer role is taken for a few milliseconds at most,
  /// and not for a flush.
  ///
  /// - Throws: what a commit throws.
  @discardableResult
  public func compactStep(force: Bool = false) throws(StorageError) -> CompactionProgress {
    let isDurableByItself = options.durability == .full || options.durability == .strict
    return try compaction.step(self, force: force, flushes: force || isDurableByItself)
  }

  /// Compacts until nothing more can be gained; other writers get their turn between steps.
  public func compact() throws(StorageError) -> CompactionProgress {
    try compaction.compact(self)
  }

  // MARK: Copies

  /// Writes the newest version to a new file, without free space and without history. Others may
  /// go on writing here meanwhile; the version is pinned until the copy is done.
  ///
  /// - Parameters:
  ///   - path: where; nothing must be there.
  ///   - key: what the copy is encrypted with, whatever this file is.
  /// - Returns: how many bytes of nodes were copied.
  /// - Throws: `.fileExists`, `.outOfDiskSpace`, `.inputOutput`, `.corrupt`,
  ///   `.encryptionUnavailable`; nothing is left then.
  public func writeCompactCopy(
    to path: String, key: EncryptionKey? = nil
  ) throws(StorageError) -> UInt64 {
    let snapshot = try pinNewest()
    defer { snapshot.release() }
    return try writeCompactCopy(of: snapshot.root, in: snapshot.source, to: path, key: key)
  }

  /// The same of what `root` refers to: a pinned version, or what a write transaction has made of
  /// one so far.
  ///
  /// The copy is written from its beginning to its end under another name, flushed, and then given
  /// its own: at that path there is no file or a whole one. Memory does not grow with the data.
  ///
  /// - Returns: how many bytes of nodes were copied.
  public func writeCompactCopy(
    of root: NodeReference, in source: NodeSource, to path: String, key: EncryptionKey? = nil
  ) throws(StorageError) -> UInt64 {
    try CompactCopy(system: system, path: path, key: key).write(root, in: source)
  }

  // MARK: Background work

  /// Waits until the background work that is due now has been done.
  package func drainMaintenance() { maintenance.drain() }
}
