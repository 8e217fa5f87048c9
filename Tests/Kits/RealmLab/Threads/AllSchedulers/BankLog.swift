import Dispatch
import Platform

/// What was found and how often each thing was done.
final class BankLog: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var findings: [String] = []
  }

  private let state = LockedValue(State())
  private let errands = DispatchGroup()
  let end: UInt64

  init(seconds: Int) { end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000 }

  var isOver: Bool { MonotonicClock.now() >= end }
  var findings: [String] { state.withLock { $0.findings } }
  var counts: [String: Int] { state.withLock { $0.counts } }

  func count(_ what: String) { state.withLock { $0.counts[what, default: 0] += 1 } }
  func find(_ finding: String) { state.withLock { $0.findings.append(finding) } }

  func beginErrand() { errands.enter() }
  func endErrand() { errands.leave() }
  /// Waits until everything that was begun has ended.
  func waitForErrands() { errands.wait() }
}
