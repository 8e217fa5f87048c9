import ObjectStore
import Storage
import Synchronization

/// One observer: what it watches, and its handler. Its token keeps it.
package class Observer: NotificationObserver, @unchecked Sendable {
  // Sendable: used on the instance's scheduler only; cancelling is atomic.

  package typealias State = ObservationState<ObserverTracker, Snapshot>

  let instance: _RealmInstance
  package final var state: State
  private let isCancelledFlag = Atomic<Bool>(false)

  init(_ instance: _RealmInstance, _ state: State) {
    self.instance = instance
    self.state = state
  }

  package final var isCancelled: Bool { isCancelledFlag.load(ordering: .acquiring) }
  package final func cancel() { isCancelledFlag.store(true, ordering: .releasing) }

  package func deliver(_ delivery: State.Delivery, at snapshot: Snapshot) {}
  package func announceRefreshRequired() {}

  /// The realm has left `before` for `after` by a write that this is not to hear of.
  final func suppress(from before: Snapshot, to after: Snapshot) {
    if state.suppress(from: before, to: after) { didSuppress(from: before, to: after) }
  }

  /// The realm is at `after`, and the next delivery tells what comes after that.
  func didSuppress(from before: Snapshot, to after: Snapshot) {}
}

extension Snapshot: VersionPin {}

/// The trackers that observers have: an enumeration, so that they need no boxes.
package enum ObserverTracker: ChangeTracker {
  case collection(CollectionTracker)
  case object(ObjectTracker)

  package mutating func start(at view: StoreView) throws(StorageError) {
    guard case .collection(var tracker) = self else { return }
    try tracker.start(at: view)
    self = .collection(tracker)
  }

  package mutating func advance(
    _ changes: ChangeSet, from old: StoreView, to new: StoreView
  ) throws(StorageError) {
    switch self {
    case .collection(var tracker):
      try tracker.advance(changes, from: old, to: new)
      self = .collection(tracker)
    case .object(var tracker):
      try tracker.advance(changes, from: old, to: new)
      self = .object(tracker)
    }
  }

  package var hasPendingChanges: Bool {
    switch self {
    case .collection(let tracker): tracker.hasPendingChanges
    case .object(let tracker): tracker.hasPendingChanges
    }
  }

  package mutating func discardPendingChanges() {
    switch self {
    case .collection(var tracker):
      tracker.discardPendingChanges()
      self = .collection(tracker)
    case .object(var tracker):
      tracker.discardPendingChanges()
      self = .object(tracker)
    }
  }

  package func extent(in view: StoreView, limit: Int) throws(StorageError) -> Int {
    switch self {
    case .collection(let tracker): try tracker.extent(in: view, limit: limit)
    case .object(let tracker): try tracker.extent(in: view, limit: limit)
    }
  }

  package var goesByChanges: Bool {
    switch self {
    case .collection(let tracker): tracker.goesByChanges
    case .object(let tracker): tracker.goesByChanges
    }
  }
}
