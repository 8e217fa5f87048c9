import ObjectStore
import Platform
import Storage

// Who observes what in one realm instance, and when they are told.
//
// An observer's tracker is at a version, which it keeps pinned, and is carried on to newer ones: what
// that takes goes by the sizes of things, so a worker does it, but for what is little. The realm
// moves to the version that the trackers have reached, and what they found is told. Where it comes
// from, a commit elsewhere or here, makes no difference; any number of commits make one change set,
// and nothing is told twice. `refresh()` does not wait for a worker: it does the work itself, and
// what the worker finds is not used.

/// The observers of one instance, in the order in which they came.
struct RealmObservers {
  private struct Entry {
    weak var observer: Observer?
  }

  private var entries: [Entry] = []
  private(set) var isDelivering = false
  /// Whether a worker is at it; it will come back with a turn.
  fileprivate(set) var isComputing = false

  var isAnyone: Bool { entries.contains { $0.observer?.isCancelled == false } }

  /// Starts observing; the first delivery comes in a later turn.
  mutating func add(_ observer: Observer) {
    entries.removeAll { $0.observer == nil }
    entries.append(Entry(observer: observer))
    observer.instance.scheduleTurn()
  }

  fileprivate var all: [Observer] {
    entries.compactMap(\.observer).filter { !$0.isCancelled }
  }

  /// Those that wait to be told.
  fileprivate var waiting: [Observer] { all.filter { !$0.isPaused } }

  fileprivate mutating func startDelivery() -> [Observer] {
    if isDelivering { return [] }
    let waiting = waiting
    isDelivering = !waiting.isEmpty
    return waiting
  }

  fileprivate mutating func endDelivery() { isDelivering = false }

  /// Lets go of everything: nobody is left to be told.
  mutating func end() {
    for observer in all {
      observer.cancel()
      observer.tracked = nil
      observer.suppressedThrough = nil
    }
    entries = []
  }

  /// Checks that the tokens are of this instance, before anything is committed.
  func checkTokens(_ tokens: [NotificationToken], _ instance: _RealmInstance) {
    for token in tokens where token.observer(in: instance) == nil && !token.isPending {
      throwRealmException(
        "Cannot skip notifications for a token of another Realm, or one that was invalidated; pass "
          + "tokens of this Realm's observers.")
    }
  }
}

extension _RealmInstance {
  /// Checks that observing is possible here, now.
  func checkCanObserve() {
    checkCanBeObserved()
    if !scheduler.canInvoke {
      throwRealmException(
        "Can only add notification blocks from within runloops: open the realm on a loop thread, "
          + "the main thread, or with a queue.")
    }
    ensureReading()
  }

  /// Checks that what belongs to this realm can be observed, wherever the observer is.
  func checkCanBeObserved() {
    checkThread()
    if isFrozen {
      throwRealmException(
        "Frozen Realms do not change and do not have change notifications; observe the live one, "
          + "which `thaw()` gives.")
    }
    if configuration.readOnly {
      throwRealmException(
        "Read-only Realms do not change and do not have change notifications; open it without "
          + "`readOnly` to observe it.")
    }
    if isInWriteTransaction {
      throwRealmException(
        "Cannot register notification blocks from within write transactions; observe before or "
          + "after it.")
    }
  }

  func observe(_ observer: Observer) -> NotificationToken {
    observers.add(observer)
    return NotificationToken(observer)
  }

  // MARK: Comparing elsewhere

  /// Lets a worker carry on whoever has far to go to the version. Returns false if nobody has.
  func startComputation(to target: Snapshot) -> Bool {
    let far = observers.waiting.filter { $0.needsBackgroundDiff(from: target) }
    if far.isEmpty { return false }
    observers.isComputing = true
    let work = LockedValue<ChangeComputation?>(ChangeComputation(far, to: target))
    shared.computations.async { [weak self, shared, scheduler] in
      // Taken out, so that nothing stays pinned by what nobody waits for any more.
      var result = work.withLock { $0.take() }
      result?.run(shared)
      if result?.isWanted == false { result = nil }
      let computation = result.take()
      scheduler.invoke { [weak self] in self?.finish(computation) }
    }
    return true
  }

  /// A worker is done: the realm moves on to what it has compared.
  private func finish(_ computation: ChangeComputation?) {
    observers.isComputing = false
    guard scheduler.exists else { return observers.end() }
    defer { scheduleTurn() }
    guard let snapshot, let computation else { return }
    if computation.target.version > snapshot.version && !autorefresh { return }
    apply(computation)
  }

  /// Moves to the version that was compared with, unless the realm is past it, and tells.
  func apply(_ computation: ChangeComputation) {
    guard let snapshot else { return }
    if computation.target.version > snapshot.version {
      // Where a write transaction is open, the realm was at the newest version when it began.
      if writing != nil { return }
      engine { () throws(StorageError) in try move(to: computation.target) }
    }
    for part in computation.parts {
      guard let observer = part.observer else { continue }
      observer.advance(part, to: computation.target)
      if observer.isBehind(self.snapshot!) { observer.missedComputations += 1 }
    }
    deliverNotifications(waiting: true)
  }

  /// What a refresh has to find out that should not be done here; nil if there is nothing of it.
  func computationToNewest() -> ChangeComputation? {
    guard let snapshot, writing == nil, !observers.isDelivering,
      shared.database.newestVersion > snapshot.version
    else { return nil }
    let newest = engine { () throws(StorageError) in try shared.database.pinNewestIfRoom() }
    guard let target = newest else { return nil }
    let far = observers.waiting.filter { $0.needsBackgroundDiff(from: target) }
    return far.isEmpty ? nil : ChangeComputation(far, to: target)
  }

  // MARK: Delivering

  /// Tells every observer what has happened since it was last told.
  ///
  /// - Parameter waiting: whether those that have far to go can wait for a worker.
  func deliverNotifications(waiting canWait: Bool) {
    if canWait, let snapshot,
      observers.waiting.contains(where: { $0.needsBackgroundDiff(from: snapshot) })
    {
      // All are told in one turn, in the order in which they came.
      return scheduleTurn()
    }
    let waiting = observers.startDelivery()
    if waiting.isEmpty { return }
    let version = version
    defer {
      observers.endDelivery()
      if self.version != version { scheduleTurn() }
    }
    if !canWait, let snapshot { advance(waiting.filter { $0.isBehind(snapshot) }, to: snapshot) }
    for observer in waiting where !observer.isCancelled && !observer.isPaused {
      // A handler may have committed, refreshed or invalidated meanwhile.
      guard writing == nil, let snapshot else { return }
      if observer.needsBackgroundDiff(from: snapshot) { return scheduleTurn() }
      if observer.isBehind(snapshot) { advance([observer], to: snapshot) }
      observer.missedComputations = 0
      observer.deliver(at: snapshot)
    }
  }

  func advance(_ observers: [Observer], to target: Snapshot) {
    if observers.isEmpty { return }
    var computation = ChangeComputation(observers, to: target)
    computation.run(shared)
    for part in computation.parts { part.observer?.advance(part, to: target) }
  }

  func announceRefreshRequired() {
    for observer in observers.all { observer.announceRefreshRequired() }
  }
}

/// Tells that the realm is at another version.
final class RealmObserver: Observer, @unchecked Sendable {
  // Sendable like its superclass.

  private let handler: NotificationBlock
  private var told: UInt64

  init(_ instance: _RealmInstance, _ handler: @escaping NotificationBlock) {
    self.handler = handler
    told = instance.version
    super.init(instance, nil)
  }

  override func tell(at snapshot: Snapshot) {
    if told == snapshot.version { return }
    told = snapshot.version
    handler(.didChange, Realm(instance: instance))
  }

  override func hasDelivered(of version: UInt64) -> Bool { told == version }

  override func didSuppress(from before: Snapshot, to after: Snapshot) {
    if told == before.version { told = after.version }
  }

  override func announceRefreshRequired() {
    handler(.refreshRequired, Realm(instance: instance))
  }
}

extension Realm {
  /// Calls the block after each change of the realm's version, on the realm's thread or queue,
  /// until the token is dropped.
  public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
    instance.checkCanObserve()
    return instance.observe(RealmObserver(instance, block))
  }
}
