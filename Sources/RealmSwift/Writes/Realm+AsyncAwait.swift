import Storage

// Writing and refreshing from actors: the task is suspended instead of its thread blocked.

extension Realm {
  /// Runs the block in a write transaction. The task is suspended until it is its turn to write,
  /// and again until the transaction is durable; the actor is free meanwhile.
  ///
  ///     try await realm.asyncWrite {
  ///       realm.add(Person(value: ["name": "Ada"]))
  ///     }
  ///
  /// - Returns: what the block returns.
  /// - Throws: what the block throws, after the changes have been undone; `Realm.Error`; or
  ///   `CancellationError` when the task is cancelled before its turn, and nothing was run.
  @discardableResult
  public func asyncWrite<Result>(
    _isolation actor: isolated any Actor = #isolation, _ block: () throws -> Result
  ) async throws -> Result {
    let writes = ActorWrites(instance)
    try await writes.waitForTurn(actor)
    instance.asyncWrites.driver.queue.beginUnfinished()
    defer {
      instance.asyncWrites.driver.queue.endUnfinished()
      instance.asyncWrites.driver.invalidateIfDone()
    }
    let result: Result
    do {
      result = try block()
    } catch {
      if instance.isInWriteTransaction { instance.cancelWrite() }
      throw error
    }
    if instance.isInWriteTransaction { try await writes.commitAndWait(actor) }
    return result
  }

  /// Moves to the newest version and tells observers. Returns whether it has moved, as
  /// ``refresh()`` does. What takes long of finding out what to tell is done elsewhere, while the
  /// task is suspended.
  @discardableResult
  public func asyncRefresh(_isolation actor: isolated any Actor = #isolation) async -> Bool {
    ActorWrites(instance).checkIsolated("asyncRefresh()")
    // Others of the actor get their turn before observers are told.
    await Task.yield()
    let version = instance.version
    if let computation = instance.notifications.driver.computationToNewest() {
      instance.notifications.driver.apply(await computation.made(instance.shared))
      return instance.version > version
    }
    return engine { () throws(StorageFailure) in try instance.refreshIfRoom() }
  }
}

/// What tasks of an actor do with its realm: they are suspended where a thread would wait.
private struct ActorWrites {
  private let instance: _RealmInstance
  private var asyncWrites: RealmAsyncWrites { instance.asyncWrites }

  init(_ instance: _RealmInstance) { self.instance = instance }

  func checkIsolated(_ function: String) {
    instance.checkThread()
    if instance.isFrozen || instance.scheduler.isThread {
      throwRealmException(
        "\(function) can only be called on main thread or actor-isolated Realms: open it with "
          + "`try await Realm(actor:)`.")
    }
  }

  func waitForTurn(_ actor: isolated any Actor) async throws {
    checkIsolated("asyncWrite()")
    instance.checkCanBegin()
    try Task.checkCancellation()
    let signal = TaskSignal()
    let id = asyncWrites.add(
      .task { event in
        switch event {
        case .turn: signal.signal()
        case .cancelled: signal.cancel()
        }
      })
    while true {
      await signal.wait(isolation: actor)
      if signal.isCancelled || Task.isCancelled {
        asyncWrites.driver.remove(id)
        throw CancellationError()
      }
      do throws(StorageError) {
        if try asyncWrites.driver.beginTask(id) { return }
      } catch {
        asyncWrites.driver.remove(id)
        throw RLMError(error)
      }
    }
  }

  /// Commits, and waits until that is durable. What it shares its flush with does not matter to
  /// whoever waits, so the actor's next writes go on meanwhile.
  func commitAndWait(_ actor: isolated any Actor) async throws {
    let version = try rethrowingStorageErrors { () throws(StorageError) in
      try asyncWrites.commitUnflushed(isGrouped: false)
    }
    if !asyncWrites.isFlushed { return }
    asyncWrites.driver.queue.beginUnfinished()
    let database = instance.shared.database
    let result = await withCheckedContinuation { continuation in
      database.whenDurable(version) { continuation.resume(returning: $0) }
    }
    asyncWrites.driver.queue.endUnfinished()
    asyncWrites.driver.invalidateIfDone()
    if case .failure(let error) = result { throw RLMError(error) }
  }
}
