import Dispatch
import Synchronization

/// Looks at a file on a queue, one look at a time: however many commits there are until it has
/// begun, one look sees them all.
final class FileLooks: Sendable {
  private let queue: DispatchQueue
  private let pause: DispatchTimeInterval?
  private let isOnItsWay = Atomic<Bool>(false)
  private let look: @Sendable () -> Void

  /// - Parameter pause: from the first call of `ask` to the look: nobody waits for what it finds.
  init(
    on queue: DispatchQueue, pause: DispatchTimeInterval? = nil,
    _ look: @escaping @Sendable () -> Void
  ) {
    self.queue = queue
    self.pause = pause
    self.look = look
  }

  /// Sees to it that a look begins after this.
  func ask() {
    if isOnItsWay.exchange(true, ordering: .acquiringAndReleasing) { return }
    guard let pause else { return queue.async { self.begin() } }
    queue.asyncAfter(deadline: .now() + pause) { self.begin() }
  }

  private func begin() {
    // An exchange, so that the look sees what those have committed who found it on its way.
    _ = isOnItsWay.exchange(false, ordering: .acquiringAndReleasing)
    look()
  }
}
