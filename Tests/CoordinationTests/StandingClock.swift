import Platform
import Synchronization
import TestSupport

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

  func wake(_ word: UnsafeMutableRawPointer, count: Int32) -> Int {
    max(real.wake(word, count: count), 1)
  }
}
