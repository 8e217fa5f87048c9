import Platform
import Synchronization

/// Signalled, from any thread, when a realm instance should look whether there is a new version.
///
/// It does not keep the instance, nor does who signals: a realm is closed when its own thread
/// releases it, not when a commit has been announced.
final class RefreshTrigger: Sendable {
  let owner = WeakHandle<_RealmInstance>()
  private let scheduler: any Scheduler
  private let isSignaled = Atomic<Bool>(false)
  private let isOrphaned = Atomic<Bool>(false)

  init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  /// Whether the instance is gone.
  var isOver: Bool { isOrphaned.load(ordering: .acquiring) }

  /// Called first in the instance's `deinit`.
  func remove() {
    owner.forget()
    isOrphaned.store(true, ordering: .releasing)
  }

  /// Whether the instance lives where the caller is.
  var isHere: Bool {
    // A new actor may be where one was that is gone, whose realm somebody still holds.
    scheduler.exists && scheduler.isCurrent
  }

  /// Lets the scheduler run a turn, unless one is already on its way.
  func signal() {
    guard scheduler.canInvoke else { return }
    if isSignaled.exchange(true, ordering: .acquiringAndReleasing) { return }
    scheduler.invoke { [self] in answer() }
  }

  private func answer() {
    // An exchange, so that whoever found a turn scheduled has committed before what follows looks.
    _ = isSignaled.exchange(false, ordering: .acquiringAndReleasing)
    owner.object?.turn()
  }
}

/// The refresh triggers of a file's instances in this process.
final class RefreshTriggers: Sendable {
  private let all = LockedValue<[RefreshTrigger]>([])

  func add(_ refreshTrigger: RefreshTrigger) {
    all.withLock { all in
      all.removeAll { $0.isOver }
      all.append(refreshTrigger)
    }
  }

  /// The instances that live where the caller is.
  func here() -> [_RealmInstance] {
    all.withLock { $0 }.filter(\.isHere).compactMap(\.owner.object)
  }

  func signal(except author: RefreshTrigger? = nil) {
    for refreshTrigger in all.withLock({ $0 }) where refreshTrigger !== author {
      refreshTrigger.signal()
    }
  }
}
