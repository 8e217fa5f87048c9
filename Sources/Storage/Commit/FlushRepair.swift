import Coordination
import Platform

/// Writes again what failed flushes have left uncertain, and flushes it; makes certain of a durable
/// version that has only been found. The writer role is held.
struct FlushRepair {
  let file: any SystemFile
  let lockFile: LockFile
  let slots: SlotStore
  let mappings: FileMappings
  let synchronizer: FileSynchronizer
  let durability: Durability

  /// - Throws: `.poisoned` if that fails too; the versions that can be read stay readable.
  func run() throws(StorageError) {
    mappings.forgetVerifiedNodes()
    let newest: PublishedVersion
    do { newest = try lockFile.newest() } catch { throw StorageError(error) }
    do throws(StorageError) {
      try rewrite(newest)
    } catch {
      throw StorageError(
        .poisoned, path: file.path,
        "a flush has failed, and writing again what it should have covered did not help"
          + " (\(error.message)); check the disk, close the file in every process and open it"
          + " again, which goes back to the last version that is known to be on it",
        cause: error.cause)
    }
    synchronizer.noteRepair()
  }

  private func rewrite(_ newest: PublishedVersion) throws(StorageError) {
    // Nothing of an in-memory file is for the disk, and the only durable slot that it has is that
    // of the empty version. What is left of the slot that could not be written is written over by
    // the next commit.
    if durability == .inMemory { return }
    let failures = synchronizer.failureCount
    let source = try beginReading(newest)
    defer { source.endReading() }
    if lockFile.isDurableVersionUncertain { try secureAfterFailure(source.mapping) }
    let durable = lockFile.durableVersion
    let root = NodeReference(rawValue: newest.root)
    try NodeRewriter(source: source, file: file).run(root, after: durable)
    do throws(SystemError) {
      try synchronizer.runAgain(since: failures)
      // A slot that was taken back may have reached the disk, and its going may not have.
      if !slots.eraseDurable(keeping: durable) {
        throw SystemError(call: .write, path: file.path, code: ErrorNumber.inputOutput)
      }
      try synchronizer.runAgain(since: failures)
    } catch {
      throw StorageError(error, doing: "flush what had been written again")
    }
    lockFile.pendingSlot = .zero
    lockFile.raiseFlushedVersion(to: newest.version)
    guard newest.version > durable else { return }
    do throws(SlotWriteError) {
      try slots.writeDurable(CommitSlot(newest, boot: slots.boot), keeping: durable)
    } catch {
      throw StorageError(error.cause, doing: "write the slot of a commit")
    }
    do throws(SystemError) { try synchronizer.runAgain(since: failures) } catch {
      // What is in the page cache and perhaps not on the disk must not be found by the next
      // opening.
      _ = slots.eraseDurable(keeping: durable)
      throw StorageError(error, doing: "flush what had been written again")
    }
    lockFile.raiseDurableVersion(to: newest.version)
  }

  /// With all of the file mapped where the durable version has only been found: its writer may have
  /// been killed before it could publish it, and it may reach beyond the newest one.
  private func beginReading(_ newest: PublishedVersion) throws(StorageError) -> NodeSource {
    var size = newest.logicalSize
    if lockFile.isDurableVersionUncertain {
      do throws(SystemError) { size = max(size, try file.size()) } catch {
        throw StorageError(error, doing: "look at the size of the file")
      }
    }
    return try mappings.beginReading(covering: size)
  }

  /// A session that a reader began has only found its durable version: its writer may have died
  /// before the flush, and then a power loss leads to the one before. So before the first writer
  /// uses space that only the one before has, or cuts off an end that only that one reaches, this
  /// one is brought to the disk.
  func secureDurable() throws(StorageError) {
    let durable = lockFile.durableVersion
    let newest: PublishedVersion
    do { newest = try lockFile.newest() } catch { throw StorageError(error) }
    let source = try beginReading(newest)
    defer { source.endReading() }
    var isThere = false
    do throws(StorageError) {
      isThere = try secure(durable, source.mapping, hasFailedFlush: false)
      if isThere { try synchronizer.requireNoFailure(under: durability) }
    } catch {
      guard error.code == .corrupt else {
        lockFile.noteFlushFailure()
        throw error
      }
    }
    if isThere { return lockFile.raiseFlushedVersion(to: durable) }
    // It was in the page cache alone, and has been read again since.
    lockFile.noteFlushFailure()
    try run()
  }

  /// Makes certain of the durable version, which has only been found, or goes back to the one that
  /// is on the disk where the page cache no longer has this one's slot or what that proves. Nobody
  /// has used the older one's space yet: whoever writes comes here first. The slot of a later one,
  /// which had been taken back and has been read again, goes with the repair.
  private func secureAfterFailure(_ mapping: Mapping) throws(StorageError) {
    let durable = lockFile.durableVersion
    do throws(StorageError) {
      if try secure(durable, mapping, hasFailedFlush: true) {
        return lockFile.raiseFlushedVersion(to: durable)
      }
    } catch {
      guard error.code == .corrupt else { throw error }
    }
    let found = try Recovery(slots: slots, mapping: mapping).findNewest(
      includingUnflushed: false, upTo: durable)
    guard found.newest.version < durable else {
      throw StorageError(
        .inputOutput, path: file.path, "the page cache changes while it is read; try again")
    }
    lockFile.goBack(toDurable: found.newest.version)
  }

  /// - Returns: false if the version is not what is found.
  private func secure(
    _ durable: Version, _ mapping: Mapping, hasFailedFlush: Bool
  ) throws(StorageError) -> Bool {
    let flush = synchronizer.flushFromNow()
    let recovery = Recovery(slots: slots, mapping: mapping)
    let found = try recovery.findNewest(includingUnflushed: false, upTo: durable)
    guard found.newest.version == durable else { return false }
    try RecoverySettlement(
      recovery: recovery, rewritesInPlace: hasFailedFlush || durability != .strict,
      hasFailedFlush: hasFailedFlush, flush: flush
    ).secure(found.newest)
    return true
  }
}
