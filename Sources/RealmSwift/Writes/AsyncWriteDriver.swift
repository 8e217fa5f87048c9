import Storage

/// What asynchronous writes need of the realm that they belong to.
package protocol AsyncWriteHost: AnyObject {
  /// Whether a write transaction is open.
  var isWriting: Bool { get }
  /// Whether commits are flushed for those who made them.
  var isFlushed: Bool { get }

  /// Gets in line for the writer. `reservationIsReady()` is called, later, whenever it is there.
  func reserveWriter() throws(StorageError)
  /// Begins a transaction with the writer that was reserved.
  func beginReservedWrite() throws(StorageError) -> ReservedWrite
  /// Begins a transaction if the writer is free.
  func beginWriteIfFree() throws(StorageError) -> Bool
  /// Leaves the line for the writer.
  func cancelReservation()
  /// Calls `reservationIsReady()` later.
  func announceReservation()

  /// Commits the open transaction without flushing it.
  ///
  /// - Parameter isGrouped: whether the flush may wait for more commits.
  func commitUnflushed(isGrouped: Bool) throws(StorageError) -> Version
  func cancelWrite()

  /// Flushes, and calls `flushed(_:_:)` later.
  func flush(_ flush: AsyncWriteQueue.Flush)
  /// Calls `flushed(_:_:)` later.
  func report(_ flush: AsyncWriteQueue.Flush, _ error: StorageError?)
  /// Calls `groupBegan()` later.
  func announceGroup()
  /// Calls `groupIsOld(_:)` when the group should have been flushed.
  func watchGroup(_ oldest: AsyncWriteQueue.ID?)

  func invalidate()
  /// Calls `end()` before nothing is called any more where the realm lives.
  func watchForTheEnd()
  /// The error as completions are given it.
  func publicError(_ error: StorageError) -> any Error
  /// A write without a completion cannot begin.
  func fail(_ error: StorageError) -> Never
}

package enum ReservedWrite {
  case begun
  /// It was not begun in time.
  case expired
  /// Its turn has not come.
  case tooEarly
}

/// Carries out what the queue of a realm's asynchronous writes decides. Used where the realm lives.
///
/// One write at a time is in line for the writer, so that the writes of a realm keep their order; a
/// synchronous write passes them.
package final class AsyncWriteDriver<Host: AsyncWriteHost> {
  /// Owns this.
  private unowned let host: Host
  package var queue = AsyncWriteQueue()

  package init(_ host: Host) { self.host = host }

  /// Puts a write in line. One that comes after the end is dropped, as a loop drops what comes
  /// then.
  package func add(_ write: AsyncWriteQueue.Pending) {
    guard queue.add(write) else {
      if case .task(let signal) = write.kind { signal(.cancelled) }
      return
    }
    host.watchForTheEnd()
    resume()
  }

  /// Reserves the writer if a write waits for it and nothing is in the way.
  package func resume() {
    while queue.reserve(isWriting: host.isWriting) {
      do throws(StorageError) { try host.reserveWriter() } catch {
        queue.reservationEnded()
        if !firstFailed(error) { return }
      }
    }
  }

  // MARK: Turns

  /// The writer may have come.
  package func reservationIsReady() {
    guard queue.isReserved, let next = queue.first else { return }
    switch next.kind {
    case .task(let signal): signal(.turn)
    case .block(let commits, let block, let onComplete):
      do throws(StorageError) {
        guard try beginReserved() else { return }
      } catch {
        if firstFailed(error) { resume() }
        return
      }
      queue.begin()
      block()
      blockReturned(next.id, commits, onComplete)
    }
  }

  /// Whether the transaction has begun.
  private func beginReserved() throws(StorageError) -> Bool {
    guard queue.isReserved else { return false }
    do throws(StorageError) {
      switch try host.beginReservedWrite() {
      case .tooEarly: return false
      case .begun: queue.reservationEnded()
      case .expired:
        queue.reservationEnded()
        if try host.beginWriteIfFree() { return true }
        resume()
        return false
      }
      return true
    } catch {
      queue.reservationEnded()
      throw error
    }
  }

  /// The first write cannot begin. Returns whether it has left the line; a task does so by itself.
  private func firstFailed(_ error: StorageError) -> Bool {
    guard let next = queue.first else { return false }
    switch next.kind {
    case .task(let signal):
      signal(.turn)
      return false
    case .block(_, _, let onComplete):
      guard let onComplete else { host.fail(error) }
      queue.removeFirst()
      finishLater(next.id, onComplete, error)
      return true
    }
  }

  private func blockReturned(
    _ id: AsyncWriteQueue.ID, _ commits: Bool, _ onComplete: AsyncWriteCompletion?
  ) {
    switch queue.blockReturned(commits: commits, isWriting: host.isWriting, onComplete) {
    case .commit: commit(id, allowGrouping: false, onComplete)
    case .cancel: host.cancelWrite()
    case .await(let commit, let onComplete): awaitDurability(id, commit, onComplete)
    case .finish(let onComplete): finishLater(id, onComplete, nil)
    case .nothing: break
    }
    if queue.first == nil { closeGroup() }
    invalidateIfDone()
    resume()
  }

  /// For a task that was woken: begins its transaction. False: not yet.
  package func beginTask(_ id: AsyncWriteQueue.ID) throws(StorageError) -> Bool {
    guard queue.first?.id == id else { return false }
    if queue.mayBegin(isWriting: host.isWriting) {
      // It was woken because reserving failed: try again for the error.
      guard try host.beginWriteIfFree() else {
        resume()
        return false
      }
    } else if try !beginReserved() {
      return false
    }
    queue.begin()
    return true
  }

  // MARK: Calling off

  package func cancel(_ id: AsyncWriteQueue.ID) {
    switch queue.cancel(id) {
    case .removed(let cancelsReservation): removed(cancelsReservation)
    case .running: if host.isWriting { host.cancelWrite() }
    case .completionOnly: break
    }
  }

  /// Takes a task's write out of the line.
  package func remove(_ id: AsyncWriteQueue.ID) {
    if let cancelsReservation = queue.remove(id) { removed(cancelsReservation) }
  }

  private func removed(_ cancelsReservation: Bool) {
    if cancelsReservation {
      host.cancelReservation()
    } else if queue.isReserved {
      // The turn may have been the one that was removed.
      host.announceReservation()
    }
    invalidateIfDone()
    // It may have been woken because reserving failed.
    resume()
  }

  /// A synchronous write takes the place of those that wait.
  package func reservationWasTaken() { queue.reservationEnded() }

  // MARK: Commits

  /// Commits the open transaction without flushing it. The completion is called when it is durable.
  package func commit(
    _ id: AsyncWriteQueue.ID, allowGrouping: Bool, _ completion: AsyncWriteCompletion?
  ) {
    // The next write is not to get in line before it is known whether it waits for this one.
    queue.hold()
    defer {
      queue.endHold()
      resume()
    }
    do throws(StorageError) {
      let version = try host.commitUnflushed(isGrouped: allowGrouping)
      let commit = AsyncWriteQueue.Commit(version: version, allowsGrouping: allowGrouping)
      queue.didCommit(commit)
      awaitDurability(id, commit, completion)
    } catch {
      if let completion { finishLater(id, completion, error) }
    }
  }

  private func awaitDurability(
    _ id: AsyncWriteQueue.ID, _ commit: AsyncWriteQueue.Commit, _ completion: AsyncWriteCompletion?
  ) {
    host.watchForTheEnd()
    for action in queue.await(id, commit, completion, isFlushed: host.isFlushed) {
      switch action {
      case .flush(let flush): host.flush(flush)
      case .report(let flush): host.report(flush, nil)
      case .groupBegan: host.announceGroup()
      }
    }
  }

  private func finishLater(
    _ id: AsyncWriteQueue.ID, _ completion: @escaping AsyncWriteCompletion, _ error: StorageError?
  ) {
    if let flush = queue.finishLater(id, completion) { host.report(flush, error) }
  }

  /// Soon if no further writes wait; if they do, when they have run or have not come to it in time.
  package func groupBegan() {
    if queue.first == nil { closeGroup() } else { host.watchGroup(queue.oldestOfGroup) }
  }

  package func groupIsOld(_ oldest: AsyncWriteQueue.ID?) {
    if queue.oldestOfGroup == oldest { closeGroup() }
  }

  /// Lets the commits that were gathered be flushed.
  package func closeGroup() {
    if let flush = queue.closeGroup() { host.flush(flush) }
  }

  /// A flush is over.
  package func flushed(_ flush: AsyncWriteQueue.Flush, _ error: StorageError?) {
    if queue.hasEnded { return }
    if flush.endsHold { queue.endHold() }
    for id in flush.ids {
      let completion = queue.finish(id)
      invalidateIfDone()
      completion?(error.map(host.publicError))
    }
    if queue.fault != .forgetsToReserveAfterFlush { resume() }
  }

  // MARK: Ending

  /// Whether the realm may be invalidated now.
  package func invalidate() -> Bool { queue.invalidate() }

  package func invalidateIfDone() {
    if queue.takeInvalidation() { host.invalidate() }
  }

  /// Gives up everything that nothing will run any more. What has not begun fails; commits stay,
  /// and are flushed.
  package func end(_ error: any Error) {
    closeGroup()
    if queue.isReserved { host.cancelReservation() }
    for write in queue.end() {
      switch write.kind {
      case .task(let signal): signal(.cancelled)
      case .block(_, _, let onComplete): onComplete?(error)
      }
    }
    invalidateIfDone()
  }
}
