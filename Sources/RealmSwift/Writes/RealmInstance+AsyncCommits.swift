import Dispatch
import Storage

// Commits that return before they are durable, and whoever waits until they are.

extension _RealmInstance {
  /// Whether commits of this realm are flushed for those who made them.
  var isFlushed: Bool {
    return durability != .relaxed && durability != .inMemory
  }

  /// Commits the open transaction without flushing it. The completion is called when it is durable.
  func commitAsync(
    _ id: AsyncTransactionId, allowGrouping: Bool, _ completion: AsyncWriteCompletion?
  ) {
    // The next write is not to get in line before it is known whether it waits for this one.
    asyncWrites.holdCount += 1
    defer {
      asyncWrites.holdCount -= 1
      continueAsyncWrites()
    }
    do throws(StorageError) {
      try commitUnflushed(isGrouped: allowGrouping)
    } catch {
      if let completion { finishLater(id, completion, error) }
      return
    }
    let commit = AsyncWrites.Commit(version: version, allowsGrouping: allowGrouping)
    asyncWrites.running?.commit = commit
    awaitDurability(id, commit, completion)
  }

  /// - Parameter isGrouped: whether the flush may wait for more commits.
  func commitUnflushed(isGrouped: Bool) throws(StorageError) {
    try commitWrite(durability: isFlushed ? (isGrouped ? .relaxed : .grouped) : nil)
  }

  func awaitDurability(
    _ id: AsyncTransactionId, _ commit: AsyncWrites.Commit, _ completion: AsyncWriteCompletion?
  ) {
    watchForTheEnd()
    if asyncWrites.hasEnded { return }
    asyncWrites.unfinishedCount += 1
    asyncWrites.completions[id] = completion
    if !isFlushed {
      report(FinishedFlushes.Flush(ids: [id], error: nil, endsHold: false))
    } else if commit.allowsGrouping {
      join(id, commit.version)
    } else {
      closeGroup()
      asyncWrites.holdCount += 1
      flush([id], commit.version, endsHold: true)
    }
  }

  private func join(_ id: AsyncTransactionId, _ version: UInt64) {
    if asyncWrites.group == nil {
      asyncWrites.group = AsyncWrites.Group()
      closeGroupLater()
    }
    asyncWrites.group!.ids.append(id)
    asyncWrites.group!.version = version
    if asyncWrites.group!.isFull { closeGroup() }
  }

  /// Soon if no further writes wait; if they do, when they have run or have not come to it in time.
  private func closeGroupLater() {
    scheduler.invoke { [self] in
      if asyncWrites.first == nil { return closeGroup() }
      let oldest = asyncWrites.group?.ids.first
      AsyncWrites.Group.ageing.asyncAfter(deadline: .now() + AsyncWrites.Group.ageMax) { [self] in
        scheduler.invoke {
          if self.asyncWrites.group?.ids.first == oldest { self.closeGroup() }
        }
      }
    }
  }

  /// Lets the commits that were gathered be flushed.
  func closeGroup() {
    guard let group = asyncWrites.group else { return }
    asyncWrites.group = nil
    flush(group.ids, group.version, endsHold: false)
  }

  private func flush(_ ids: [AsyncTransactionId], _ version: UInt64, endsHold: Bool) {
    // Holds the instance: a realm with commits to flush stays open.
    shared.database.whenDurable(version) { [self] result in
      let error: StorageError? = if case .failure(let error) = result { error } else { nil }
      report(FinishedFlushes.Flush(ids: ids, error: error, endsHold: endsHold))
    }
  }

  /// From any thread.
  private func report(_ flush: FinishedFlushes.Flush) {
    asyncWrites.flushes.append(flush)
    scheduler.invoke { [self] in deliverFinishedFlushes() }
  }

  func finishLater(
    _ id: AsyncTransactionId, _ completion: @escaping AsyncWriteCompletion, _ error: StorageError?
  ) {
    if asyncWrites.hasEnded { return }
    asyncWrites.unfinishedCount += 1
    asyncWrites.completions[id] = completion
    report(FinishedFlushes.Flush(ids: [id], error: error, endsHold: false))
  }

  private func deliverFinishedFlushes() {
    for flush in asyncWrites.flushes.takeAll() {
      if flush.endsHold { asyncWrites.holdCount -= 1 }
      for id in flush.ids {
        asyncWrites.unfinishedCount -= 1
        let completion = asyncWrites.completions.removeValue(forKey: id)
        endIfDone()
        completion?(flush.error.map { RLMError($0) })
      }
    }
    continueAsyncWrites()
  }

  /// Does what had to wait for the last asynchronous write.
  func endIfDone() {
    guard asyncWrites.invalidatesAtTheEnd, !asyncWrites.isPerforming else { return }
    asyncWrites.invalidatesAtTheEnd = false
    invalidate()
  }
}
