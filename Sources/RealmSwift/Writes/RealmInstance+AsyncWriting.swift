import Storage

// The turns of asynchronous writes. One write at a time is in line for the writer's role, so that the
// writes of a realm keep their order; a synchronous write passes them.

extension _RealmInstance {
  /// Checks that an asynchronous write can be asked for here.
  func checkCanWriteAsync() {
    checkThread()
    if isFrozen { throwRealmException(MisuseReason.frozenTransaction) }
    if configuration.readOnly { throwRealmException(MisuseReason.readOnlyTransaction) }
    if !scheduler.canInvoke {
      throwRealmException(
        "Can't schedule async transaction. Is the Realm running inside a run loop? Open it on a "
          + "loop thread, the main thread, an actor, or with a queue.")
    }
  }

  /// Puts a write in line.
  func addAsyncWrite(_ kind: AsyncWrites.Kind) -> AsyncTransactionId {
    checkCanWriteAsync()
    let id = AsyncWrites.makeId()
    addAsyncWrite(AsyncWrites.Pending(id: id, kind: kind))
    return id
  }

  func addAsyncWrite(_ write: AsyncWrites.Pending) {
    if asyncWrites.hasEnded { return drop(write.kind) }
    asyncWrites.add(write)
    watchForTheEnd()
    continueAsyncWrites()
  }

  /// Asks for the writer's role if somebody waits for it and nothing is in the way.
  func continueAsyncWrites() {
    while asyncWrites.first != nil, asyncWrites.reservation == nil, asyncWrites.holdCount == 0,
      writing == nil
    {
      do throws(StorageError) {
        // Holds the instance: a realm with writes to come stays open.
        asyncWrites.reservation = try WriterReservation.ask(shared.database) { [self] in
          scheduler.invoke { self.asyncWriteTurn() }
        }
      } catch {
        if !fail(error) { return }
      }
    }
  }

  /// For a synchronous write: it takes the place of those that wait.
  func withdrawTicket() -> WriteTransaction? {
    defer { asyncWrites.reservation = nil }
    return asyncWrites.reservation?.withdraw()
  }

  // MARK: Turns

  /// The writer's role may have come.
  func asyncWriteTurn() {
    guard asyncWrites.reservation != nil, let next = asyncWrites.first else { return }
    switch next.kind {
    case .task(let turn): turn.call()
    case .block(let commits, let block, let onComplete):
      do throws(StorageError) {
        guard let transaction = try claimTicket() else { return }
        try start(transaction)
        asyncWrites.removeFirst()
      } catch {
        if fail(error) { continueAsyncWrites() }
        return
      }
      run(next.id, block, commits, onComplete)
    }
  }

  /// The transaction, nil if it is still to come.
  private func claimTicket() throws(StorageError) -> WriteTransaction? {
    guard let claim = asyncWrites.reservation?.claim() else { return nil }
    switch claim {
    case .tooEarly: return nil
    case .transaction(let transaction):
      asyncWrites.reservation = nil
      return transaction
    case .failed(let error):
      asyncWrites.reservation = nil
      throw error
    case .expired:
      asyncWrites.reservation = nil
      if let transaction = try shared.database.tryBeginWrite() { return transaction }
      continueAsyncWrites()
      return nil
    }
  }

  /// What waits first cannot be written. Returns whether it has left the line; a task does so by
  /// itself.
  private func fail(_ error: StorageError) -> Bool {
    guard let next = asyncWrites.first else { return false }
    switch next.kind {
    case .task(let turn):
      turn.call()
      return false
    case .block(_, _, let onComplete):
      guard let onComplete else { failed(error) }
      asyncWrites.removeFirst()
      finishLater(next.id, onComplete, error)
      return true
    }
  }

  private func run(
    _ id: AsyncTransactionId, _ block: () -> Void, _ commits: Bool,
    _ onComplete: AsyncWriteCompletion?
  ) {
    asyncWrites.running = AsyncWrites.Running(id: id)
    block()
    let running = asyncWrites.running!
    asyncWrites.running = nil
    let isWanted = !running.isCancelled
    if writing != nil {
      if commits {
        commitAsync(id, allowGrouping: false, onComplete)
      } else {
        cancelWrite()
      }
    } else if let commit = running.commit {
      if let onComplete, isWanted {
        awaitDurability(id, commit, onComplete)
      }
    } else if let onComplete, isWanted {
      finishLater(id, onComplete, nil)
    }
    if asyncWrites.first == nil { closeGroup() }
    endIfDone()
    continueAsyncWrites()
  }

  /// For a task that was called: begins its transaction. False: not yet.
  func takeTurn(_ id: AsyncTransactionId) throws(StorageError) -> Bool {
    guard asyncWrites.first?.id == id else { return false }
    guard let transaction = try claimTicketOrAsk() else { return false }
    try start(transaction)
    asyncWrites.removeFirst()
    return true
  }

  private func claimTicketOrAsk() throws(StorageError) -> WriteTransaction? {
    if asyncWrites.reservation != nil || writing != nil || asyncWrites.holdCount > 0 {
      return try claimTicket()
    }
    // It was called because asking failed: ask again for the error.
    if let transaction = try shared.database.tryBeginWrite() { return transaction }
    continueAsyncWrites()
    return nil
  }

  // MARK: Calling off

  /// Takes a write out of the line. Returns whether it was in it.
  func removeAsyncWrite(_ id: AsyncTransactionId) -> Bool {
    guard asyncWrites.remove(id) else { return false }
    if asyncWrites.first == nil {
      asyncWrites.reservation?.withdraw()?.cancel()
      asyncWrites.reservation = nil
    } else {
      // The turn may have been the one that was removed.
      scheduler.invoke { [self] in asyncWriteTurn() }
    }
    endIfDone()
    // It may have been called because asking failed.
    continueAsyncWrites()
    return true
  }

  func cancelAsyncWrite(_ id: AsyncTransactionId) {
    checkThread()
    if removeAsyncWrite(id) { return }
    if asyncWrites.running?.id == id {
      asyncWrites.running!.isCancelled = true
      if writing != nil { cancelWrite() }
      return
    }
    asyncWrites.completions[id] = nil
  }
}
