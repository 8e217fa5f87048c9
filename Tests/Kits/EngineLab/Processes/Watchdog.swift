import Platform
import Synchronization

/// Ends the program with a message if a stretch of work does not end in time: a hang is a failure,
/// not a wait for ever.
public final class Watchdog: Sendable {
  private let isOver = Atomic<Bool>(false)

  public init(seconds: Int, _ what: String) {
    let deadline = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    do {
      try BackgroundThread.start(name: "watchdog") { [weak self] in
        while MonotonicClock.now() < deadline {
          BackgroundThread.pause(nanoseconds: 100_000_000)
          guard let self, !self.isOver.load(ordering: .relaxed) else { return }
        }
        fatalError("\(what) has not ended after \(seconds) s")
      }
    } catch {
      fatalError("no watchdog: \(error)")
    }
  }

  deinit { isOver.store(true, ordering: .relaxed) }
}

/// Calls `body` and ends the program if that takes longer than `seconds`.
public func within<R>(_ seconds: Int, _ what: String, _ body: () throws -> R) rethrows -> R {
  let watchdog = Watchdog(seconds: seconds, what)
  return try withExtendedLifetime(watchdog) { try body() }
}
