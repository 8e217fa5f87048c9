import ObjectStore
import Storage

/// Who is called with changes.
package protocol NotificationObserver: AnyObject, Sendable {
  associatedtype Tracker: PendingChanges
  associatedtype Pin: VersionPin

  var state: ObservationState<Tracker, Pin> { get set }
  var isCancelled: Bool { get }
  func cancel()
  /// Calls the handler if there is something to tell.
  func deliver(_ delivery: ObservationState<Tracker, Pin>.Delivery, at pin: Pin)
  /// There is a newer version that the realm does not move to by itself.
  func announceRefreshRequired()
}

/// What the delivery of notifications needs of the realm that it belongs to.
package protocol NotificationHost: AnyObject {
  associatedtype Observer: NotificationObserver

  /// The version that is read, nil while the realm is invalidated.
  var pin: Observer.Pin? { get }
  var isWriting: Bool { get }
  var autorefresh: Bool { get }
  /// Whether there still is a place where handlers are called.
  var exists: Bool { get }
  var newestVersion: Version { get }

  func pinNewestIfRoom() -> Observer.Pin?
  func move(to pin: Observer.Pin)
  /// Calls `turn()` later.
  func scheduleTurn()

  /// Whether advancing the observer to the version is more work than a turn should do.
  func needsBackgroundDiff(_ observer: Observer, to pin: Observer.Pin) -> Bool
  func run(_ computation: inout ChangeComputation<Observer>)
  /// Runs the computation on another thread and calls `finished(_:)` later.
  func runElsewhere(_ computation: ChangeComputation<Observer>)
}

/// Delivers what happened to a realm's observers, in the order in which they came. Used where the
/// realm lives.
///
/// An observer's tracker is at a version, which it keeps pinned, and is advanced to newer ones:
/// what that takes goes by the sizes of things, so a worker does it, but for what is little. The
/// realm moves to the version that the trackers have reached, and what they found is delivered.
/// Where it comes from, a commit elsewhere or here, makes no difference; any number of commits make
/// one change set, and nothing is delivered twice. `refresh()` does not wait for a worker: it does
/// the work itself, and what the worker finds is not used.
package final class NotificationDriver<Host: NotificationHost> {
  package typealias Observer = Host.Observer
  package typealias Pin = Observer.Pin

  private struct Entry {
    weak var observer: Observer?
  }

  /// Owns this.
  private unowned let host: Host
  private var entries: [Entry] = []
  package private(set) var isDelivering = false
  /// Whether a worker computes; it comes back with a turn.
  private var isComputing = false
  /// Whether there may be observers that await their initial delivery.
  private var hasNewObservers = false
  /// Whether there may be observers that are only interested in the version.
  private var hasVersionObservers = false
  package var fault: NotificationFault?

  package init(_ host: Host) { self.host = host }

  package var hasObservers: Bool { entries.contains { $0.observer?.isCancelled == false } }

  /// Starts observing; the first delivery comes in a later turn.
  package func add(_ observer: Observer) {
    entries.removeAll { $0.observer == nil }
    observer.state.fault = fault
    entries.append(Entry(observer: observer))
    if observer.state.awaitsInitial { hasNewObservers = true }
    if observer.state.tracker == nil { hasVersionObservers = true }
    host.scheduleTurn()
  }

  /// The observers that a write has to be preceded by the initial delivery of, so that they hear of
  /// the write as a change. Each is given once; handlers that write do not wait for the others.
  package func takeNewObservers() -> [Observer] {
    if !hasNewObservers || isDelivering { return [] }
    hasNewObservers = false
    return active.filter(\.state.awaitsInitial)
  }

  /// What it takes to give new observers their initial state, if that should not be done here.
  package func initialComputation() -> ChangeComputation<Observer>? {
    guard hasNewObservers, let pin = host.pin else { return nil }
    let distant = active.filter { observer in
      observer.state.awaitsInitial && host.needsBackgroundDiff(observer, to: pin)
    }
    return distant.isEmpty ? nil : ChangeComputation(distant, to: pin)
  }

  private var observers: [Observer] {
    entries.compactMap(\.observer).filter { !$0.isCancelled }
  }

  /// Those that something can be delivered to.
  private var active: [Observer] { observers.filter { !$0.state.isPaused } }

  /// Ends all observations: there is no place to deliver anything.
  package func end() {
    for observer in observers { observer.cancel() }
    entries = []
  }

  // MARK: Turns

  /// At the start of a loop turn after a commit: the realm moves to the newest version and
  /// observers are called, at once or when a worker has computed their changes. Where there is no
  /// room to pin that version, on a full disk for instance, the realm stays until a later turn.
  package func turn() {
    if !host.exists { return end() }
    guard !host.isWriting, let pin = host.pin else { return }
    let isNewer = host.newestVersion > pin.version
    if isNewer && !host.autorefresh {
      for observer in observers { observer.announceRefreshRequired() }
    }
    if isComputing { return }
    let target = isNewer && host.autorefresh ? host.pinNewestIfRoom() ?? pin : pin
    if let computation = backgroundComputation(to: target) {
      isComputing = true
      return host.runElsewhere(computation)
    }
    if target.version != pin.version { host.move(to: target) }
    deliver(mayWait: true)
  }

  private func backgroundComputation(to target: Pin) -> ChangeComputation<Observer>? {
    let distant = active.filter { host.needsBackgroundDiff($0, to: target) }
    return distant.isEmpty ? nil : ChangeComputation(distant, to: target)
  }

  /// A worker is done; nil if nothing waits for its result any more.
  package func finished(_ computation: ChangeComputation<Observer>?) {
    isComputing = fault == .staysComputing
    if !host.exists { return end() }
    defer { host.scheduleTurn() }
    guard let computation, let pin = pin(orElse: computation.target) else { return }
    if computation.target.version > pin.version && !host.autorefresh { return }
    apply(computation)
  }

  /// Moves to the version that was computed, unless the realm is past it, and delivers.
  package func apply(_ computation: ChangeComputation<Observer>) {
    guard let pin = pin(orElse: computation.target) else { return }
    if computation.target.version > pin.version {
      // Where a write transaction is open, the realm was at the newest version when it began.
      if host.isWriting && fault != .deliversInTransactions { return }
      host.move(to: computation.target)
    }
    computation.apply()
    if let pin = host.pin {
      for part in computation.parts where part.observer?.state.isBehind(pin) == true {
        part.observer?.state.didMissComputation()
      }
    }
    deliver(mayWait: true)
  }

  /// What a refresh has to compute that should not be done here; nil if there is nothing of it.
  package func computationToNewest() -> ChangeComputation<Observer>? {
    guard let pin = host.pin, !host.isWriting, !isDelivering, host.newestVersion > pin.version,
      let target = host.pinNewestIfRoom()
    else { return nil }
    return backgroundComputation(to: target)
  }

  // MARK: Delivering

  /// Calls every observer that has not been called with what the realm is at.
  ///
  /// - Parameter mayWait: whether those that need a background diff can wait for it.
  package func deliver(mayWait: Bool) {
    if mayWait, let pin = host.pin,
      active.contains(where: { host.needsBackgroundDiff($0, to: pin) })
    {
      // All are called in one turn, in the order in which they came.
      return host.scheduleTurn()
    }
    if isDelivering { return }
    let observers = active
    if observers.isEmpty { return }
    isDelivering = true
    let version = host.pin?.version
    defer {
      isDelivering = false
      if host.pin?.version != version && fault != .forgetsThatHandlersMoveTheRealm {
        host.scheduleTurn()
      }
    }
    if !mayWait, let pin = host.pin {
      advance(observers.filter { $0.state.isBehind(pin) }, to: pin)
    }
    for observer in observers where canDeliver(to: observer) && !observer.state.isPaused {
      // A handler may have committed, refreshed or invalidated meanwhile.
      guard isAllowedToDeliver, let pin = pin(orElse: observer.state.position) else { return }
      if host.needsBackgroundDiff(observer, to: pin) { return host.scheduleTurn() }
      deliver(to: observer, at: pin)
    }
  }

  /// The version that is read. An invalidated realm has none, and nothing is delivered there.
  private func pin(orElse last: Pin?) -> Pin? {
    host.pin ?? (fault == .deliversInInvalidatedRealms ? last : nil)
  }

  private var isAllowedToDeliver: Bool { !host.isWriting || fault == .deliversInTransactions }

  private func canDeliver(to observer: Observer) -> Bool {
    !observer.isCancelled || fault == .deliversAfterCancelling
  }

  private func deliver(to observer: Observer, at pin: Pin) {
    if observer.state.isBehind(pin) { advance([observer], to: pin) }
    // It may have been invalidated on another thread meanwhile.
    if !canDeliver(to: observer) { return }
    observer.deliver(observer.state.takeDelivery(at: pin), at: pin)
  }

  private func advance(_ observers: [Observer], to target: Pin) {
    if observers.isEmpty { return }
    var computation = ChangeComputation(observers, to: target)
    host.run(&computation)
    computation.apply()
  }

  /// After a commit of the realm itself: calls those that observe only the version, before the
  /// commit returns.
  package func deliverVersion() {
    if !hasVersionObservers { return }
    let observers = active.filter { $0.state.tracker == nil }
    hasVersionObservers = !observers.isEmpty
    for observer in observers where !observer.isCancelled {
      // A handler may have written or invalidated meanwhile.
      guard !host.isWriting, let pin = host.pin else { return }
      deliver(to: observer, at: pin)
    }
  }

  // MARK: Suppressed writes

  /// Whether everything is to be delivered before a write that some observers are not to hear of;
  /// within a delivery only those observers are called.
  package func needsDeliveryBeforeSuppression() -> Bool { !isDelivering && hasObservers }

  /// Which of the observers have not been called with all that led to the version.
  package func uninformed(_ observers: [Observer], of version: Version) -> [Observer] {
    observers.filter { observer in
      !observer.isCancelled && !observer.state.isPaused && !observer.state.hasDelivered(version)
    }
  }

  package func inform(_ observers: [Observer]) {
    for observer in observers where !observer.isCancelled {
      // A handler may have written or invalidated meanwhile.
      guard !host.isWriting, let pin = host.pin else { return }
      deliver(to: observer, at: pin)
    }
  }
}
