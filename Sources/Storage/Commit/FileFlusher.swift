import Coordination
import Platform

/// Flushing, and what follows when it fails.
///
/// A successful flush vouches for what was written since this process opened the file: an error of
/// an earlier write-back may have been reported to another process, which is dead. What was
/// unflushed when this process joined is therefore written again before the first flush that has
/// to cover it. After a failed flush everything beyond the durable version is written again, by
/// whichever process writes next.
extension Database {
  /// Makes every version committed so far survive power loss. Two flushes for any number of
  /// commits; the writer role is held for the length of a write between them only, or all the time
  /// where there is no room to pin the version.
  ///
  /// - Throws: `.inputOutput`, `.poisoned`, `.corrupt`.
  public func flush() throws(StorageError) {
    guard options.durability != .inMemory else { return }
    let target = lockFile.newestVersion
    while lockFile.durableVersion < target {
      let pin: Pin
      do throws(StorageError) { pin = try claimPin() } catch {
        guard error.isResourceExhausted else { throw error }
        return try whileWriting { () throws(StorageError) in try flushWhileWriting() }
      }
      defer { lockFile.unpin(pin) }
      try flush(pin.published)
    }
  }

  /// Flushes a pinned version: its nodes, then the slot that names it. Where a slot of another
  /// flush is on its way to the disk, that is flushed instead: it is not written over before it is
  /// known to be there, because until then either version could be found after a power loss.
  private func flush(_ published: PublishedVersion) throws(StorageError) {
    if lockFile.flushFailure % 2 == 0 {
      try flushNodes(
        below: NodeReference(rawValue: published.root), size: published.logicalSize,
        doing: "flush a group of commits")
      lockFile.raiseFlushedVersion(to: published.version)
    }
    var pending: UInt64 = 0
    try whileWriting { () throws(StorageError) in
      guard lockFile.durableVersion < published.version else { return }
      pending = lockFile.pendingSlot
      guard pending == 0, lockFile.flushedVersion >= published.version else { return }
      try writeSlot(slot(for: published))
      lockFile.pendingSlot = published.version
      pending = published.version
    }
    guard pending > 0 else { return }
    do throws(StorageError) {
      try synchronize(doing: "flush the slot of a group of commits")
    } catch {
      uncertainSlot.store(pending, ordering: .relaxed)
      throw error
    }
    try whileWriting { () throws(StorageError) in confirmSlot(pending) }
  }

  /// A flush has succeeded that began after the slot of `version` had been written. The writer role
  /// is held.
  private func confirmSlot(_ version: UInt64) {
    guard lockFile.pendingSlot == version else { return }
    lockFile.raiseDurableVersion(to: version)
    lockFile.pendingSlot = 0
  }

  private func slot(for published: PublishedVersion) -> CommitSlot {
    CommitSlot(
      version: published.version, root: NodeReference(rawValue: published.root),
      logicalSize: published.logicalSize, boot: slots.boot)
  }

  private func whileWriting(
    _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    do { try lockFile.lockWriter() } catch { throw StorageError(error) }
    defer { lockFile.unlockWriter() }
    try repairAfterFailedFlush()
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
    try commitDurably(slot(for: newest))
  }

  /// Flushes what has been written up to the version with the given root.
  func flushNodes(
    below root: NodeReference, size: UInt64, doing what: String
  ) throws(StorageError) {
    let flushed = lockFile.flushedVersion
    if flushed < versionAtOpening {
      let source = try beginReading(covering: size)
      defer { source.endReading() }
      try NodeRewriter(source: source, file: file).run(
        root, after: flushed, upTo: versionAtOpening)
    }
    try synchronize(doing: what)
  }

  private func synchronize(doing what: String) throws(StorageError) {
    do throws(SystemError) {
      try flushFile()
      // A flush by another thread may have failed before this one began, and have left nothing for
      // it to write. Those of other processes are reported to this one by the kernel.
      if failedFlushes.withLock({ $0.isUnrepaired }), lockFile.flushFailure % 2 == 1 {
        throw flushError
      }
    } catch { throw StorageError(error, doing: what) }
  }

  /// The threads of a process take turns, and one that fails says so within its turn: Linux reports
  /// a failed write-back once for each open file, to whichever thread asks first, and another
  /// thread's flush may have relied on the same pages.
  private func flushFile() throws(SystemError) {
    try failedFlushes.withLock { failures throws(SystemError) in
      do throws(SystemError) { try file.synchronize() } catch {
        failures.count += 1
        failures.isUnrepaired = true
        lockFile.noteFlushFailure()
        throw error
      }
    }
  }

  private var flushError: SystemError {
    SystemError(call: .fdatasync, path: path, code: ErrorNumber.inputOutput)
  }

  /// Writes a durable slot. The writer role is held. On failure the slot is taken back.
  private func writeSlot(_ slot: CommitSlot) throws(StorageError) {
    do throws(SlotWriteError) {
      try slots.writeDurable(slot, keeping: lockFile.durableVersion)
    } catch {
      if !error.isPlaceClear { lockFile.noteFlushFailure() }
      throw StorageError(error.cause, doing: "write the slot of a commit")
    }
  }

  /// Writes a durable slot and flushes it. The writer role is held. On failure the slot is taken
  /// back.
  func commitDurably(_ slot: CommitSlot) throws(StorageError) {
    // A slot that another flush is about to confirm may not be written over before.
    let pending = lockFile.pendingSlot
    if pending > 0 {
      try synchronize(doing: "flush the slot of a group of commits")
      confirmSlot(pending)
    }
    try writeSlot(slot)
    do throws(StorageError) { try synchronize(doing: "flush a commit") } catch {
      _ = slots.eraseDurable(keeping: lockFile.durableVersion)
      throw error
    }
    lockFile.raiseDurableVersion(to: slot.version)
    lockFile.raiseFlushedVersion(to: slot.version)
  }

  // MARK: After a failed flush

  /// Writes again what a failed flush has left uncertain, and flushes it. The writer role is held.
  ///
  /// - Throws: `.poisoned` if that fails too; the versions that can be read stay readable.
  func repairAfterFailedFlush() throws(StorageError) {
    guard lockFile.flushFailure % 2 == 1 else { return }
    forgetVerifiedNodes()
    let newest: PublishedVersion
    do { newest = try lockFile.newest() } catch { throw StorageError(error) }
    do throws(StorageError) {
      try rewrite(newest)
    } catch {
      throw StorageError(
        .poisoned, path: path,
        "a flush has failed, and writing again what it should have covered did not help"
          + " (\(error.message)); check the disk, close the file in every process and open it"
          + " again, which goes back to the last version that is known to be on it",
        cause: error.cause)
    }
    failedFlushes.withLock { $0.isUnrepaired = false }
    lockFile.noteFlushRepair()
  }

  private func rewrite(_ newest: PublishedVersion) throws(StorageError) {
    // Nothing of an in-memory file is for the disk, and the only durable slot that it has is that
    // of the empty version. What is left of the slot that could not be written is written over by
    // the next commit.
    if options.durability == .inMemory { return }
    let durable = lockFile.durableVersion
    let failures = failedFlushes.withLock { $0.count }
    func flushAgain() throws(SystemError) {
      try flushFile()
      // Another thread's failure may have been that of what is written here.
      if failedFlushes.withLock({ $0.count }) != failures { throw flushError }
    }
    let source = try beginReading(covering: newest.logicalSize)
    defer { source.endReading() }
    let root = NodeReference(rawValue: newest.root)
    try NodeRewriter(source: source, file: file).run(root, after: durable)
    do throws(SystemError) {
      try flushAgain()
      // A slot that was taken back may have reached the disk, and its going may not have.
      if !slots.eraseDurable(keeping: durable) {
        throw SystemError(call: .write, path: path, code: ErrorNumber.inputOutput)
      }
      try flushAgain()
    } catch {
      throw StorageError(error, doing: "flush what had been written again")
    }
    lockFile.pendingSlot = 0
    lockFile.raiseFlushedVersion(to: newest.version)
    guard newest.version > durable else { return }
    do throws(SlotWriteError) {
      try slots.writeDurable(slot(for: newest), keeping: durable)
    } catch {
      throw StorageError(error.cause, doing: "write the slot of a commit")
    }
    do throws(SystemError) { try flushAgain() } catch {
      // What is in the page cache and perhaps not on the disk must not be found by the next
      // opening.
      _ = slots.eraseDurable(keeping: durable)
      throw StorageError(error, doing: "flush what had been written again")
    }
    lockFile.raiseDurableVersion(to: newest.version)
  }

  // MARK: At the end

  /// The last step before the file is closed: what can be made durable is, and the next opening is
  /// told if it need not look for itself.
  func flushBeforeClosing() {
    guard !options.readOnly, options.durability != .inMemory, lockFile.mode != .privateReader
    else { return }
    // A failure has nobody to be told here; the next opening recovers what is on the disk. Once
    // more, because the second attempt writes again what the first could not flush.
    if (try? flush()) == nil { try? flush() }
    // True whatever other processes do: without the slot that it names the mark says nothing.
    guard lockFile.flushFailure % 2 == 0 else { return takeBackUncertainSlot() }
    try? slots.writeClosingMark(lockFile.durableVersion)
  }

  /// A slot whose flush has failed may be in the page cache and not on the disk: the next opening,
  /// which cannot know that, must not find it. What it named is still named by a volatile slot.
  /// Only what this process has seen fail counts here: what the lock-file says may be damage.
  private func takeBackUncertainSlot() {
    let version = uncertainSlot.load(ordering: .relaxed)
    guard version > 0, (try? lockFile.tryLockWriter()) == true else { return }
    defer { lockFile.unlockWriter() }
    guard lockFile.flushFailure % 2 == 1, lockFile.pendingSlot == version else { return }
    slots.eraseDurable(of: version)
    lockFile.pendingSlot = 0
  }
}
