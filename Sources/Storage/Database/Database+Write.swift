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

  /// As `beginWrite()`, but nil at once when that would take time: when another thread or process
  /// is writing, or has died while writing, so that what he left has to be flushed first.
  public func tryBeginWrite() throws(StorageError) -> WriteTransaction? {
    let lockFile = try writableLockFile()
    do {
      guard try lockFile.tryLockWriter() else { return nil }
    } catch { throw StorageError(error) }
    return try startTransaction(lockFile, mayRecover: false)
  }

  /// As `beginWrite()`, without blocking the caller: `whenReady` is called on some thread when it
  /// is this caller's turn. The transaction may be used on another thread then.
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
    try requireRepairable(lockFile)
    return lockFile
  }

  /// After a failed flush the next writer writes again what it left uncertain. No thread waits in
  /// line for that: while another writer has the role, beginning fails at once.
  private func requireRepairable(_ lockFile: LockFile) throws(StorageError) {
    guard lockFile.flushFailure % 2 == 1 else { return }
    let isFree: Bool
    do { isFree = try lockFile.tryLockWriter() } catch { throw StorageError(error) }
    if isFree { return lockFile.unlockWriter() }
    throw StorageError(
      .poisoned, path: path,
      "a flush has failed, and what it should have covered has not been written again yet; try"
        + " again when the transaction that is under way has ended")
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
      let source = try beginReading(covering: published.logicalSize)
      do throws(StorageError) {
        return WriteTransaction(
          database: self, base: try base(published, source), source: source)
      } catch {
        source.endReading()
        throw error
      }
    } catch {
      lockFile.unlockWriter()
      throw error
    }
  }

  private func base(
    _ published: PublishedVersion, _ source: NodeSource
  ) throws(StorageError) -> WriteTransaction.BaseVersion {
    let reference = NodeReference(rawValue: published.root)
    let node = try source.node(reference)
    guard node.kind == .snapshot, node.referenceCount == SnapshotNode.referenceCount,
      node.dataSize >= SnapshotNode.dataSize
    else {
      throw source.corrupt(reference, "the node of version \(published.version) was expected")
    }
    return WriteTransaction.BaseVersion(
      published: published, root: node.reference(SnapshotNode.root),
      history: node.reference(SnapshotNode.history),
      freeSpace: node.reference(SnapshotNode.freeSpace),
      lastCut: node.data.load(fromByteOffset: SnapshotNode.lastCut, as: UInt64.self))
  }

  /// The newest version, where needed after adopting one that a writer wrote whole and died before
  /// publishing. What the lock-file says is not relied on for that: the slots are looked at.
  private func newestForWriter(
    _ lockFile: LockFile, mayRecover: Bool
  ) throws(StorageError) -> PublishedVersion? {
    if lockFile.flushFailure % 2 == 1 {
      guard mayRecover else { return nil }
      try repairAfterFailedFlush()
    }
    let published: PublishedVersion
    do { published = try lockFile.newest() } catch { throw StorageError(error) }
    let source = try beginReading(covering: published.logicalSize)
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
    guard options.durability != .inMemory else { return }
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
          recovery: recovery, rewritesInPlace: options.durability != .strict
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

  func endWrite(published: Bool, author: CommitListener? = nil) {
    lockFile.unlockWriter()
    guard published else { return }
    lockFile.wakeOthers(except: author?.token)
    slowReaders?.committed(self)
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
