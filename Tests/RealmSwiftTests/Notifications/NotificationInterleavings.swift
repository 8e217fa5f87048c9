import ObjectStore
import RealmSwift
import Storage

struct ModelPin: VersionPin { let version: Version }

/// The versions whose changes are pending.
struct ModelTracker: PendingChanges {
  var changes: [Version] = []
  var hasPendingChanges: Bool { !changes.isEmpty }
  mutating func discardPendingChanges() { changes = [] }
}

/// A realm in name only, for the driver of notifications: versions are numbers, every commit is a
/// change of its own, and every rule is checked where it could be broken.
final class ModelNotificationHost: NotificationHost {
  enum Event: CaseIterable {
    case commitElsewhere, ownWrite, silentWrite, silentCommit
    case turn, runWorker, refresh, asyncRefresh, asyncRefreshEnds
    case addObserver, cancelObserver
    case handlerWrites, handlerWritesSilently, handlerRefreshes, handlerCancels
    case open, close, invalidate, read, toggleAutorefresh, toggleDistance
  }

  enum HandlerAction { case write, writeSilently, refresh, cancel }

  typealias Pin = ModelPin

  final class Observer: NotificationObserver, @unchecked Sendable {
    // Sendable: everything here runs on the test's thread.

    typealias Tracker = ModelTracker
    typealias Pin = ModelPin

    var state = ObservationState<ModelTracker, ModelPin>(ModelTracker())
    var isCancelled = false
    var handler: (ObservationState<ModelTracker, ModelPin>.Delivery, Pin) -> Void = { _, _ in }
    /// What was told, and up to where.
    var begin: Version?
    var told: [Version] = []
    var suppressed: Set<Version> = []
    /// Those of the suppressed that were begun as such.
    var silent: Set<Version> = []

    func cancel() { isCancelled = true }
    func announceRefreshRequired() {}

    func deliver(_ delivery: ObservationState<ModelTracker, ModelPin>.Delivery, at pin: Pin) {
      handler(delivery, pin)
    }
  }

  typealias Computation = ChangeComputation<Observer>

  private(set) lazy var driver = NotificationDriver(self)
  private(set) var mistakes: [String] = []
  private(set) var pin: Pin? = Pin(version: 1)
  private(set) var newestVersion = Version(1)
  private(set) var isWriting = false
  private(set) var autorefresh = true
  let exists = true

  private var observers: [Observer] = []
  private var isTurnScheduled = false
  /// Whether what is to be computed is left to the worker.
  private var isDistant = false
  private var atWorker: [Computation] = []
  private var awaited: [Computation] = []
  private var handlerAction: HandlerAction?

  init(_ fault: NotificationFault?) {
    driver.fault = fault
    add()
    add()
  }

  // MARK: What happens

  /// Returns false if the event cannot happen now.
  func happen(_ event: Event) -> Bool {
    switch event {
    case .commitElsewhere:
      if isWriting { return false }
      newestVersion = newestVersion.next
    case .ownWrite:
      if isWriting { return false }
      begin()
      commit([])
    case .silentWrite:
      if isWriting { return false }
      writeSilently()
    case .silentCommit:
      if isWriting { return false }
      begin()
      commit(observers.suffix(1))
    case .turn:
      if !isTurnScheduled && pin?.version == newestVersion { return false }
      isTurnScheduled = false
      driver.turn()
    case .runWorker:
      if atWorker.isEmpty { return false }
      var computation = atWorker.removeFirst()
      run(&computation)
      driver.finished(computation)
    case .asyncRefresh:
      guard awaited.count < 2, let computation = driver.computationToNewest() else { return false }
      awaited.append(computation)
    case .asyncRefreshEnds:
      if awaited.isEmpty { return false }
      var computation = awaited.removeFirst()
      run(&computation)
      driver.apply(computation)
    case .addObserver:
      if observers.count > 2 || isWriting { return false }
      add()
    case .cancelObserver:
      guard let observer = observers.first, !observer.isCancelled else { return false }
      observer.cancel()
    case .handlerWrites: return set(.write)
    case .handlerWritesSilently: return set(.writeSilently)
    case .handlerRefreshes: return set(.refresh)
    case .handlerCancels: return set(.cancel)
    case .refresh:
      if isWriting || pin == nil { return false }
      refresh()
    default: return happenToRealm(event)
    }
    return true
  }

  private func happenToRealm(_ event: Event) -> Bool {
    switch event {
    case .open:
      if isWriting { return false }
      begin()
    case .close:
      if !isWriting { return false }
      isWriting = false
      scheduleTurn()
    case .invalidate:
      if isWriting || pin == nil { return false }
      pin = nil
    case .read:
      if pin != nil { return false }
      read()
    case .toggleAutorefresh: autorefresh.toggle()
    case .toggleDistance: isDistant.toggle()
    default: return false
    }
    return true
  }

  /// Lets everything come to its end, and checks that everything was told.
  func finish() {
    if isWriting { _ = happen(.close) }
    if pin == nil { read() }
    autorefresh = true
    handlerAction = nil
    var rounds = 0
    while happen(.runWorker) || happen(.asyncRefreshEnds) || happen(.turn) {
      rounds += 1
      if rounds > 200 { return mistakes.append("it does not come to rest") }
    }
    for (index, observer) in observers.enumerated() where !observer.isCancelled {
      guard let begin = observer.begin else {
        mistakes.append("\(index) was never told how things are")
        continue
      }
      let missing = Set(Self.versions(after: begin, upTo: newestVersion))
        .subtracting(observer.told).subtracting(observer.suppressed)
      if begin < newestVersion && !missing.isEmpty {
        mistakes.append("\(index) was not told \(missing.sorted())")
      }
    }
  }

  // MARK: Observers

  private func add() {
    let index = observers.count
    let observer = Observer()
    observer.handler = { [unowned self, unowned observer] delivery, pin in
      told(observer, index, delivery, pin)
    }
    observers.append(observer)
    if pin == nil { read() }
    driver.add(observer)
  }

  private func told(
    _ observer: Observer, _ index: Int,
    _ delivery: ObservationState<ModelTracker, ModelPin>.Delivery,
    _ at: Pin
  ) {
    if observer.isCancelled { mistakes.append("\(index) is told though it was cancelled") }
    if isWriting { mistakes.append("\(index) is told in a transaction") }
    if pin?.version != at.version { mistakes.append("\(index) is told of another version") }
    switch delivery {
    case .nothing, .version: return
    case .initial:
      if observer.begin != nil { mistakes.append("\(index) begins twice") }
      observer.begin = at.version
    case .changes(let tracker):
      guard let begin = observer.begin else {
        return mistakes.append("\(index) is told changes before its start")
      }
      for change in tracker.changes {
        if change <= max(begin, observer.told.last ?? 0) {
          mistakes.append("\(index) is told \(change) again or late")
        }
        if observer.silent.contains(change) {
          mistakes.append("\(index) is told the silent write \(change)")
        }
        observer.told.append(change)
      }
    }
    if index == 0 { handle() }
  }

  private func set(_ action: HandlerAction) -> Bool {
    if handlerAction != nil { return false }
    handlerAction = action
    return true
  }

  private func handle() {
    guard let action = handlerAction else { return }
    handlerAction = nil
    switch action {
    case .write:
      begin()
      commit([])
    case .writeSilently: writeSilently()
    case .refresh: refresh()
    case .cancel: observers[1].cancel()
    }
  }

  private static func versions(after first: Version, upTo last: Version) -> [Version] {
    var versions: [Version] = []
    var version = first
    while version < last {
      version = version.next
      versions.append(version)
    }
    return versions
  }

  // MARK: The realm

  private func begin() {
    if pin?.version != newestVersion { pin = Pin(version: newestVersion) }
    isWriting = true
  }

  private func commit(_ silenced: [Observer]) {
    let before = Pin(version: newestVersion)
    newestVersion = newestVersion.next
    let after = Pin(version: newestVersion)
    isWriting = false
    pin = after
    for observer in silenced {
      observer.suppressed.insert(newestVersion)
      observer.state.suppress(from: before, to: after)
    }
    scheduleTurn()
  }

  /// As `write(withoutNotifying:)` does it, for the last observer.
  private func writeSilently() {
    let silenced = Array(observers.suffix(1))
    if driver.needsDeliveryBeforeSuppression(), pin != nil {
      if pin!.version < newestVersion { refresh() } else { driver.deliver(mayWait: false) }
    }
    for _ in 0..<8 {
      if isWriting { return }
      if pin?.version != newestVersion { pin = Pin(version: newestVersion) }
      let uninformed = driver.uninformed(silenced, of: newestVersion)
      if uninformed.isEmpty {
        for observer in silenced { observer.silent.insert(newestVersion.next) }
        break
      }
      driver.inform(uninformed)
    }
    begin()
    let last = newestVersion
    let told = silenced.map(\.told)
    commit(silenced)
    expectsSilence(of: silenced, told, last)
  }

  private func expectsSilence(of observers: [Observer], _ told: [[Version]], _ last: Version) {
    for (observer, before) in zip(observers, told) where !observer.isCancelled {
      guard let begin = observer.begin else { continue }
      let missing = Set(Self.versions(after: begin, upTo: last))
        .subtracting(before).subtracting(observer.suppressed)
      if begin < last && !missing.isEmpty && !observer.state.isPaused {
        mistakes.append("told too late, not before the silent write: \(missing.sorted())")
      }
    }
  }

  private func refresh() {
    if isWriting || pin == nil || pin!.version == newestVersion { return }
    pin = Pin(version: newestVersion)
    driver.deliver(mayWait: false)
  }

  private func read() {
    pin = Pin(version: newestVersion)
    scheduleTurn()
  }

  // MARK: What the driver asks for

  func pinNewestIfRoom() -> Pin? { Pin(version: newestVersion) }
  func move(to pin: Pin) {
    if isWriting { mistakes.append("the realm moves in a transaction") }
    if pin.version < self.pin?.version ?? 0 { mistakes.append("the realm moves back") }
    self.pin = pin
  }
  func scheduleTurn() { isTurnScheduled = true }

  func needsBackgroundDiff(_ observer: Observer, to pin: Pin) -> Bool {
    guard observer.state.isBehind(pin), observer.state.missedComputations < 8 else { return false }
    return isDistant && (observer.state.position == nil || observer.state.missedComputations == 0)
  }

  func run(_ computation: inout Computation) {
    let target = computation.target
    for index in computation.parts.indices {
      computation.parts[index].content.run(to: target) { _, _ in
      } advance: { tracker, old, new in
        if old.version < new.version {
          tracker.changes += Self.versions(after: old.version, upTo: new.version)
        }
        if old.version > new.version { mistakes.append("a tracker goes back") }
      }
    }
  }

  func runElsewhere(_ computation: Computation) { atWorker.append(computation) }
}
