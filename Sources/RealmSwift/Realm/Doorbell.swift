import Platform
import Synchronization

/// What is rung, from any thread, when a realm instance should look whether there is something new.
///
/// It does not keep the instance, nor does whoever rings: a realm is closed when its own thread lets
/// go of it, and not when the news of a commit have been passed on.
final class Doorbell: Sendable {
  let owner = Whereabouts<_RealmInstance>()
  private let scheduler: any Scheduler
  private let isRung = Atomic<Bool>(false)
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
  func ring() {
    guard scheduler.canInvoke else { return }
    if isRung.exchange(true, ordering: .acquiringAndReleasing) { return }
    scheduler.invoke { [self] in answer() }
  }

  private func answer() {
    // An exchange, so that whoever found a turn scheduled has committed before what follows looks.
    _ = isRung.exchange(false, ordering: .acquiringAndReleasing)
    owner.object?.turn()
  }
}

/// The doorbells of a file's instances in this process.
final class Doorbells: Sendable {
  private let all = Guarded<[Doorbell]>([])

  func add(_ doorbell: Doorbell) {
    all.withLock { all in
      all.removeAll { $0.isOver }
      all.append(doorbell)
    }
  }

  /// The instances that live where the caller is.
  func here() -> [_RealmInstance] {
    all.withLock { $0 }.filter(\.isHere).compactMap(\.owner.object)
  }

  func ring(except author: Doorbell? = nil) {
    for doorbell in all.withLock({ $0 }) where doorbell !== author { doorbell.ring() }
  }
}
