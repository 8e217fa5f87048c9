import Coordination
import Platform

extension Database {
  /// Waits for the turn to write, in order of arrival, and starts a transaction on the newest
  /// version.
  ///
  /// - Throws: `.readOnly`, `.poisoned`, `.corrupt`, or what the lock gave.
  public func beginWrite() throws(StorageError) -> WriteTransaction {
    let lockFile = try writableLockFile()
    do { try lockFile.lockWriter() } catch { throw StorageError(error) }
    return try startTransaction(lockFile)!
  }

  /// As `beginWrite()`, but nil at once when that would take time: when somebody else is writing, or
  /// has died while writing, so that what he left has to be flushed first.
  public func tryBeginWrite() throws(StorageError) -> WriteTransaction? {
    let lockFile = try writableLockFile()
    do {
      guard try lockFile.tryLockWriter() else { return nil }
    } catch { throw StorageError(error) }
    return try startTransaction(lockFile, mayRecover: false)
  }

  /// As `beginWrite()`, without blocking the caller: `whenReady` is called on some thread when it is
  /// this caller's turn. The transaction may be used on another thread then.
  @discardableResult
  public func beginWrite(
    whenReady: @escaping @Sendable (Result<WriteTransaction, StorageError>) -> Void
  ) throws(StorageError) -> WriteWait {
    let lockFile = try writableLockFile()
    do {
      return WriteWait(
        wait: try lockFile.lockWriter { result in
          switch result {
          case .failure(let error): whenReady(.failure(StorageError(error)))
          case .success:
            do throws(StorageError) {
              whenReady(.success(try self.startTransaction(lockFile)!))
            } catch {
              whenReady(.failure(error))
            }
          }
        })
    } catch {
      throw StorageError(error)
    }
  }

  private func writableLockFile() throws(StorageError) -> LockFile {
    guard !options.readOnly else {
      throw StorageError(
        .readOnly, path: path, "the database was opened read-only; open it for writing")
    }
    if isPoisoned.load(ordering: .relaxed) { throw poisonedError() }
    return lockFile
  }

  func poisonedError() -> StorageError {
    StorageError(
      .poisoned, path: path,
      "an earlier flush failed, so what was written since is uncertain; close the database and open"
        + " it again, which recovers the last durable version")
  }

  /// Nil only if there is something to recover, and it may not.
  private func startTransaction(
    _ lockFile: LockFile, mayRecover: Bool = true
  ) throws(StorageError) -> WriteTransaction? {
    do throws(StorageError) {
      guard let published = try newestForWriter(lockFile, mayRecover: mayRecover) else {
        lockFile.unlockWriter()
        return nil
      }
      let mapping = try mapping(covering: published.logicalSize)
      let source = NodeSource(mapping: mapping, limit: published.logicalSize)
      let reference = NodeReference(rawValue: published.root)
      let node = try source.node(reference)
      guard node.kind == .snapshot, node.referenceCount == SnapshotNode.referenceCount else {
        throw source.corrupt(reference, "the node of version \(published.version) was expected")
      }
      let base = WriteTransaction.BaseVersion(
        published: published, root: node.reference(SnapshotNode.root),
        history: node.reference(SnapshotNode.history),
        freeSpace: node.reference(SnapshotNode.freeSpace))
      return WriteTransaction(database: self, base: base, source: source)
    } catch {
      lockFile.unlockWriter()
      throw error
    }
  }

  /// The newest version, where needed after adopting one that a writer wrote whole and died before
  /// publishing. What the lock-file says is not relied on for that: the slots are looked at.
  private func newestForWriter(
    _ lockFile: LockFile, mayRecover: Bool
  ) throws(StorageError) -> PublishedVersion? {
    let published: PublishedVersion
    do { published = try lockFile.newest() } catch { throw StorageError(error) }
    let mapping = try mapping(covering: published.logicalSize)
    var isAhead = false
    for offset in FileLayout.durableSlots + FileLayout.volatileSlots {
      let version = mapping.address.load(
        fromByteOffset: offset + FileLayout.slotVersion, as: UInt64.self)
      if version > published.version { isAhead = true }
    }
    guard isAhead else { return published }
    guard mayRecover else { return nil }
    let recovery = Recovery(file: file, mapping: mapping, boot: system.bootIdentifier())
    let found = try recovery.findNewest()
    guard found.newest.version > published.version else { return published }
    try makeDurable(found)
    let adopted = PublishedVersion(found.newest)
    lockFile.durableVersion = adopted.version
    lockFile.publish(adopted)
    lockFile.wakeOthers()
    return adopted
  }

  /// Makes what recovery found survive power loss: it may have been read from the page cache.
  func makeDurable(_ found: Recovery.Found) throws(StorageError) {
    if options.durability == .inMemory { return }
    do {
      try file.synchronize()
      guard found.newest.version > found.durableVersion else { return }
      var slot = found.newest
      slot.boot = nil
      slot.extents = []
      slot.flushedBefore = true
      let place = try Recovery.spareDurableSlot(keeping: found.durableVersion, file: file)
      try SlotWriter.write(slot, at: place, to: file)
      try file.synchronize()
    } catch {
      isPoisoned.store(true, ordering: .relaxed)
      throw StorageError(error, doing: "flush the recovered version")
    }
  }

  /// Takes back a slot whose commit failed; where that fails too, this database writes no more.
  func withdrawSlot(at place: Int) {
    do { try SlotWriter.erase(at: place, in: file) } catch {
      isPoisoned.store(true, ordering: .relaxed)
    }
  }

  func endWrite(published: Bool) {
    lockFile.unlockWriter()
    if published { lockFile.wakeOthers() }
  }
}

extension PublishedVersion {
  init(_ slot: CommitSlot) {
    self.init(version: slot.version, root: slot.root.rawValue, logicalSize: slot.logicalSize)
  }
}

/// A place in the line of writers.
public final class WriteWait: Sendable {
  private let wait: WriterWait

  init(wait: WriterWait) { self.wait = wait }

  /// Leaves the line. True: the closure is never called. False: it has been, or is being.
  public func cancel() -> Bool { wait.cancel() }
}
