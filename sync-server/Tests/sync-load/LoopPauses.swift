import Foundation
import RealmSwift
import Synchronization

/// How late a loop comes to what it does every millisecond.
struct LoopPauses {
  private struct Pause {
    let due: ContinuousClock.Instant
    let called: ContinuousClock.Instant

    /// In milliseconds, what is left of it outside of `others`.
    func length(without others: [Pause]) -> Double {
      let shared = others.reduce(Duration.zero) { sum, other in
        sum + max(.zero, min(called, other.called) - max(due, other.due))
      }
      return (called - due - shared) / .milliseconds(1)
    }
  }

  private static let interval = Duration.milliseconds(1)

  /// Those that were longer than a millisecond.
  private var pauses: [Pause] = []
  private var last = ContinuousClock.now

  mutating func turn() {
    let now = ContinuousClock.now
    if now - last > Self.interval * 2 {
      pauses.append(Pause(due: last + Self.interval, called: now))
    }
    last = now
  }

  /// How many were longer than 5 ms.
  var late: Int { pauses.count { $0.length(without: []) > 5 } }

  /// In milliseconds. While a loop that does nothing pauses at the same time, the machine has no
  /// processor for either, and that part of a pause does not count.
  func longest(without other: LoopPauses? = nil) -> Double {
    pauses.lazy.map { $0.length(without: other?.pauses ?? []) }.max() ?? 0
  }
}

/// A loop without a realm, for what the machine's other programs do to every loop.
final class IdleLoop: Sendable {
  private let loop = Mutex<UVLoop?>(nil)
  private let ended: AsyncStream<LoopPauses>

  init() {
    let (ended, end) = AsyncStream<LoopPauses>.makeStream()
    self.ended = ended
    Thread.detachNewThread { [self] in
      let loop = UVLoop()
      self.loop.withLock { $0 = loop }
      var pauses = LoopPauses()
      loop.schedule(after: .milliseconds(1), every: .milliseconds(1)) { pauses.turn() }
      loop.run()
      end.yield(pauses)
    }
  }

  func end() async -> LoopPauses {
    let loop = loop.withLock { $0 }
    loop?.execute { loop?.stop() }
    for await pauses in ended { return pauses }
    return LoopPauses()
  }
}
