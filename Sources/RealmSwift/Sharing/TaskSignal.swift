import Platform

/// Wakes a task, as often as it waits; a signal that comes first is kept for the next wait. Once it
/// is cancelled it keeps no task waiting.
final class TaskSignal: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, Never>)
    case signaled
    case cancelled
  }

  private let state = LockedValue(State.idle)

  var isCancelled: Bool {
    state.withLock { if case .cancelled = $0 { true } else { false } }
  }

  /// Returns when it was signalled, or at once when the task is cancelled.
  func wait(isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          switch state {
          case .idle, .waiting:
            state = .waiting(continuation)
            return false
          case .signaled:
            state = .idle
            return true
          case .cancelled: return true
          }
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      signal()
    }
  }

  func signal() { move(to: .signaled) }

  func cancel() { move(to: .cancelled) }

  private func move(to next: State) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      switch state {
      case .cancelled: return nil
      case .waiting(let continuation):
        if case .cancelled = next { state = .cancelled } else { state = .idle }
        return continuation
      case .idle, .signaled:
        state = next
        return nil
      }
    }
    continuation?.resume()
  }
}
