import Platform
import Synchronization

/// A background thread that runs closures one after the other. It is made when the first closure
/// comes and ends after `stop`, when it has run what was there.
final class SerialWorker: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false
    var isStopped = false
    var idle: ParkedThread<Void>?
  }

  private let name: String
  private let system: any System
  private let state = Guarded(State())

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
    idle?.wake(with: ())
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

  func stop() {
    let idle = state.withLock { state in
      state.isStopped = true
      return state.idle.take()
    }
    idle?.wake(with: ())
  }

  private enum Next {
    case jobs([@Sendable () -> Void])
    case sleep(ParkedThread<Void>)
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
      let parked = ParkedThread<Void>(system: system)
      state.idle = parked
      return .sleep(parked)
    }
  }

  private func loop() {
    while true {
      switch next() {
      case .jobs(let jobs): for job in jobs { job() }
      case .sleep(let parked): parked.wait()
      case .end: return
      }
    }
  }
}
