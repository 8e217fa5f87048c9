import Platform
import SyncProtocol

/// By how much the clock of a file goes ahead where a process first writes the file, and whenever
/// the file has gone back since, see `HybridClock.jump`; however often the file is opened.
final class ClockJump: Sendable {
  private struct State {
    /// The last jump; what numbers are ahead of the clock by, too.
    var length: UInt64
    /// The clock as a transaction had it, which then was committed or not.
    var reached: UInt64?
  }

  /// The files that this process has had open.
  private static let known = LockedValue<[String: ClockJump]>([:])

  private let draw: @Sendable () -> UInt64
  private let state: LockedValue<State>

  /// - Parameter draw: how far to jump; random but in tests.
  init(_ draw: @escaping @Sendable () -> UInt64) {
    self.draw = draw
    state = LockedValue(State(length: draw()))
  }

  /// The one of a path.
  static func of(_ path: String) -> ClockJump {
    known.withLock { known in
      if let jump = known[path] { return jump }
      let jump = ClockJump { .random(in: 1...HybridClock.jumpMax) }
      known[path] = jump
      return jump
    }
  }

  var length: UInt64 { state.withLock { $0.length } }

  /// The clock with which a transaction writes, by what the file has. That is behind what the
  /// process has reached if the last transaction was cancelled, the clock was put right, or the
  /// file has gone back: then it jumps anew from there, so cancelled transactions do not add up.
  func clock(latest: UInt64) -> HybridClock {
    state.withLock { state in
      var clock = HybridClock(latest: latest)
      if latest < state.reached ?? .max {
        if state.reached != nil { state.length = draw() }
        clock.jump(by: state.length)
      }
      state.reached = clock.latest
      return clock
    }
  }
}
