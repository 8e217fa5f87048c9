import Storage

/// Gets a realm its turn to write, and calls those that are to hear of something before.
///
/// While observers are called the turn is kept; a handler that writes meanwhile takes it.
struct WriterTurn {
  private let instance: _RealmInstance

  init(of instance: _RealmInstance) { self.instance = instance }

  /// The turn to write, for which it waits.
  func take() throws(StorageError) -> WriteTransaction {
    if let kept = instance.keptTurn.take()
      ?? instance.asyncWritesIfUsed?.takeReservation()
    {
      return kept
    }
    return try instance.shared.database.beginWrite()
  }

  /// Calls observers with what is there before the transaction, and keeps that meanwhile.
  func inform(_ observers: [Observer], before transaction: WriteTransaction) {
    instance.keptTurn.keep(transaction)
    instance.notifications.driver.inform(observers)
  }

  /// Before a write: calls the observers that were just added with what is there before it. Returns
  /// the transaction, or nil if a handler has used it for a write of its own.
  func informNewObservers(
    before transaction: WriteTransaction
  ) throws(StorageError) -> WriteTransaction? {
    guard let observers = instance.notificationsIfUsed?.driver.takeNewObservers(),
      !observers.isEmpty
    else { return transaction }
    try moveToBase(of: transaction)
    inform(observers, before: transaction)
    return instance.keptTurn.take()
  }

  /// Nobody else can commit now, so the newest version is the one the transaction builds on.
  func moveToBase(of transaction: WriteTransaction) throws(StorageError) {
    if instance.snapshot?.version == transaction.baseVersion { return }
    do throws(StorageError) {
      try instance.move(to: try instance.shared.database.pinNewest())
    } catch {
      transaction.cancel()
      throw error
    }
  }
}
