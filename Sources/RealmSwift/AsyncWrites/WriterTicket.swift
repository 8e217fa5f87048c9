import Dispatch
import Platform
import Storage

/// A place in the line of writers, for somebody who does other things meanwhile.
///
/// When its turn comes the ticket holds the transaction for a moment only. Whoever asked may be busy,
/// or may be the very thread that waits to write some other way; so a transaction that is not
/// claimed within `patience` goes back, and who comes for it late has to ask again. Each time that
/// happens the next ticket has twice as much patience, so that also a place which is always busy
/// gets its turn while others write without a pause.
final class WriterTicket: Sendable {
  private enum State {
    case waiting(WriteWait?)
    case ready(Result<WriteTransaction, StorageError>)
    case expired
    case closed
  }

  enum Claim {
    case transaction(WriteTransaction)
    case failed(StorageError)
    /// It was not claimed in time.
    case expired
    /// Its turn has not come.
    case tooEarly
  }

  private static let patienceMilliseconds = 20
  private static let doublingsMax = 5
  /// A serial queue, which gets a thread also when all threads of the global queues wait to write.
  private static let expiries = DispatchQueue(label: "holdfast.tickets")

  private let state = Guarded(State.waiting(nil))
  private let patience: DispatchTimeInterval

  private init(missedTurns: Int) {
    patience = .milliseconds(Self.patienceMilliseconds << min(missedTurns, Self.doublingsMax))
  }

  /// Gets in line, without waiting. `onReady` is called on a background thread.
  ///
  /// - Parameter missedTurns: how often in a row this has been in vain.
  static func ask(
    _ database: Database, missedTurns: Int, onReady: @escaping @Sendable () -> Void
  ) throws(StorageError) -> WriterTicket {
    let ticket = WriterTicket(missedTurns: missedTurns)
    let wait = try database.beginWrite { result in
      ticket.arrived(result)
      onReady()
    }
    ticket.state.withLock { state in
      if case .waiting = state { state = .waiting(wait) }
    }
    return ticket
  }

  private func arrived(_ result: Result<WriteTransaction, StorageError>) {
    let isWanted = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .ready(result)
      return true
    }
    guard case .success(let transaction) = result else { return }
    if !isWanted { return transaction.cancel() }
    Self.expiries.asyncAfter(deadline: .now() + patience) { self.expire() }
  }

  private func expire() {
    let unclaimed = state.withLock { state -> WriteTransaction? in
      guard case .ready(.success(let transaction)) = state else { return nil }
      state = .expired
      return transaction
    }
    unclaimed?.cancel()
  }

  /// Takes the transaction if it is there.
  func claim() -> Claim {
    state.withLock { state in
      switch state {
      case .waiting: return .tooEarly
      case .expired, .closed: return .expired
      case .ready(let result):
        state = .closed
        switch result {
        case .success(let transaction): return .transaction(transaction)
        case .failure(let error): return .failed(error)
        }
      }
    }
  }

  /// Leaves the line. Returns the transaction if it had come.
  func withdraw() -> WriteTransaction? {
    let last = state.withLock { state in
      defer { state = .closed }
      return state
    }
    switch last {
    case .waiting(let wait):
      // If it is too late for that, `arrived` gives the transaction back.
      _ = wait?.cancel()
      return nil
    case .ready(.success(let transaction)): return transaction
    default: return nil
    }
  }
}
