import Dispatch

/// Keeps the queues of many files from taking a thread each when all have something to do at once:
/// some jobs are begun, the others wait until one of those has ended.
///
/// Jobs may wait for each other, or for something that other jobs have to do first. So when none has
/// ended for a while, more are begun.
final class JobLimit: Sendable {
  typealias Start = @Sendable (JobLimit) -> Void

  private struct State {
    var active = 0
    /// From `first` on; what lies before it has been begun.
    var waiting: [Start] = []
    var first = 0
    /// How many have ended, and how many had when that was looked at last.
    var ended: UInt64 = 0
    var endedAtLook: UInt64 = 0
    var isWatched = false

    mutating func takeFirst() -> Start? {
      guard first < waiting.count else { return nil }
      defer {
        first += 1
        if first == waiting.count {
          waiting = []
          first = 0
        }
      }
      return waiting[first]
    }
  }

  static let jobsMax = 8
  private static let patienceNanoseconds: UInt64 = 20_000_000
  private let state = Guarded(State())

  /// One for the process; a child made by fork() has another, since its parent's jobs never end there.
  private static let current = Guarded<(process: UInt32, limit: JobLimit)?>(nil)

  static func ofProcess() -> JobLimit {
    current.withLock { current in
      let process = ForkGuard.generation
      if let current, current.process == process { return current.limit }
      let limit = JobLimit()
      current = (process, limit)
      return limit
    }
  }

  /// Runs only what takes no time.
  private static let timers = DispatchQueue(label: "holdfast.timers")

  static func later(nanoseconds: UInt64, _ body: @escaping @Sendable () -> Void) {
    timers.asyncAfter(
      deadline: .now() + .nanoseconds(Int(clamping: nanoseconds)), execute: body)
  }

  /// Calls `start` now or later, in the order of the calls; it begins a job, which says when it has
  /// ended.
  func admit(_ start: @escaping Start) {
    let (isAdmitted, needsWatch) = state.withLock { state in
      if state.active < Self.jobsMax, state.waiting.isEmpty {
        state.active += 1
        return (true, false)
      }
      state.waiting.append(start)
      defer { state.isWatched = true }
      return (false, !state.isWatched)
    }
    if isAdmitted { start(self) }
    if needsWatch { watch() }
  }

  func jobEnded() {
    let next = state.withLock { state in
      state.ended += 1
      // Fewer again where more had been begun than usual.
      let next = state.active > Self.jobsMax ? nil : state.takeFirst()
      if next == nil { state.active -= 1 }
      return next
    }
    next?(self)
  }

  private func watch() {
    Self.later(nanoseconds: Self.patienceNanoseconds) { [self] in
      let (more, isOver) = state.withLock { state in
        var more: [Start] = []
        if state.ended == state.endedAtLook {
          while more.count < Self.jobsMax, let next = state.takeFirst() { more.append(next) }
          state.active += more.count
        }
        state.endedAtLook = state.ended
        state.isWatched = !state.waiting.isEmpty
        return (more, state.waiting.isEmpty)
      }
      for start in more { start(self) }
      if !isOver { watch() }
    }
  }
}
