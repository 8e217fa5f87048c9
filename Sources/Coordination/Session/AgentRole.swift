import Platform
import Synchronization

/// The role of the one process that synchronises the file now: a byte of the data file. The kernel
/// gives it to the next one when its holder dies.
final class AgentRole: Sendable {
  private enum Phase: Equatable {
    case idle
    /// A thread sleeps in the kernel for it. Each wait has a number, so that one that was given up
    /// is not taken for a later one.
    case waiting(UInt64)
    case held
  }

  private struct State {
    var phase = Phase.idle
    var waits: UInt64 = 0
    var wait: (any LockWait)?
  }

  private let file: (any SystemFile)?
  /// Also held while the byte is taken or given back without waiting, so that one does not undo
  /// the other.
  private let state = LockedValue(State())

  /// `file` is nil where one process has the file to itself.
  init(file: (any SystemFile)?) { self.file = file }

  var isHeld: Bool { state.withLock { $0.phase == .held } }

  func tryTake() throws(LockFileError) -> Bool {
    try state.withLock { state throws(LockFileError) in
      guard state.phase == .idle else { return false }
      let isTaken = try doing("take the agent role") { () throws(SystemError) in
        try file?.lock(byte: LockFileLayout.agentByte, kind: .exclusive, wait: false) ?? true
      }
      if isTaken { state.phase = .held }
      return isTaken
    }
  }

  /// Calls `whenTaken` on some thread once the role is this process's, unless `release` comes
  /// first.
  func take(
    whenTaken: @escaping @Sendable (Result<Void, LockFileError>) -> Void
  ) throws(LockFileError) {
    let number = try state.withLock { state throws(LockFileError) in
      precondition(state.phase == .idle, "the process has the agent role already, or waits for it")
      state.waits += 1
      let number = state.waits
      // Under the lock, so that no wait is cancelled while it is still being made.
      state.wait = try doing("wait for the agent role") { () throws(SystemError) in
        try file?.waitForLock(byte: LockFileLayout.agentByte, kind: .exclusive) {
          self.finish(number, $0, whenTaken)
        }
      }
      state.phase = .waiting(number)
      return number
    }
    if file == nil { finish(number, .success(()), whenTaken) }
  }

  private func finish(
    _ number: UInt64, _ result: Result<Void, SystemError>,
    _ whenTaken: @Sendable (Result<Void, LockFileError>) -> Void
  ) {
    let isWanted = state.withLock { state in
      guard state.phase == .waiting(number) else {
        if state.phase == .idle { unlockByte() }
        return false
      }
      state.wait = nil
      state.phase = (try? result.get()) == nil ? .idle : .held
      return true
    }
    guard isWanted else { return }
    whenTaken(result.mapError { LockFileError($0, doing: "wait for the agent role") })
  }

  /// Gives the role back, or gives up waiting for it.
  func release() {
    state.withLock { state in
      // Under the lock, because cancelling drops the byte, which must not have been taken since.
      _ = state.wait.take()?.cancel()
      if state.phase == .held { unlockByte() }
      state.phase = .idle
    }
  }

  private func unlockByte() { try? file?.unlock(byte: LockFileLayout.agentByte) }
}
