import Coordination
import Platform

/// What whoever gets the writer role finds, for a transaction or for a flush: the newest version,
/// and perhaps what its predecessor died or failed over. The writer role is held.
struct WriterSuccession {
  private let flusher: FileFlusher
  private let mayRecover: Bool

  private var lockFile: LockFile { flusher.lockFile }
  private var slots: SlotStore { flusher.slots }

  /// - Parameter mayRecover: whether this may take the time to write and flush what was left.
  init(_ flusher: FileFlusher, mayRecover: Bool) {
    self.flusher = flusher
    self.mayRecover = mayRecover
  }

  /// The newest version, where needed after adopting one that a writer wrote whole and died before
  /// publishing. What the lock-file says is not relied on for that: the slots are looked at.
  ///
  /// - Returns: nil only if there is something to recover, and it may not.
  func newest() throws(StorageError) -> PublishedVersion? {
    if flusher.isUnsettled {
      guard mayRecover else { return nil }
      try flusher.settle()
    }
    let published: PublishedVersion
    do { published = try lockFile.newest() } catch { throw StorageError(error) }
    let source = try flusher.mappings.beginReading(covering: published.logicalSize)
    defer { source.endReading() }
    let mapping = source.mapping
    try keepUnknownSlot(published.version, mapping)
    guard SlotStore.claimsMore(than: published.version, mapping) else { return published }
    guard mayRecover else { return nil }
    return try recovered(published)
  }

  /// What is newest of what the slots name. It may reach beyond what has been mapped for the newest
  /// version that was published.
  private func recovered(_ published: PublishedVersion) throws(StorageError) -> PublishedVersion {
    let size: UInt64
    do throws(SystemError) { size = try flusher.file.size() } catch {
      throw StorageError(error, doing: "look at the size of the file")
    }
    let source = try flusher.mappings.beginReading(covering: max(size, published.logicalSize))
    defer { source.endReading() }
    let mapping = source.mapping
    let found = try Recovery(slots: slots, mapping: mapping).findNewest()
    guard found.newest.version > published.version else {
      try clearClaims(beyond: published.version)
      return published
    }
    if found.isUnflushed, try !rewrite(found.newest, after: published.version, mapping) {
      return published
    }
    return try adopt(found, mapping)
  }

  /// What a slot names that a dying flush has left is kept like any slot that is on its way: a
  /// power loss may lead to it. Its version holds what it needs as if it were pinned, and it is not
  /// written over before it is known to be on the disk.
  private func keepUnknownSlot(
    _ newest: Version, _ mapping: Mapping
  ) throws(StorageError) {
    guard flusher.durability != .inMemory else { return }
    do throws(SystemError) {
      let unknown = try slots.unknownVersion(
        after: lockFile.durableVersion, upTo: newest, except: lockFile.pendingSlot, mapping)
      if let unknown { lockFile.pendingSlot = unknown }
    } catch { throw StorageError(error, doing: "read the commit slots") }
  }

  /// Writes the nodes of a version again that nobody knew of when others made good what a failed
  /// flush had left uncertain: that flush may have been for them, too.
  ///
  /// - Returns: false if the page cache no longer has them. Then there is no such version: it had
  ///   not been published.
  private func rewrite(
    _ slot: CommitSlot, after version: Version, _ mapping: Mapping
  ) throws(StorageError) -> Bool {
    guard lockFile.flushFailure > 0 else { return true }
    let source = NodeSource(mapping: mapping, limit: slot.logicalSize)
    do throws(StorageError) {
      try NodeRewriter(source: source, file: flusher.file).run(slot.root, after: version)
      return true
    } catch {
      guard error.code == .corrupt else { throw error }
    }
    try clearClaims(beyond: version)
    return false
  }

  /// Clears slots that name no version, which a reader leaves who begins a session. A later commit
  /// gets the same number, and theirs would be taken for the slot of that.
  private func clearClaims(beyond version: Version) throws(StorageError) {
    do throws(SystemError) { _ = try slots.eraseClaims(beyond: version) } catch {
      throw StorageError(error, doing: "clear the slot of a commit that was not finished")
    }
  }

  /// Publishes what a writer left. What it meant to be durable is made so: whether it had come to
  /// its flush cannot be known.
  private func adopt(
    _ found: Recovery.Found, _ mapping: Mapping
  ) throws(StorageError) -> PublishedVersion {
    let adopted = PublishedVersion(found.newest)
    if !found.isUnflushed {
      do throws(StorageError) {
        let flush = flusher.synchronizer.flushFromNow()
        let recovery = Recovery(slots: slots, mapping: mapping)
        try RecoverySettlement(
          recovery: recovery, rewritesInPlace: flusher.durability != .strict,
          hasFailedFlush: false, flush: flush
        ).secure(found.newest)
        try flusher.synchronizer.requireNoFailure(under: flusher.durability)
      } catch {
        lockFile.noteFlushFailure()
        throw error
      }
      lockFile.durableVersion = adopted.version
      lockFile.raiseFlushedVersion(to: adopted.version)
    }
    lockFile.publish(adopted)
    lockFile.wakeOthers()
    return adopted
  }
}
