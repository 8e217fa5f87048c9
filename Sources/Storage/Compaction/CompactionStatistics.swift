import Platform
import Synchronization

/// How long compaction has kept the writer role, for measurements. Any thread may read it.
package final class CompactionStatistics: Sendable {
  private let steps = Atomic<UInt64>(0)
  private let total = Atomic<UInt64>(0)
  private let longest = Atomic<UInt64>(0)
  private let longestBusy = Atomic<UInt64>(0)

  /// How often compaction has held the writer role.
  package var holdCount: UInt64 { steps.load(ordering: .relaxed) }
  package var totalHoldNanoseconds: UInt64 { total.load(ordering: .relaxed) }
  package var longestHoldNanoseconds: UInt64 { longest.load(ordering: .relaxed) }

  /// The most processor time that compaction has taken while it held the writer role once; less
  /// than the longest hold where it waited for the disk or for a processor.
  package var longestHoldBusyNanoseconds: UInt64 { longestBusy.load(ordering: .relaxed) }

  /// When compaction got the writer role.
  struct Hold {
    fileprivate let start = MonotonicClock.now()
    fileprivate let busyStart = MonotonicClock.ofThread()
  }

  /// Called when compaction gives the writer role up, on the thread that got it.
  func end(_ hold: Hold) {
    let held = MonotonicClock.now() &- hold.start
    longestBusy.max(MonotonicClock.ofThread() &- hold.busyStart, ordering: .relaxed)
    steps.wrappingAdd(1, ordering: .relaxed)
    total.wrappingAdd(held, ordering: .relaxed)
    longest.max(held, ordering: .relaxed)
  }
}
