/// Names an asynchronous write of a realm; see `Realm.cancelAsyncWrite(_:)`.
public typealias AsyncTransactionId = UInt32

// Writes that do not make the caller wait: neither for its turn nor for the disk.

extension Realm {
  /// Whether asynchronous writes of this realm wait for their turn or for the disk. Meanwhile the
  /// realm stays open, and `invalidate()` takes effect after the last of them.
  public var isPerformingAsynchronousWriteOperations: Bool {
    if instance.isFrozen { return false }
    instance.checkThread()
    return instance.asyncWrites.isPerforming
  }

  /// Runs the block in a write transaction when it is this realm's turn to write, and commits it
  /// when the block returns. Returns at once; the block and the completion run where the realm
  /// lives, and may use its live objects.
  ///
  /// The block may end the transaction itself, with `commitAsyncWrite` or `cancelAsyncWrite`.
  /// The writes of a realm run in the order in which they were asked for, after a transaction that
  /// the realm has open. A block that captures the realm keeps it, and so keeps such a transaction
  /// open until it is committed or cancelled.
  ///
  /// - Parameter onComplete: Called when the transaction is durable, or with the `Realm.Error` that
  ///   made it fail; not after `cancelAsyncWrite`.
  /// - Returns: What `cancelAsyncWrite(_:)` takes.
  @discardableResult
  public func writeAsync(
    _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    instance.asyncWrites.add(.block(commits: true, block, onComplete: onComplete))
  }

  /// Runs the block in a write transaction when it is this realm's turn to write. The block has to
  /// commit; when it returns without, the transaction is cancelled. Returns at once.
  ///
  /// - Returns: What `cancelAsyncWrite(_:)` takes.
  @discardableResult
  public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
    instance.asyncWrites.add(.block(commits: false, block, onComplete: nil))
  }

  /// Commits the open write transaction without waiting for the disk. The changes are visible at
  /// once, here and to everybody; the completion runs, where the realm lives, when they are
  /// durable.
  ///
  /// - Parameters:
  ///   - allowGrouping: Whether the flush may wait for further commits, to be shared with them;
  ///     much faster for many small transactions. A power loss then takes all that share it, or
  ///     none. Without grouping the realm's next asynchronous write waits for this one's flush.
  ///   - onComplete: Called with nil when the commit is durable, or with the `Realm.Error` that
  ///     made it fail.
  /// - Returns: What `cancelAsyncWrite(_:)` takes, to call off the completion only.
  @discardableResult
  public func commitAsyncWrite(
    allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    instance.asyncWrites.checkCanWrite()
    if !instance.isInWriteTransaction {
      throwRealmException(MisuseReason.noTransactionToCommit)
    }
    let id = AsyncWriteQueue.makeId()
    instance.asyncWrites.driver.commit(id, allowGrouping: allowGrouping, onComplete)
    return id
  }

  /// Calls off an asynchronous write. One that waits is never run; the one that runs is undone; of
  /// a commit only the completion is called off. What is over already is left as it is.
  public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
    instance.asyncWrites.cancel(asyncTransactionId)
  }
}
