import Platform
import Synchronization

/// How long compaction has kept the writer role, for measurements. Any thread may read it.
package final class CompactionStatistics: Sendable {
  private let steps = Atomic<UInt64>(0)
  private let total = Atomic<UInt64>(0)
  private let longest = Atomic<UInt64>(0)

  /// How often compaction has held the writer role.
  package var holdCount: UInt64 { steps.load(ordering: .relaxed) }
  package var totalHoldNanoseconds: UInt64 { total.load(ordering: .relaxed) }
  package var longestHoldNanoseconds: UInt64 { longest.load(ordering: .relaxed) }

  /// Called when compaction gives the writer role up that it got at `start`, by `MonotonicClock`.
  func endHold(since start: UInt64) {
    let held = MonotonicClock.now() &- start
    steps.wrappingAdd(1, ordering: .relaxed)
    total.wrappingAdd(held, ordering: .relaxed)
    longest.max(held, ordering: .relaxed)
  }
}
