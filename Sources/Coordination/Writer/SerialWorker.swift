import Platform
import Synchronization

/// A background thread that runs closures one after the other. It is made when a closure comes and
/// ends when none has come for a while: a process may have thousands of these.
final class SerialWorker: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false
    var isStopped = false
    var idle: OneShot<Void>?
  }

  private static let idleNanoseconds: UInt64 = 100_000_000
  private let name: String
  private let system: any System
  private let state = LockedValue(State())

  init(name: String, system: any System) {
    self.name = name
    self.system = system
  }

  func run(_ job: @escaping @Sendable () -> Void) throws(SystemError) {
    let (start, idle) = state.withLock { state in
      state.jobs.append(job)
      defer { state.isRunning = true }
      return (!state.isRunning, state.idle.take())
    }
    idle?.send(())
    guard start else { return }
    do {
      try system.startThread(name: name) { self.loop() }
    } catch {
      state.withLock { state in
        state.isRunning = false
        state.jobs.removeLast()
      }
      throw error
    }
  }

  /// The thread ends when it has run what is there.
  func stop() {
    let idle = state.withLock { state in
      state.isStopped = true
      return state.idle.take()
    }
    idle?.send(())
  }

  private enum Next {
    case jobs([@Sendable () -> Void])
    case sleep(OneShot<Void>)
    case end
  }

  private func next() -> Next {
    state.withLock { state in
      if !state.jobs.isEmpty {
        defer { state.jobs = [] }
        return .jobs(state.jobs)
      }
      if state.isStopped {
        state.isRunning = false
        return .end
      }
      let idle = OneShot<Void>(system: system)
      state.idle = idle
      return .sleep(idle)
    }
  }

  private func loop() {
    while true {
      switch next() {
      case .jobs(let jobs): for job in jobs { job() }
      case .sleep(let idle):
        if idle.wait(nanoseconds: SerialWorker.idleNanoseconds) == nil, endIfIdle() { return }
      case .end: return
      }
    }
  }

  /// False if a closure has come, or the end, just after the wait.
  private func endIfIdle() -> Bool {
    state.withLock { state in
      guard state.idle.take() != nil else { return false }
      state.isRunning = false
      return true
    }
  }
}
