import Storage

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
