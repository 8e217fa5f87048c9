import ObjectStore
import Storage
import Synchronization

/// One observer: what it watches, and its handler. Its token keeps it.
class Observer: @unchecked Sendable {
  // Sendable: used on the instance's scheduler only; cancelling is atomic.

  let instance: _RealmInstance
  /// What it has yet to tell; nil for observers that only tell that there is a version.
  var tracker: (any ChangeTracker)?
  /// The version that the tracker is at, pinned; nil before its start.
  var tracked: Snapshot?
  /// A newer version that the observer is not to tell about.
  var suppressedThrough: Snapshot?
  /// How often the tracker was carried on to a version that the realm had left meanwhile.
  var missedComputations = 0
  /// How often it has delivered: a computation that began before holds changes that were delivered.
  private(set) var deliveryCount = 0
  /// Nobody waits for the next delivery; what happens meanwhile will be told as one change.
  var isPaused = false
  private let isCancelledFlag = Atomic<Bool>(false)

  init(_ instance: _RealmInstance, _ tracker: (any ChangeTracker)?, at tracked: Snapshot? = nil) {
    self.instance = instance
    self.tracker = tracker
    self.tracked = tracked
  }

  final var isCancelled: Bool { isCancelledFlag.load(ordering: .acquiring) }
  final func cancel() { isCancelledFlag.store(true, ordering: .releasing) }

  /// The realm is at the tracker's version: delivers the pending changes.
  final func deliver(at snapshot: Snapshot) {
    deliveryCount += 1
    tell(at: snapshot)
  }

  /// Tells the handler what there is to tell.
  func tell(at snapshot: Snapshot) {}
  /// There is a newer version that the realm does not move to by itself.
  func announceRefreshRequired() {}

  /// Whether it must be carried on before it can tell of the version.
  final func isBehind(_ snapshot: Snapshot) -> Bool {
    tracker != nil && tracked?.version != snapshot.version
  }

  /// Takes over what a computation found, if it began where this is.
  final func advance(_ part: ChangeComputation.Part, to target: Snapshot) {
    guard tracked === part.origin, suppressedThrough === part.suppressedThrough,
      deliveryCount == part.deliveryCount
    else { return }
    tracker = part.tracker
    tracked = target
    suppressedThrough = nil
  }

  /// Whether it has nothing to hear of what led to the version; one that has heard of nothing at
  /// all is yet to be told how things are.
  func hasDelivered(of version: UInt64) -> Bool {
    guard let tracked else { return true }
    // Being carried to a version is not being told of it.
    if let tracker, tracker.hasPendingChanges { return false }
    return (suppressedThrough ?? tracked).version == version
  }

  /// The realm has left `before` for `after` by a write that is not to be told.
  final func suppress(from before: Snapshot, to after: Snapshot) {
    // One that has yet to hear of earlier commits will hear of both.
    let told = suppressedThrough ?? tracked
    if let tracker, !tracker.hasPendingChanges, told?.version == before.version {
      suppressedThrough = after
    }
    didSuppress(from: before, to: after)
  }

  func didSuppress(from before: Snapshot, to after: Snapshot) {}
}

extension Observer {
  /// Whether carrying it on to the version is more work than a turn should do.
  func needsBackgroundDiff(from target: Snapshot) -> Bool {
    guard let tracker, isBehind(target) else { return false }
    if missedComputations >= ChangeComputations.missedComputationsMax { return false }
    let limit = instance.turnObjectsMax
    return engine { () throws(StorageError) in
      if let tracked {
        let size = try target.historySize(after: tracked.version)
        if size > ChangeComputations.turnHistorySizeMax { return true }
        if missedComputations > 0 && tracker.goesByChanges { return false }
      }
      return try tracker.extent(in: instance.shared.view(of: target), limit: limit) > limit
    }
  }
}
