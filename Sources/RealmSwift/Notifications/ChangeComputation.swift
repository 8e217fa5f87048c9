import ObjectStore
import Platform
import Storage

/// Brings the trackers of observers to a version, on any thread.
///
/// It works on copies and pins what it reads; what comes of it is applied to the observers that are
/// then still in the state in which it began.
package struct ChangeComputation<Observer: NotificationObserver>: Sendable {
  package typealias State = ObservationState<Observer.Tracker, Observer.Pin>

  /// One observer's part. An observer whose token is dropped meanwhile need not wait.
  package struct Part: Sendable {
    package private(set) weak var observer: Observer?
    package var content: State.Part
  }

  package let target: Observer.Pin
  package var parts: [Part]

  init(_ observers: [Observer], to target: Observer.Pin) {
    self.target = target
    parts = observers.compactMap { observer in
      observer.state.part.map { Part(observer: observer, content: $0) }
    }
  }

  /// Whether an observer waits for it.
  var isWanted: Bool { parts.contains { $0.observer != nil } }

  /// Hands the results to the observers.
  func apply() {
    for part in parts { part.observer?.state.apply(part.content, at: target) }
  }
}

extension ChangeComputation<RealmSwift.Observer> {
  /// The same, made by the file's worker.
  func made(_ shared: SharedRealm) async -> Self {
    await withCheckedContinuation { continuation in
      shared.computations.async {
        var computation = self
        computation.run(shared)
        continuation.resume(returning: computation)
      }
    }
  }

  mutating func run(_ shared: SharedRealm) {
    ChangeComputations.onStart.withLock { $0 }?.call(shared.path)
    var reader = VersionReader(shared.schemas, path: shared.path)
    for index in parts.indices where parts[index].observer != nil {
      engine { () throws(StorageError) in
        try parts[index].content.run(to: target) { tracker, pin throws(StorageError) in
          try tracker.start(at: reader.view(of: pin))
        } advance: { tracker, old, new throws(StorageError) in
          try reader.advance(&tracker, from: old, to: new)
        }
      }
    }
  }
}

extension SharedRealm {
  /// A version as queries see it.
  func view(of snapshot: Snapshot) throws(StorageError) -> StoreView {
    try schemas.view(of: snapshot)
  }
}

/// What decides where change sets are made.
package enum ChangeComputations {
  /// An observer that looks at no more objects than this may be served on its own turn...
  static let turnObjectsMax = 1000
  /// ...if what was committed is written down in so many bytes.
  static let turnHistorySizeMax = 4096
  /// A realm whose own thread has written during this many computations makes the next itself, so
  /// that its observers hear of something.
  static let missedComputationsMax = 8

  /// For tests: called where computations are made, with the file's path.
  package static let onStart = LockedValue<StartHook?>(nil)

  /// A closure by itself would be wrapped anew each time that a generic value lends it out.
  package struct StartHook: Sendable {
    let call: @Sendable (String) -> Void
    package init(_ call: @escaping @Sendable (String) -> Void) { self.call = call }
  }
}

extension Realm {
  /// For tests: how many objects an observer of this realm may look at on its own turn.
  package var turnObjectsMax: Int {
    get { instance.notifications.turnObjectsMax }
    nonmutating set { instance.notifications.turnObjectsMax = newValue }
  }
}
