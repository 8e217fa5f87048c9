import Platform

/// A flush of the file, for `RecoverySettlement`.
typealias SettlementFlush = () throws(SystemError) -> Void

/// Makes what recovery found the durable version of the file, and removes what lost against it.
///
/// What is not known to have been flushed is written again from the page cache before it is
/// flushed, whichever boot seems to have written it: an earlier flush may have failed, after which
/// Linux keeps pages that it has not written and no longer calls dirty. Each step leaves the same
/// version newest, so that a crash in the middle leads to the same place.
struct RecoverySettlement {
  let recovery: Recovery
  /// Whether the newest slot may be written again where it is. Not for `strict`, which assumes of
  /// the disk that a write it is interrupted in can destroy the whole block; but when a flush has
  /// failed there, too: nothing else makes it certain.
  let rewritesInPlace: Bool
  /// Whether a flush has failed in this boot, after which the kernel reports no more failures for
  /// what it did not write, and may read old bytes again at any time.
  let hasFailedFlush: Bool
  /// Brings to the disk what has been written. Where other threads flush the same open file it
  /// takes its turn among them: the kernel tells one of them alone of a failure.
  let flush: SettlementFlush

  private var file: any SystemFile { recovery.slots.file }

  /// For a process that has the file exclusively.
  ///
  /// - Returns: the newest version, which is durable now. It is an older one than was found if
  ///   what had not been flushed turned out to be damaged.
  func run(_ found: Recovery.Found) throws(StorageError) -> CommitSlot {
    var found = found
    if found.isUnflushed {
      do throws(StorageError) {
        try makeDurable(found.newest, beyond: found.durableVersion)
      } catch {
        guard error.code == .corrupt, found.durableVersion > .zero else { throw error }
        found = try recovery.findNewest(includingUnflushed: false)
        found.hasFalseClaims = true
      }
    }
    if !found.isUnflushed, !found.isSettled {
      do throws(StorageError) { try secure(found.newest) } catch {
        guard error.code == .corrupt, hasFailedFlush else { throw error }
        // The page cache had it in place of what is on the disk, and has been read again since.
        found = try recovery.findNewest(includingUnflushed: false)
        found.hasFalseClaims = true
        try secure(found.newest)
      }
    }
    try clean(found)
    return found.newest
  }

  /// Gives an unflushed version a durable slot, beside that of version `durable`.
  func makeDurable(_ slot: CommitSlot, beyond durable: Version) throws(StorageError) {
    if durable > .zero { try rewrite(durable) }
    // What the last durable slot proves may be what the failed flush should have covered.
    let known = hasFailedFlush && durable > .zero ? durable.previous : durable
    try rewriteNodes(of: slot, after: known)
    var slot = slot
    slot.extents = []
    do throws(SystemError) {
      try flush()
    } catch { throw StorageError(error, doing: "flush the recovered version") }
    do throws(SlotWriteError) { try recovery.slots.writeDurable(slot, keeping: durable) } catch {
      throw StorageError(error.cause, doing: "write the slot of the recovered version")
    }
    do throws(SystemError) { try flush() } catch {
      // What is in the page cache and perhaps not on the disk must not be found by the next
      // opening.
      _ = recovery.slots.eraseDurable(keeping: durable)
      throw StorageError(error, doing: "flush the recovered version")
    }
  }

  /// Makes certain that a durable slot, and what it names, are on disk. Where it lists no extents
  /// its nodes had been flushed before it was written.
  func secure(_ slot: CommitSlot) throws(StorageError) {
    let isWhole: Bool
    do throws(SystemError) {
      isWhole = try rewrite(slot)
      try flush()
    } catch { throw StorageError(error, doing: "flush the recovered version") }
    guard isWhole else { throw changed(slot) }
  }

  /// Writes the slot and what it proves once more where they are, for a flush to find.
  ///
  /// - Returns: false if they are not what was found any more.
  private func rewrite(_ slot: CommitSlot) throws(SystemError) -> Bool {
    // The header is written once, before version 2. A power loss may destroy its block where the
    // disk is assumed to do that, and a file of another boot cannot be made anew.
    let isOfThisBoot = slot.boot == recovery.slots.boot
    if slot.isOfNewFile, isOfThisBoot || rewritesInPlace { try FileHeader.rewrite(file) }
    // A new file's slot was flushed before its header was written, and is the only one: losing
    // its block to a write that is interrupted would leave a header without a version.
    guard rewritesInPlace, !slot.isOfNewFile else { return true }
    let source = NodeSource(mapping: recovery.mapping, limit: slot.logicalSize)
    let isWhole = try NodeRewriter(source: source, file: file).run(slot.extents)
    return try recovery.slots.rewriteDurable(slot.version) && isWhole
  }

  /// The last durable slot may be in the page cache alone, and the one that is on the disk is going
  /// to be written over. Whoever was killed in a flush that failed has told nobody of it.
  private func rewrite(_ durable: Version) throws(StorageError) {
    let found = try recovery.findNewest(includingUnflushed: false)
    guard found.newest.version == durable else { throw changed(found.newest) }
    // Before there is a commit a new file has been flushed.
    if !hasFailedFlush, found.isSettled || found.newest.isOfNewFile { return }
    do throws(SystemError) {
      if try rewrite(found.newest) { return }
    } catch { throw StorageError(error, doing: "write the recovered version again") }
    throw changed(found.newest)
  }

  private func changed(_ slot: CommitSlot) -> StorageError {
    NodeSource(mapping: recovery.mapping, limit: slot.logicalSize)
      .corrupt(slot.root, "a last commit that does not change was expected")
  }

  private func rewriteNodes(of slot: CommitSlot, after version: Version) throws(StorageError) {
    let source = NodeSource(mapping: recovery.mapping, limit: slot.logicalSize)
    try NodeRewriter(source: source, file: file).run(slot.root, after: version)
  }

  /// Removes slots of an earlier boot or of a torn commit, and bytes beyond the end.
  private func clean(_ found: Recovery.Found) throws(StorageError) {
    var isThere = true
    do throws(SystemError) {
      if hasFailedFlush {
        // What was erased before may have come back, or may yet.
        isThere = try recovery.slots.eraseAll(but: found.newest.version)
        if isThere { try flush() }
      } else if found.hasFalseClaims,
        try recovery.slots.eraseClaims(beyond: found.newest.version)
      {
        try flush()
      }
      if isThere, try file.size() > found.newest.logicalSize {
        try file.truncate(to: found.newest.logicalSize)
      }
    } catch {
      throw StorageError(error, doing: "settle the recovered version")
    }
    guard isThere else { throw changed(found.newest) }
  }
}
