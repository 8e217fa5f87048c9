import Platform
import SyncProtocol

/// By how much the clock of a file goes ahead where a process first writes the file, see
/// `HybridClock.jump`: once for each time that the file has gone back, however often it is opened.
final class ClockJump: Sendable {
  private struct State {
    /// Where the clock was, and where it jumps to.
    var range: Range<UInt64>?
    var newest: UInt64 = 0
  }

  /// The files that this process has had open.
  private static let known = LockedValue<[String: ClockJump]>([:])

  let length: UInt64
  private let state = LockedValue(State())

  init(length: UInt64) { self.length = length }

  /// The one of a path.
  static func of(_ path: String) -> ClockJump {
    known.withLock { known in
      if let jump = known[path] { return jump }
      let jump = ClockJump(length: .random(in: 1...HybridClock.jumpMax))
      known[path] = jump
      return jump
    }
  }

  /// The clock with which a transaction writes, by what the file has.
  func clock(latest: UInt64) -> HybridClock {
    state.withLock { state in
      if let range = state.range, latest >= state.newest {
        state.newest = latest
        // Until a transaction has been committed that jumped.
        return HybridClock(latest: range.contains(latest) ? range.upperBound : latest)
      }
      var clock = HybridClock(latest: latest)
      clock.jump(by: length)
      state.range = latest..<clock.latest
      state.newest = latest
      return clock
    }
  }
}
