import Coordination
import Platform
import Synchronization

/// Makes versions survive power loss: their nodes, then the slots that name them.
///
/// A successful flush vouches for what was written since this process opened the file: an error of
/// an earlier write-back may have been reported to another process, which is dead. What was
/// unflushed when this process joined, what another one was writing then, and a slot that another
/// process had on its way, is therefore written again before the first flush that has to cover it.
/// After a failed flush everything beyond the durable version is written again, by whichever
/// process writes next.
final class FileFlusher: Sendable {
  let file: any SystemFile
  let lockFile: LockFile
  let slots: SlotStore
  let mappings: FileMappings
  let durability: Durability
  let synchronizer: FileSynchronizer
  private let pins: VersionPins
  /// The newest version when this process opened the file. There may have been a writer, who had
  /// written some of the next one.
  private let versionAtOpening: Version
  /// Whether this process has committed the version after that itself.
  private let hasCommittedNext = Atomic<Bool>(false)
  /// The version of a slot that this process has written and could not flush; 0: there is none.
  private let uncertainSlot = Atomic<UInt64>(0)
  /// The version of the durable slot that this process has written last; 0: none.
  private let ownSlot = Atomic<UInt64>(0)
  /// The newest version that this process has committed.
  private let newestOwn = Atomic<UInt64>(0)

  init(
    file: any SystemFile, lockFile: LockFile, slots: SlotStore, mappings: FileMappings,
    pins: VersionPins, durability: Durability, versionAtOpening: Version
  ) {
    self.file = file
    self.lockFile = lockFile
    self.slots = slots
    self.mappings = mappings
    self.pins = pins
    self.durability = durability
    self.versionAtOpening = versionAtOpening
    synchronizer = FileSynchronizer(file: file, lockFile: lockFile)
  }

  /// Makes every version committed so far survive power loss. Two flushes for any number of
  /// commits; the writer role is held for the length of a write between them only, or all the time
  /// where there is no room to pin the version, and while what a dead writer left is flushed.
  ///
  /// - Throws: `.inputOutput`, `.poisoned`, `.corrupt`.
  func flush() throws(StorageError) { try flush(within: nil) }

  /// - Parameter limit: for how many nanoseconds the writer role is waited for at each time.
  private func flush(within limit: UInt64?) throws(StorageError) {
    guard durability != .inMemory else { return }
    // What has only been found durable is made so even where nothing came after it.
    if lockFile.isDurableVersionUncertain, lockFile.mode != .privateReader {
      try whileWriting(within: limit) {}
    }
    let target = lockFile.newestVersion
    while lockFile.durableVersion < target {
      let pin: Pin
      do throws(StorageError) { pin = try pins.claimNewest() } catch {
        guard error.isResourceExhausted else { throw error }
        try whileWriting(within: limit) { () throws(StorageError) in try flushWhileWriting() }
        break
      }
      defer { lockFile.unpin(pin) }
      try flush(pin.published, within: limit)
    }
    if lockFile.mode != .privateReader { lockFile.noteCertain(target) }
  }

  /// Flushes a pinned version: its nodes, then the slot that names it. Where a slot of another
  /// flush is on its way to the disk, that is flushed instead: it is not written over before it is
  /// known to be there, because until then either version could be found after a power loss.
  private func flush(
    _ published: PublishedVersion, within limit: UInt64?
  ) throws(StorageError) {
    if lockFile.flushFailure % 2 == 0 {
      try flushNodes(
        below: NodeReference(rawValue: published.root), size: published.logicalSize,
        doing: "flush a group of commits")
      lockFile.raiseFlushedVersion(to: published.version)
    }
    var pending = Version.zero
    try whileWriting(within: limit) { () throws(StorageError) in
      guard lockFile.durableVersion < published.version else { return }
      pending = try pendingSlot()
      guard pending == .zero, lockFile.flushedVersion >= published.version else { return }
      try writeSlot(CommitSlot(published, boot: slots.boot))
      lockFile.pendingSlot = published.version
      pending = published.version
    }
    guard pending > .zero else { return }
    do throws(StorageError) {
      try synchronizer.run(doing: "flush the slot of a group of commits")
    } catch {
      uncertainSlot.store(pending.rawValue, ordering: .relaxed)
      throw error
    }
    try whileWriting(within: limit) { () throws(StorageError) in confirmSlot(pending) }
  }

  /// The version of a slot that is on its way to the disk, for a flush to confirm; 0: none. The
  /// writer role is held.
  ///
  /// One that another process has written is written once more: that one may have died in its
  /// flush, and with it the word that the flush had failed. Not under `strict`, as in `flushNodes`:
  /// the other one may just have been told that the slot is on the disk.
  private func pendingSlot() throws(StorageError) -> Version {
    let pending = lockFile.pendingSlot
    if pending == .zero || durability == .strict
      || pending.rawValue == ownSlot.load(ordering: .relaxed)
    {
      return pending
    }
    do throws(SystemError) {
      if try slots.rewriteDurable(pending) { return pending }
    } catch { throw StorageError(error, doing: "write the slot of a group of commits again") }
    // The page cache has been read again.
    lockFile.pendingSlot = .zero
    return .zero
  }

  /// A flush has succeeded that began after the slot of `version` had been written. The writer role
  /// is held.
  private func confirmSlot(_ version: Version) {
    guard lockFile.pendingSlot == version else { return }
    lockFile.raiseDurableVersion(to: version)
    lockFile.pendingSlot = .zero
  }

  /// A flush takes over from whoever died in the role as a transaction does: it writes slots, and
  /// one that a predecessor has left must not be written over before it is known to be on the disk.
  ///
  /// - Throws: `.inUse` if others have had the role for as long as `limit` says.
  private func whileWriting(
    within limit: UInt64?, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(LockFileError) {
      if let limit {
        guard try lockFile.lockWriter(within: limit) else {
          throw LockFileError(.inUse, path: file.path, "others are writing; try again later")
        }
      } else {
        try lockFile.lockWriter()
      }
    } catch { throw StorageError(error) }
    defer { lockFile.unlockWriter() }
    _ = try WriterSuccession(self, mayRecover: true).newest()
    try body()
  }

  /// The newest version stays whole as long as nobody else can commit.
  private func flushWhileWriting() throws(StorageError) {
    let newest: PublishedVersion
    do { newest = try lockFile.newest() } catch { throw StorageError(error) }
    if lockFile.durableVersion >= newest.version { return }
    try flushNodes(
      below: NodeReference(rawValue: newest.root), size: newest.logicalSize,
      doing: "flush a group of commits")
    lockFile.raiseFlushedVersion(to: newest.version)
    try commitDurably(CommitSlot(newest, boot: slots.boot))
  }

  /// Flushes what has been written up to the version with the given root.
  func flushNodes(
    below root: NodeReference, size: UInt64, doing what: String
  ) throws(StorageError) {
    let flushed = lockFile.flushedVersion
    // Under `strict` a node is not written twice: another process may be making it durable now, and
    // a write that is interrupted would destroy what that one promises. There only those failures
    // count that have been noted in the lock-file.
    let others =
      hasCommittedNext.load(ordering: .acquiring) ? versionAtOpening : versionAtOpening.next
    if flushed < others, durability != .strict {
      let source = try mappings.beginReading(covering: size)
      defer { source.endReading() }
      try NodeRewriter(source: source, file: file).run(root, after: flushed, upTo: others)
    }
    try synchronizer.run(doing: what)
  }

  /// Writes a durable slot. The writer role is held. On failure the slot is taken back.
  private func writeSlot(_ slot: CommitSlot) throws(StorageError) {
    do throws(SlotWriteError) {
      try slots.writeDurable(slot, keeping: lockFile.durableVersion)
    } catch {
      if !error.isPlaceClear { lockFile.noteFlushFailure() }
      throw StorageError(error.cause, doing: "write the slot of a commit")
    }
    ownSlot.store(slot.version.rawValue, ordering: .relaxed)
  }

  /// Writes a durable slot and flushes it. The writer role is held. On failure the slot is taken
  /// back.
  func commitDurably(_ slot: CommitSlot) throws(StorageError) {
    // A slot that another flush is about to confirm may not be written over before.
    let pending = try pendingSlot()
    if pending > .zero {
      try synchronizer.run(doing: "flush the slot of a group of commits")
      confirmSlot(pending)
    }
    try writeSlot(slot)
    do throws(StorageError) { try synchronizer.run(doing: "flush a commit") } catch {
      _ = slots.eraseDurable(keeping: lockFile.durableVersion)
      throw error
    }
    lockFile.raiseDurableVersion(to: slot.version)
    lockFile.raiseFlushedVersion(to: slot.version)
  }

  /// Whether `settle` has something to do.
  var isUnsettled: Bool {
    lockFile.flushFailure % 2 == 1
      || durability != .inMemory && lockFile.isDurableVersionUncertain
  }

  /// What comes before anything that relies on the durable version: after a failed flush, writes
  /// again what it has left uncertain, and flushes it; in a session that a reader began, makes
  /// certain of the durable version. The writer role is held.
  ///
  /// - Throws: `.poisoned` if that fails too; the versions that can be read stay readable.
  func settle() throws(StorageError) {
    guard isUnsettled else { return }
    let repair = FlushRepair(
      file: file, lockFile: lockFile, slots: slots, mappings: mappings, synchronizer: synchronizer,
      durability: durability)
    if lockFile.flushFailure % 2 == 1 { return try repair.run() }
    try repair.secureDurable()
  }

  // MARK: At the end

  /// A commit of this process has been published.
  func noteCommit(_ version: Version) {
    newestOwn.store(version.rawValue, ordering: .relaxed)
    if version == versionAtOpening.next { hasCommittedNext.store(true, ordering: .releasing) }
  }

  /// How long the end of a process's use waits for those who write: for its own commits, and for
  /// those of others.
  private static let ownPatienceNanoseconds: UInt64 = 2_000_000_000
  private static let patienceNanoseconds: UInt64 = 50_000_000

  /// The last step before the file is closed: what can be made durable is, and the next opening is
  /// told if it need not look for itself.
  ///
  /// A transaction may last, and its process may be stopped in it: this waits for a bounded time,
  /// and leaves the flush to that process, which makes one when its transaction ends.
  func flushBeforeClosing() {
    guard durability != .inMemory, lockFile.mode != .privateReader else { return }
    let isOwn = Version(newestOwn.load(ordering: .relaxed)) > lockFile.durableVersion
    let limit = isOwn ? Self.ownPatienceNanoseconds : Self.patienceNanoseconds
    // A failure has nobody to be told here; the next opening recovers what is on the disk. Once
    // more, because the second attempt writes again what the first could not flush, and because
    // whoever wrote may have died meanwhile.
    do throws(StorageError) { try flush(within: limit) } catch {
      if error.code != .inUse || !lockFile.hasOthers { try? flush(within: limit) }
    }
    // True whatever other processes do: without the slot that it names the mark says nothing. What
    // has only been found durable is not certain as long as nobody has made it so.
    let durable = lockFile.durableVersion
    guard lockFile.flushFailure % 2 == 0 else { return takeBackUncertainSlot() }
    guard lockFile.flushedVersion >= durable else { return }
    try? slots.writeClosingMark(durable)
  }

  /// A slot whose flush has failed may be in the page cache and not on the disk: the next opening,
  /// which cannot know that, must not find it. What it named is still named by a volatile slot.
  /// Only what this process has seen fail counts here: what the lock-file says may be damage.
  private func takeBackUncertainSlot() {
    let version = Version(uncertainSlot.load(ordering: .relaxed))
    guard version > .zero, (try? lockFile.tryLockWriter()) == true else { return }
    defer { lockFile.unlockWriter() }
    guard lockFile.flushFailure % 2 == 1, lockFile.pendingSlot == version else { return }
    slots.eraseDurable(of: version)
    lockFile.pendingSlot = .zero
  }
}
