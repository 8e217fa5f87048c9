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
