import ObjectStore
import Storage

extension _RealmInstance {
  var isInWriteTransaction: Bool { writing != nil }

  /// Waits for the turn to write and moves to the newest version.
  func beginWrite() throws(StorageError) {
    let turn = WriterTurn(of: self)
    try takingPlaces { () throws(StorageError) in
      while true {
        // A handler may have left a transaction open.
        checkCanBegin()
        if let transaction = try turn.informNewObservers(before: try turn.take()) {
          return try start(transaction)
        }
      }
    }
  }

  /// Begins a write that the tokens' observers are not to hear of.
  func beginWrite(withoutNotifying tokens: [NotificationToken]) throws(StorageError) {
    try SilentWrite(self, withoutNotifying: tokens).begin()
  }

  /// Begins a synchronous write. If it fails, those whose place in line it has taken ask for
  /// themselves again.
  func takingPlaces(_ begin: () throws(StorageError) -> Void) throws(StorageError) {
    do { try begin() } catch {
      asyncWritesIfUsed?.driver.resume()
      throw error
    }
  }

  func checkCanBegin() {
    checkThread()
    if isFrozen { throwRealmException(MisuseReason.frozenTransaction) }
    if configuration.readOnly { throwRealmException(MisuseReason.readOnlyTransaction) }
    if writing != nil {
      throwRealmException(
        "The Realm is already in a write transaction; commit or cancel that one first.")
    }
    #if Sync
      if shared.isUpdatingSubscriptionsHere {
        throwRealmException(
          "A write transaction cannot be begun inside of an update of the file's subscriptions.")
      }
    #endif
  }

  func start(_ transaction: WriteTransaction) throws(StorageError) {
    copiedLinks = CopiedLinks()
    deferredIfUsed?.beginWrite()
    let objects = try ObjectTransaction(transaction, schemas: shared.schemas)
    if objects.schema.isSynced { objects.recorder = shared.recorder }
    objects.nestedPlaces = nestedPlaces
    do throws(StorageError) {
      // Nobody else can commit now, so the newest version is the one the transaction builds on.
      if snapshot?.version != objects.baseVersion {
        try move(to: try shared.database.pinNewest())
      }
    } catch {
      objects.cancel()
      throw error
    }
    writing = OpenWrite(
      objects: objects, startGeneration: readState.pointee.generation + 1)
    readState.pointee.source = objects.source
    readState.pointee.generation += 1
  }

  /// The open transaction, for a change. A misuse without one.
  func requireWriting(_ reason: @autoclosure () -> String) -> ObjectTransaction {
    checkThread()
    if isFrozen {
      throwRealmException(
        "Attempting to modify a frozen object - call thaw on the Object instance first.")
    }
    guard let writing else { throwRealmException(reason()) }
    return writing.objects
  }

  /// Whatever was read before must be read again.
  @inline(__always)
  func didChange() { readState.pointee.generation &+= 1 }

  /// Makes the changes a version, or rolls them back and throws.
  ///
  /// - Parameter durability: instead of the configuration's.
  func commitWrite(
    withoutNotifying tokens: [NotificationToken] = [], durability: Durability? = nil
  ) throws(StorageError) {
    checkThread()
    guard let writing else { throwRealmException(MisuseReason.noTransactionToCommit) }
    if !tokens.isEmpty { notifications.checkTokens(tokens) }
    do throws(StorageError) {
      let before = snapshot
      // The database has the durability of whoever opened it first; this realm may want another.
      let newer = try writing.objects.commit(
        durability: durability ?? opened.durability, author: shared.ownListener)
      writing.outcome?.commit(version: newer.version)
      ownCommits += 1
      self.writing = nil
      try move(to: newer)
      if !tokens.isEmpty { SilentWrite(self, withoutNotifying: tokens).suppress(from: before) }
    } catch {
      let failure = error
      Logger.shared.log(.error) { "Could not commit to '\(shared.path)': \(RLMError(failure))" }
      writing.outcome?.cancel(firstNewKeys: writing.firstNewKeys)
      abandon(writing)
      throw error
    }
    shared.announceCommit(except: self)
    asyncWritesIfUsed?.driver.resume()
    if !hasObservers { return }
    scheduleTurn()
    notifications.driver.deliverVersion()
  }

  /// Forgets the changes.
  func cancelWrite() {
    checkThread()
    guard let writing else {
      throwRealmException(
        "Can't cancel a non-existing write transaction; begin one with `beginWrite()` first.")
    }
    writing.cancel()
    abandon(writing)
  }

  private func abandon(_ writing: OpenWrite) {
    self.writing = nil
    let last = readState.pointee.generation
    cancelled.add(
      writing.startGeneration...last, firstNewKeys: writing.firstNewKeys,
      base: writing.objects.baseVersion)
    restoreSchema(from: writing)
    readState.pointee.source = snapshot!.source
    readState.pointee.generation = last + 2
    // Beginning has moved the realm, and turns that came meanwhile told nobody.
    if hasObservers { scheduleTurn() }
    asyncWritesIfUsed?.driver.resume()
  }

  /// What will have become of the open transaction, nil without one.
  func writeOutcome() -> WriteOutcome? {
    if writing != nil && writing!.outcome == nil { writing!.outcome = WriteOutcome() }
    return writing?.outcome
  }

  /// Moves to the newest version. Returns whether there was one.
  func refresh() throws(StorageError) -> Bool {
    checkThread()
    if isFrozen || writing != nil { return false }
    guard shared.database.newestVersion > version || snapshot == nil else { return false }
    try advance(to: try shared.database.pinNewest())
    return true
  }

  /// Moves to a newer version and calls observers.
  func advance(to newer: Snapshot) throws(StorageError) {
    let isFirst = snapshot == nil
    try move(to: newer)
    if isFirst {
      if hasObservers { scheduleTurn() }
    } else {
      notificationsIfUsed?.driver.deliver(mayWait: false)
    }
  }

  /// As `refresh()`; where there is no room to pin the newest version, it stays where it is.
  func refreshIfRoom() throws(StorageError) -> Bool {
    do throws(StorageError) { return try refresh() } catch {
      if error.isResourceExhausted { return false }
      throw error
    }
  }

  /// Lets go of the version; every object and collection becomes invalid.
  func invalidate() {
    checkThread()
    if isFrozen {
      throwRealmException("Cannot invalidate a frozen Realm; dropping it lets go of its version.")
    }
    if writing != nil { cancelWrite() }
    // What waits to be written uses live objects: then it is done after the last write.
    if let asyncWritesIfUsed, !asyncWritesIfUsed.driver.invalidate() { return }
    invalidatedGeneration = readState.pointee.generation
    cancelled = CancelledWrites()
    readState.pointee.generation += 2
    snapshot = nil
  }

  // MARK: Migrations

  /// Reads and writes in the transaction of a migration, whose schema is not in any version yet.
  func beginMigration(_ objects: ObjectTransaction) {
    writing = OpenWrite(
      objects: objects, startGeneration: readState.pointee.generation + 1)
    readState.pointee.source = objects.source
    migrationDidChangeSchema()
  }

  /// After a property got another name.
  func migrationDidChangeSchema() {
    didChange()
    takeOver(writing!.objects.schema)
  }

  /// The transaction goes on without this; what was read through it is invalid from here on.
  func endMigration() {
    writing = nil
    invalidatedGeneration = readState.pointee.generation
    readState.pointee.generation += 2
  }
}

extension Realm {
  /// For tests: how many cancelled writes this realm has to remember.
  package var cancelledWriteCount: Int { instance.cancelled.count }

  /// For tests: how many schemas of cancelled writes this realm has to keep.
  package var abandonedSchemaCount: Int { instance.abandonedSchemaCount }
}
