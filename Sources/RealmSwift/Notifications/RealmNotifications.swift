import Platform
import Storage

/// The notifications of one realm instance, which owns this. Used where the instance lives.
final class RealmNotifications {
  private unowned let instance: _RealmInstance
  private(set) lazy var driver = NotificationDriver(self)
  var turnObjectsMax = ChangeComputations.turnObjectsMax

  init(_ instance: _RealmInstance) { self.instance = instance }

  func observe(_ observer: Observer) -> NotificationToken {
    driver.add(observer)
    return NotificationToken(observer)
  }

  /// Checks that the tokens are of this instance, before anything is committed.
  func checkTokens(_ tokens: [NotificationToken]) {
    for token in tokens where !token.canBeNamed(in: instance) {
      throwRealmException(
        "Cannot skip notifications for a token of another Realm, or one that was invalidated; pass "
          + "tokens of this Realm's observers.")
    }
  }
}

extension RealmNotifications: NotificationHost {
  var pin: Snapshot? { instance.snapshot }
  var isWriting: Bool { instance.isInWriteTransaction }
  var autorefresh: Bool { instance.autorefresh }
  /// An actor may be gone.
  var exists: Bool { instance.scheduler.exists }
  var newestVersion: Version { instance.shared.database.newestVersion }

  /// Nil also where the newest version's schema has no place for the program's classes: the realm
  /// stays where it is, and its next refresh or write says so.
  func pinNewestIfRoom() -> Snapshot? {
    let newest = engine { () throws(StorageError) in
      try instance.shared.database.pinNewestIfRoom()
    }
    return newest.flatMap { canMove(to: $0) ? $0 : nil }
  }

  /// Whether the version's schema still has what the program's classes have.
  private func canMove(to newer: Snapshot) -> Bool {
    engine { () throws(StorageError) in
      do throws(StorageError) { _ = try instance.compatibleSchema(of: newer) } catch {
        if error.code == .schemaMismatch { return false }
        throw error
      }
      return true
    }
  }

  func move(to snapshot: Snapshot) {
    engine { () throws(StorageError) in try instance.move(to: snapshot) }
  }

  func scheduleTurn() { instance.scheduleTurn() }

  func needsBackgroundDiff(_ observer: Observer, to target: Snapshot) -> Bool {
    let state = observer.state
    guard let tracker = state.tracker, state.isBehind(target) else { return false }
    if state.missedComputations >= ChangeComputations.missedComputationsMax { return false }
    return engine { () throws(StorageError) in
      if let position = state.position {
        let size = try target.historySize(after: position.version)
        if size > ChangeComputations.turnHistorySizeMax { return true }
        if state.missedComputations > 0 && tracker.goesByChanges { return false }
      }
      let view = try instance.shared.view(of: target)
      return try tracker.extent(in: view, limit: turnObjectsMax) > turnObjectsMax
    }
  }

  func run(_ computation: inout ChangeComputation<Observer>) { computation.run(instance.shared) }

  func runElsewhere(_ computation: ChangeComputation<Observer>) {
    let work = LockedValue<ChangeComputation<Observer>?>(computation)
    let (shared, scheduler) = (instance.shared, instance.scheduler)
    Logger.shared.log(.debug) {
      "A worker advances \(computation.parts.count) observers of '\(shared.path)' to version "
        + "\(computation.target.version)"
    }
    shared.computations.async { [weak instance] in
      // Taken out, so that nothing stays pinned by what nobody waits for any more.
      var result = work.withLock { $0.take() }
      result?.run(shared)
      if result?.isWanted == false { result = nil }
      let computation = result.take()
      scheduler.invoke { [weak instance] in instance?.notifications.driver.finished(computation) }
    }
  }
}

extension RealmNotifications {
  /// Checks that observing is possible here, now.
  static func checkCanObserve(_ instance: _RealmInstance) {
    checkCanBeObserved(instance)
    if !instance.scheduler.canInvoke {
      throwRealmException(
        "Can only add notification blocks from within runloops: open the realm on a loop thread, "
          + "the main thread, or with a queue.")
    }
    instance.ensureReading()
  }

  /// Checks that what belongs to the realm can be observed, wherever the observer is.
  static func checkCanBeObserved(_ instance: _RealmInstance) {
    instance.checkThread()
    if instance.isFrozen {
      throwRealmException(
        "Frozen Realms do not change and do not have change notifications; observe the live one, "
          + "which `thaw()` gives.")
    }
    if instance.configuration.readOnly {
      throwRealmException(
        "Read-only Realms do not change and do not have change notifications; open it without "
          + "`readOnly` to observe it.")
    }
    if instance.isInWriteTransaction {
      throwRealmException(
        "Cannot register notification blocks from within write transactions; observe before or "
          + "after it.")
    }
  }
}

/// Tells that the realm is at another version.
final class RealmObserver: Observer, @unchecked Sendable {
  // Sendable like its superclass.

  private let handler: NotificationBlock

  init(_ instance: _RealmInstance, _ handler: @escaping NotificationBlock) {
    self.handler = handler
    super.init(instance, ObservationState(after: instance.version))
  }

  override func deliver(_ delivery: State.Delivery, at snapshot: Snapshot) {
    if case .version = delivery { handler(.didChange, Realm(instance: instance)) }
  }

  override func announceRefreshRequired() {
    handler(.refreshRequired, Realm(instance: instance))
  }
}

extension Realm {
  /// Calls the block after each change of the realm's version, on the realm's thread or queue,
  /// until the token is dropped.
  public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
    RealmNotifications.checkCanObserve(instance)
    return instance.notifications.observe(RealmObserver(instance, block))
  }
}
