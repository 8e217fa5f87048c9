import Dispatch
import Platform
import Storage

/// The asynchronous writes of one realm instance, which owns this. Used where the instance lives.
///
/// What waits for an event holds the instance: a realm with writes to come, or with commits to
/// flush, stays open.
final class RealmAsyncWrites {
  private unowned let instance: _RealmInstance
  private(set) lazy var driver = AsyncWriteDriver(self)
  private var reservation: WriterReservation?
  /// As long as it is held, `end()` is called at the end of the place where the realm lives.
  private var endWatch: AnyObject?
  private let finishedFlushes = FinishedFlushes()

  init(_ instance: _RealmInstance) { self.instance = instance }

  var isPerforming: Bool { driver.queue.isPerforming }

  func add(_ kind: AsyncWriteQueue.Kind) -> AsyncTransactionId {
    checkCanWrite()
    let id = AsyncWriteQueue.makeId()
    driver.add(AsyncWriteQueue.Pending(id: id, kind: kind))
    return id
  }

  /// Checks that an asynchronous write can be asked for here.
  func checkCanWrite() {
    instance.checkThread()
    if instance.isFrozen { throwRealmException(MisuseReason.frozenTransaction) }
    if instance.configuration.readOnly {
      throwRealmException(MisuseReason.readOnlyTransaction)
    }
    if !instance.scheduler.canInvoke {
      throwRealmException(
        "Can't schedule async transaction. Is the Realm running inside a run loop? Open it on a "
          + "loop thread, the main thread, an actor, or with a queue.")
    }
  }

  func cancel(_ id: AsyncTransactionId) {
    instance.checkThread()
    driver.cancel(id)
  }

  /// For a synchronous write, which takes the place of those that wait: the transaction, if it had
  /// come.
  func takeReservation() -> WriteTransaction? {
    driver.reservationWasTaken()
    return reservation.take()?.withdraw()
  }

  /// What waits in vain when the instance goes.
  func removeAll() -> [AsyncWriteQueue.Pending] { driver.queue.removeAll() }
}

extension RealmAsyncWrites: AsyncWriteHost {
  var isWriting: Bool { instance.isInWriteTransaction }

  /// Not where nobody who commits waits for the disk.
  var isFlushed: Bool {
    switch instance.opened.durability {
    case .relaxed, .inMemory: false
    case .strict, .full, .grouped: true
    }
  }

  func reserveWriter() throws(StorageError) {
    reservation = try WriterReservation.ask(instance.shared.database) { [instance] in
      instance.scheduler.invoke { instance.asyncWrites.driver.reservationIsReady() }
    }
  }

  func beginReservedWrite() throws(StorageError) -> ReservedWrite {
    guard let claim = reservation?.claim() else { return .tooEarly }
    if case .tooEarly = claim { return .tooEarly }
    reservation = nil
    switch claim {
    case .transaction(let transaction):
      guard let transaction = try WriterTurn(of: instance).informNewObservers(before: transaction)
      else {
        // A handler has used it, and may have asked for the next one.
        return reservation == nil ? .expired : .tooEarly
      }
      try instance.start(transaction)
      return .begun
    case .failed(let error): throw error
    case .expired, .tooEarly: return .expired
    }
  }

  func beginWriteIfFree() throws(StorageError) -> Bool {
    guard let free = try instance.shared.database.tryBeginWrite(),
      let transaction = try WriterTurn(of: instance).informNewObservers(before: free)
    else { return false }
    try instance.start(transaction)
    return true
  }

  func cancelReservation() { reservation.take()?.withdraw()?.cancel() }

  func announceReservation() {
    instance.scheduler.invoke { [instance] in instance.asyncWrites.driver.reservationIsReady() }
  }

  func commitUnflushed(isGrouped: Bool) throws(StorageError) -> Version {
    try instance.commitWrite(durability: isFlushed ? (isGrouped ? .relaxed : .grouped) : nil)
    return instance.version
  }

  func cancelWrite() { instance.cancelWrite() }

  func invalidate() { instance.invalidate() }

  // MARK: Flushes

  func flush(_ flush: AsyncWriteQueue.Flush) {
    instance.shared.database.whenDurable(flush.version) { [instance, finishedFlushes] result in
      let error: StorageError? = if case .failure(let error) = result { error } else { nil }
      finishedFlushes.append(flush, error)
      instance.scheduler.invoke { instance.asyncWrites.deliverFinishedFlushes() }
    }
  }

  func report(_ flush: AsyncWriteQueue.Flush, _ error: StorageError?) {
    finishedFlushes.append(flush, error)
    instance.scheduler.invoke { [instance] in instance.asyncWrites.deliverFinishedFlushes() }
  }

  private func deliverFinishedFlushes() {
    for (flush, error) in finishedFlushes.takeAll() { driver.flushed(flush, error) }
  }

  /// A serial queue, which gets a thread also when all threads of the global queues are blocked.
  private static let groupQueue = DispatchQueue(label: "holdfast.groups")
  private static let groupAgeMax = DispatchTimeInterval.milliseconds(50)

  func announceGroup() {
    instance.scheduler.invoke { [instance] in instance.asyncWrites.driver.groupBegan() }
  }

  func watchGroup(_ oldest: AsyncTransactionId?) {
    Self.groupQueue.asyncAfter(deadline: .now() + Self.groupAgeMax) { [instance] in
      instance.scheduler.invoke { instance.asyncWrites.driver.groupIsOld(oldest) }
    }
  }

  // MARK: Ending

  func watchForTheEnd() {
    guard endWatch == nil, !driver.queue.hasEnded else { return }
    endWatch = instance.scheduler.whenEnding { [weak instance] in
      guard let instance else { return }
      let text = "The loop of the realm's thread was closed before it was this write's turn."
      instance.asyncWrites.driver.end(RLMError(.fail, text, path: instance.shared.path))
    }
  }

  func publicError(_ error: StorageError) -> any Error { RLMError(error) }

  func fail(_ error: StorageError) -> Never { failed(error) }
}

/// What flushes on other threads have achieved, until the realm's own looks. In order.
private final class FinishedFlushes: Sendable {
  private let flushes = LockedValue<[(AsyncWriteQueue.Flush, StorageError?)]>([])

  func append(_ flush: AsyncWriteQueue.Flush, _ error: StorageError?) {
    flushes.withLock { $0.append((flush, error)) }
  }

  func takeAll() -> [(AsyncWriteQueue.Flush, StorageError?)] {
    flushes.withLock { flushes in
      defer { flushes = [] }
      return flushes
    }
  }
}
