import Coordination
import Platform

/// What a writer finds when it gets the role: the newest version, and perhaps what its predecessor
/// died or failed over. The writer role is held.
struct WriterSuccession {
  private let writer: FileWriter
  private let mayRecover: Bool

  private var lockFile: LockFile { writer.lockFile }
  private var slots: SlotStore { writer.slots }

  /// - Parameter mayRecover: whether this may take the time to write and flush what was left.
  init(_ writer: FileWriter, mayRecover: Bool) {
    self.writer = writer
    self.mayRecover = mayRecover
  }

  /// The newest version, where needed after adopting one that a writer wrote whole and died before
  /// publishing. What the lock-file says is not relied on for that: the slots are looked at.
  ///
  /// - Returns: nil only if there is something to recover, and it may not.
  func newest() throws(StorageError) -> PublishedVersion? {
    if writer.flusher.isUnsettled {
      guard mayRecover else { return nil }
      try writer.flusher.settle()
    }
    let published: PublishedVersion
    do { published = try lockFile.newest() } catch { throw StorageError(error) }
    let source = try writer.mappings.beginReading(covering: published.logicalSize)
    defer { source.endReading() }
    let mapping = source.mapping
    try keepUnknownSlot(published.version, mapping)
    guard SlotStore.claimsMore(than: published.version, mapping) else { return published }
    guard mayRecover else { return nil }
    let found = try Recovery(slots: slots, mapping: mapping).findNewest()
    guard found.newest.version > published.version else { return published }
    return try adopt(found, mapping)
  }

  /// What a slot names that a dying flush has left is kept like any slot that is on its way.
  private func keepUnknownSlot(
    _ newest: UInt64, _ mapping: Mapping
  ) throws(StorageError) {
    guard writer.options.durability != .inMemory else { return }
    do throws(SystemError) {
      let unknown = try slots.unknownVersion(
        after: lockFile.durableVersion, upTo: newest, except: lockFile.pendingSlot, mapping)
      if let unknown { lockFile.pendingSlot = unknown }
    } catch { throw StorageError(error, doing: "read the commit slots") }
  }

  /// Publishes what a writer left. What it meant to be durable is made so: whether it had come to
  /// its flush cannot be known.
  private func adopt(
    _ found: Recovery.Found, _ mapping: Mapping
  ) throws(StorageError) -> PublishedVersion {
    let adopted = PublishedVersion(found.newest)
    if !found.isUnflushed {
      do throws(StorageError) {
        let recovery = Recovery(slots: slots, mapping: mapping)
        try RecoverySettlement(
          recovery: recovery, rewritesInPlace: writer.options.durability != .strict,
          hasFailedFlush: false
        ).secure(found.newest)
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
