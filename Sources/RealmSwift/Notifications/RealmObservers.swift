import ObjectStore
import Storage
import Synchronization

// Who observes what in one realm instance, and what they have been told.
//
// An observer remembers the version of its last delivery and keeps it pinned. A delivery compares
// that version with the instance's through the history in between, so that any number of commits
// make one change set, and nothing is told twice.

/// One observer: what it watches, and its handler.
class Observer: @unchecked Sendable {
  // Sendable: delivered to on the instance's scheduler only; cancelling is atomic.

  let instance: _RealmInstance
  /// The version of the last delivery; nil before the first.
  var seen: Snapshot?
  /// Nobody waits for the next delivery; what happens meanwhile will be told as one change.
  var isPaused = false
  private let isCancelledFlag = Atomic<Bool>(false)

  init(_ instance: _RealmInstance) { self.instance = instance }

  final var isCancelled: Bool { isCancelledFlag.load(ordering: .acquiring) }
  final func cancel() {
    isCancelledFlag.store(true, ordering: .releasing)
    instance.scheduleTurn()
  }

  /// The first delivery.
  func deliverInitial() {}
  /// Another version: tell the handler what happened, if it concerns it.
  func deliver(_ changes: ChangeSet, from old: Snapshot) {}
  /// There is a newer version that the realm does not move to by itself.
  func announceRefreshRequired() {}
  /// The version is the observer's own doing: remember it as if it had been told.
  func skip(_ changes: ChangeSet, from old: Snapshot) {}
}

/// The observers of one instance.
struct RealmObservers {
  private var observers: [Observer] = []
  private var isDelivering = false

  var isAnyone: Bool { !observers.isEmpty }

  /// Starts observing; the first delivery comes in a later turn.
  mutating func add(_ observer: Observer) {
    observers.append(observer)
    observer.instance.scheduleTurn()
  }

  fileprivate mutating func startDelivery() -> [Observer]? {
    observers.removeAll { $0.isCancelled }
    if isDelivering || observers.isEmpty { return nil }
    isDelivering = true
    return observers
  }

  fileprivate mutating func endDelivery() {
    isDelivering = false
    observers.removeAll { $0.isCancelled }
  }

  fileprivate var all: [Observer] { observers }

  /// Checks that the tokens are of this instance, before anything is committed.
  func checkTokens(_ tokens: [NotificationToken], _ instance: _RealmInstance) {
    for token in tokens where token.observer(in: instance) == nil {
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

  /// Tells every observer what has happened since it was last told.
  func deliverNotifications() {
    guard let waiting = observers.startDelivery() else { return }
    defer { observers.endDelivery() }
    var known: [UInt64: ChangeSet] = [:]
    var knownUntil: UInt64 = 0
    for observer in waiting where !observer.isCancelled && !observer.isPaused {
      // A handler may have committed or invalidated meanwhile.
      guard writing == nil, let snapshot else { return }
      guard let old = observer.seen else {
        observer.seen = snapshot
        observer.deliverInitial()
        continue
      }
      if old.version == snapshot.version { continue }
      if knownUntil != snapshot.version {
        known = [:]
        knownUntil = snapshot.version
      }
      let changes = known[old.version] ?? changes(after: old.version, in: snapshot)
      known[old.version] = changes
      observer.seen = snapshot
      observer.deliver(changes, from: old)
    }
  }

  /// What happened between a version that is still pinned and the snapshot's.
  func changes(after version: UInt64, in snapshot: Snapshot) -> ChangeSet {
    engine { () throws(StorageError) in
      var changes = ChangeSet()
      for entry in try snapshot.historyEntries(after: version) {
        changes.merge(try decoded(entry))
      }
      return changes
    }
  }

  private func decoded(_ entry: HistoryEntry) throws(StorageError) -> ChangeSet {
    let result = entry.bytes.withUnsafeBytes { bytes -> Result<ChangeSet, StorageError> in
      do throws(StorageError) {
        return .success(try ChangeSet(decoding: bytes, path: shared.path))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func announceRefreshRequired() {
    for observer in observers.all where !observer.isCancelled {
      observer.announceRefreshRequired()
    }
  }

  /// After a commit: these observers are not to hear of it. One that has yet to hear of earlier
  /// commits will hear of both.
  func skip(_ tokens: [NotificationToken], from before: Snapshot?) {
    for token in tokens {
      guard let observer = token.observer(in: self), let snapshot, let before,
        observer.seen?.version == before.version
      else { continue }
      observer.seen = snapshot
      observer.skip(changes(after: before.version, in: snapshot), from: before)
    }
  }
}

/// Tells that the realm is at another version.
final class RealmObserver: Observer, @unchecked Sendable {
  private let handler: NotificationBlock

  init(_ instance: _RealmInstance, _ handler: @escaping NotificationBlock) {
    self.handler = handler
    super.init(instance)
    seen = instance.snapshot
  }

  override func deliver(_ changes: ChangeSet, from old: Snapshot) {
    handler(.didChange, Realm(instance: instance))
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
