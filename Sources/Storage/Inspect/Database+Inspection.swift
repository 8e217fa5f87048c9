extension Database {
  // MARK: Soundness

  /// Checks the newest version and every pinned one, on a file in use: all checksums, that no byte
  /// is used twice, and that each byte is exactly one of live, reusable, or waiting for a version.
  /// The layers above add what their nodes mean.
  public func verify() throws(StorageError) -> VerifyReport {
    let versions = try pinEveryVersion()
    defer { for snapshot in versions { snapshot.release() } }
    return try verify(versions)
  }

  /// The same for versions that the caller has pinned, by `pinEveryVersion`.
  ///
  /// Memory: a few megabytes, and a 256th of the file's size where older versions are pinned.
  ///
  /// - Parameters:
  ///   - versions: ascending, the newest last.
  ///   - progress: called now and then.
  public func verify(
    _ versions: [Snapshot], progress: (VerifyProgress) -> Void = { _ in }
  ) throws(StorageError) -> VerifyReport {
    var verification = Verification(versions: versions)
    try verification.run(progress)
    return verification.report
  }

  /// Pins the newest version and every other one that some process has pinned now, so that they can
  /// be read however soon those unpin them. Takes the writer role for a moment, during which
  /// no scan of the pins can miss one that is on its way from one process to another.
  ///
  /// - Returns: ascending, the newest last; release each. Without access to the lock-file, the
  ///   newest only.
  public func pinEveryVersion() throws(StorageError) -> [Snapshot] {
    try EveryVersion(database: self).pin()
  }

  // MARK: Space

  /// Tells where the space goes, in the newest version of a file that may be in use.
  public func space() throws(StorageError) -> SpaceReport {
    let snapshot = try pinNewest()
    defer { snapshot.release() }
    let survey = SpaceSurvey(
      snapshot: snapshot, fileBytes: try fileSize(),
      pinned: Set(pins().filter(\.isAlive).map(\.version)),
      durableVersion: lockFile.durableVersion)
    return try survey.run()
  }

  /// How much of the file is in use now. Waits for the writer lock.
  public func spaceUsage() throws(StorageError) -> SpaceUsage {
    let transaction = try beginWrite()
    defer { transaction.cancel() }
    try transaction.refreshFreeSpace()
    let freeSpace = writer.state.freeSpace
    return SpaceUsage(
      totalBytes: freeSpace.logicalSize,
      usedBytes: freeSpace.logicalSize - min(freeSpace.logicalSize, freeSpace.reusableBytes))
  }

  /// What a writer would find free now. Takes the writer's turn for a moment.
  ///
  /// - Throws: what `beginWrite` throws.
  public func freeSpaceInUse() throws(StorageError) -> FreeSpaceSummary {
    let transaction = try beginWrite()
    defer { transaction.cancel() }
    try transaction.refreshFreeSpace()
    let freeSpace = writer.state.freeSpace
    let reusable = freeSpace.reusableBytes
    return FreeSpaceSummary(reusable: reusable, waiting: freeSpace.freeBytes - reusable)
  }

  private func fileSize() throws(StorageError) -> UInt64 {
    do { return try file.size() } catch {
      throw StorageError(error, doing: "ask for the size of the file")
    }
  }

  // MARK: Identity

  /// Sixteen random bytes that the file was given when it was made, as hexadecimal digits.
  public func fileIdentifier() throws(StorageError) -> String {
    do { return try FileHeader.identifier(of: file) } catch {
      throw StorageError(error, doing: "read the header")
    }
  }
}
