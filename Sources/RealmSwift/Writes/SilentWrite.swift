import Storage

/// A write that some observers are not to hear of. Those hear of everything else first, so that
/// what they hear next begins with the silent write.
struct SilentWrite {
  private let instance: _RealmInstance
  /// Of the observers.
  private let tokens: [NotificationToken]

  /// How often handlers may write before a silent write that they are told in front of.
  private static let roundsMax = 8

  init(_ instance: _RealmInstance, withoutNotifying tokens: [NotificationToken]) {
    self.instance = instance
    self.tokens = tokens
  }

  private var observers: [Observer] { tokens.compactMap { $0.observer(in: instance) } }

  func begin() throws(StorageError) {
    try instance.takingPlaces { () throws(StorageError) in try beginInTurn() }
  }

  private func beginInTurn() throws(StorageError) {
    instance.checkCanBegin()
    try deliverBeforeSilence()
    let turn = WriterTurn(of: instance)
    for _ in 0..<Self.roundsMax {
      // A handler may have left a transaction open.
      instance.checkCanBegin()
      guard let transaction = try turn.informNewObservers(before: try turn.take()) else {
        continue
      }
      try turn.moveToBase(of: transaction)
      let uninformed = instance.notifications.driver.uninformed(observers, of: instance.version)
      if uninformed.isEmpty { return try instance.start(transaction) }
      // Others have committed while this waited for its turn. Only handlers can from here on.
      turn.inform(uninformed, before: transaction)
    }
    try instance.beginWrite()
  }

  private func deliverBeforeSilence() throws(StorageError) {
    let driver = instance.notifications.driver
    if !driver.needsDeliveryBeforeSuppression() { return }
    if try !instance.refresh(), instance.snapshot != nil { driver.deliver(mayWait: false) }
  }

  /// After the commit: the observers are not to hear of it.
  func suppress(from before: Snapshot?) {
    guard let snapshot = instance.snapshot, let before else { return }
    for observer in observers { observer.suppress(from: before, to: snapshot) }
  }
}
