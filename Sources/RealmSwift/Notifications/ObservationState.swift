import ObjectStore
import Storage

/// A version that is held.
package protocol VersionPin: Sendable {
  var version: Version { get }
}

/// How far one observer is: the version that its tracker has reached, what is pending, and which
/// writes it is not to hear of.
///
/// A state machine without a clock, a queue or a realm. Every change of it makes a new revision; a
/// computation that began at an earlier one is not applied, because what it holds may have been
/// delivered or suppressed since.
package struct ObservationState<Tracker: PendingChanges, Pin: VersionPin> {
  /// Nil for observers that are only interested in the version.
  package private(set) var tracker: Tracker?
  /// The version that the tracker is at, nil before its start.
  package private(set) var position: Pin?
  /// A newer version; what led to it is not delivered.
  private var suppressedThrough: Pin?
  /// Without a tracker: the version that was delivered last, or suppressed.
  private var delivered = Version.zero
  /// Whether the first delivery, without changes, is still to come.
  package private(set) var awaitsInitial: Bool
  private var revision = 0
  /// How often the tracker was advanced to a version that the realm had left meanwhile.
  package private(set) var missedComputations = 0
  /// Nothing is to be delivered; what happens meanwhile becomes one change.
  package var isPaused = false
  package var fault: NotificationFault?

  /// An observer that begins at a version that is still to come, with an initial delivery.
  package init(_ tracker: Tracker) {
    self.tracker = tracker
    awaitsInitial = true
  }

  /// An observer that hears of what comes after the version.
  package init(_ tracker: Tracker, at position: Pin) {
    self.tracker = tracker
    self.position = position
    awaitsInitial = false
  }

  /// An observer of versions.
  package init(after version: Version) {
    delivered = version
    awaitsInitial = false
  }

  /// Whether the tracker must be advanced before the version can be delivered.
  package func isBehind(_ pin: Pin) -> Bool { tracker != nil && position?.version != pin.version }

  /// Whether nothing of what led to the version is pending. An observer that has not started is yet
  /// to get everything as it is.
  package func hasDelivered(_ version: Version) -> Bool {
    guard let tracker else { return delivered == version }
    guard let position else { return true }
    if tracker.hasPendingChanges && fault != .ignoresPendingChanges { return false }
    return (suppressedThrough ?? position).version == version
  }

  /// The realm has left `before` for `after` by a write that the observer is not to hear of. What
  /// is already pending is delivered together with that write.
  ///
  /// Returns whether the next delivery begins at `after`.
  @discardableResult
  package mutating func suppress(from before: Pin, to after: Pin) -> Bool {
    guard let tracker else {
      if delivered != before.version { return false }
      delivered = after.version
      return true
    }
    if tracker.hasPendingChanges && fault != .ignoresPendingChanges { return false }
    if (suppressedThrough ?? position)?.version != before.version { return false }
    suppressedThrough = after
    revision += 1
    return true
  }

  package enum Delivery {
    /// There is nothing to tell, or only that the observer has been passed.
    case nothing
    case initial(Tracker)
    case changes(Tracker)
    case version
  }

  /// What is to be delivered at a version that the observer has reached; it counts as delivered.
  package mutating func takeDelivery(at pin: Pin) -> Delivery {
    missedComputations = 0
    guard let tracker else {
      if delivered == pin.version { return .nothing }
      delivered = pin.version
      return .version
    }
    let isInitial = awaitsInitial
    if !isInitial && !tracker.hasPendingChanges { return .nothing }
    awaitsInitial = false
    if fault != .deliversStaleComputations { revision += 1 }
    if fault != .keepsDeliveredChanges { self.tracker!.discardPendingChanges() }
    return isInitial ? .initial(tracker) : .changes(tracker)
  }

  // MARK: Computing

  /// One observer's part of a computation.
  package struct Part: Sendable {
    package private(set) var tracker: Tracker
    fileprivate let origin: Pin?
    fileprivate let suppressedThrough: Pin?
    fileprivate let revision: Int
  }

  /// A copy to be advanced, anywhere; nil if there is nothing to advance.
  package var part: Part? {
    tracker.map { tracker in
      Part(
        tracker: tracker, origin: position,
        suppressedThrough: fault == .forgetsSuppression ? nil : suppressedThrough,
        revision: revision)
    }
  }

  /// Takes over a part that was advanced, unless the observer has changed since.
  package mutating func apply(_ part: Part, at pin: Pin) {
    if part.revision != revision { return }
    tracker = part.tracker
    position = pin
    suppressedThrough = nil
    revision += 1
  }

  /// A computation has come back, and the realm is at another version than it was made for.
  package mutating func didMissComputation() { missedComputations += 1 }
}

extension ObservationState.Part {
  /// Brings the tracker to the target. What was suppressed on the way is dropped.
  package mutating func run<Failure: Error>(
    to target: Pin, start: (inout Tracker, Pin) throws(Failure) -> Void,
    advance: (inout Tracker, Pin, Pin) throws(Failure) -> Void
  ) throws(Failure) {
    guard let origin else { return try start(&tracker, target) }
    var position = origin
    if let suppressedThrough {
      try advance(&tracker, position, suppressedThrough)
      tracker.discardPendingChanges()
      position = suppressedThrough
    }
    try advance(&tracker, position, target)
  }
}

/// Mistakes that the tests' enumeration has to find.
package enum NotificationFault: CaseIterable {
  /// What was delivered while a computation ran is delivered again with what it found.
  case deliversStaleComputations
  /// A silent write swallows what was pending, or what was not delivered comes late.
  case ignoresPendingChanges
  case forgetsSuppression
  case keepsDeliveredChanges
  case deliversInTransactions
  case deliversInInvalidatedRealms
  case forgetsThatHandlersMoveTheRealm
  case deliversAfterCancelling
  case staysComputing
}
