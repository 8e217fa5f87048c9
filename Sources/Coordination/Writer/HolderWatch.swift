import Platform

/// Waits in the background for the death of the process that has the writer role: for a shared lock
/// on its participant byte, which it holds exclusively as long as it lives.
///
/// Any number of waiting processes get the lock when it dies; one of them gives the role back in
/// its place, and while any of them has the lock, the number does not go to a new process.
final class HolderWatch: Sendable {
  private struct State {
    var holder: Int?
    var wait: (any LockWait)?
  }

  private let participants: Participants
  private let state = LockedValue(State())

  init(participants: Participants) { self.participants = participants }

  /// Does nothing if that holder is watched. A wait that cannot be begun is left out: the waiter
  /// looks again after a while.
  func start(_ holder: Int, _ role: WriterRole) {
    state.withLock { state in
      if state.holder == holder { return }
      stop(&state)
      state.holder = holder
      state.wait = try? participants.waitForDeath(holder) { [weak role] in
        role?.freeIfNamed(holder)
      }
    }
  }

  func stop() { state.withLock { stop(&$0) } }

  private func stop(_ state: inout State) {
    if let wait = state.wait.take() { participants.giveUp(wait) }
    state.holder = nil
  }
}
