import Platform
import Synchronization
import TestSupport

@testable import Coordination

/// The real machine, on which time passes only when a test says so: reservations and looks at the
/// clock do not fall due while another process waits for a processor. Whoever is about to sleep
/// counts as asleep: a waiter that looks at the word just then keeps its turn too.
final class StandingClock: ForwardingSystem {
  let real: any System = PosixSystem.shared
  private let instant = Atomic<UInt64>(PosixSystem.shared.now())

  func advance(milliseconds: UInt64) {
    instant.add(milliseconds * 1_000_000, ordering: .sequentiallyConsistent)
  }

  func now() -> UInt64 { instant.load(ordering: .sequentiallyConsistent) }
  func coarseNow() -> UInt64 { now() }

  /// How long threads of this process meant to sleep at the most, each time that they slept on a
  /// free writer word which is reserved for others; nanoseconds.
  let reservedSleeps = Journal<UInt64>()

  func wait(
    on word: UnsafeMutableRawPointer, while expected: UInt32, timeout: UInt64?
  ) -> Bool {
    let state = WriterWord(bits: expected)
    if state.isFree, state.hasWaiters { reservedSleeps.add(timeout ?? .max) }
    return unsafe real.wait(on: word, while: expected, timeout: timeout)
  }

  func wake(_ word: UnsafeMutableRawPointer, count: Int32) -> Int {
    unsafe max(real.wake(word, count: count), 1)
  }
}
