import Storage

// Writes that some observers are not to hear of. Those hear of everything else first, so that what
// they hear next begins with the silent write.

extension _RealmInstance {
  /// How often handlers may write before a silent write that they are told in front of.
  private static let suppressionRoundsMax = 8

  /// Begins a write that the tokens' observers are not to hear of.
  func beginWrite(suppressing tokens: [NotificationToken]) throws(StorageError) {
    try takingPlaces { () throws(StorageError) in try beginSilentWrite(tokens) }
  }

  private func beginSilentWrite(_ tokens: [NotificationToken]) throws(StorageError) {
    checkCanBegin()
    try deliverBeforeSilence()
    for _ in 0..<Self.suppressionRoundsMax {
      // A handler may have left a transaction open.
      checkCanBegin()
      guard let transaction = try informNewObservers(before: try turnToWrite()) else { continue }
      let uninformed = try uninformed(tokens, of: transaction)
      if uninformed.isEmpty { return try start(transaction) }
      // Others have committed while this waited for its turn. Only handlers can from here on.
      reservedTransaction = transaction
      notifications.driver.inform(uninformed)
    }
    try beginWrite()
  }

  /// After a commit: these observers are not to hear of it.
  func suppress(_ tokens: [NotificationToken], from before: Snapshot?) {
    guard let snapshot, let before else { return }
    for token in tokens { token.observer(in: self)?.suppress(from: before, to: snapshot) }
  }

  private func deliverBeforeSilence() throws(StorageError) {
    if !notifications.driver.needsDeliveryBeforeSuppression() { return }
    if try !refresh(), snapshot != nil { notifications.driver.deliver(mayWait: false) }
  }

  /// Moves to the version that the transaction builds on. Returns the tokens' observers that have
  /// not heard of it.
  private func uninformed(
    _ tokens: [NotificationToken], of transaction: WriteTransaction
  ) throws(StorageError) -> [Observer] {
    try moveToBase(of: transaction)
    return notifications.driver.uninformed(
      tokens.compactMap { $0.observer(in: self) }, of: version)
  }

  /// Before a write: calls the observers that were just added with what is there before it. Returns
  /// the transaction, or nil if a handler has used it for a write of its own.
  func informNewObservers(
    before transaction: WriteTransaction
  ) throws(StorageError) -> WriteTransaction? {
    guard let observers = notificationsIfUsed?.driver.takeNewObservers(), !observers.isEmpty else {
      return transaction
    }
    try moveToBase(of: transaction)
    reservedTransaction = transaction
    notifications.driver.inform(observers)
    return reservedTransaction.take()
  }

  /// Nobody else can commit now, so the newest version is the one the transaction builds on.
  private func moveToBase(of transaction: WriteTransaction) throws(StorageError) {
    if snapshot?.version == transaction.baseVersion { return }
    do throws(StorageError) { try move(to: try shared.database.pinNewest()) } catch {
      transaction.cancel()
      throw error
    }
  }
}
