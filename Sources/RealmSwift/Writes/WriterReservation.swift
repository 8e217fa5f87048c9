import Dispatch
import Platform
import Storage

/// A place in the line of writers, for somebody who does other things meanwhile.
///
/// When its turn comes the reservation holds the transaction for a moment only. Whoever asked may
/// be busy, or may be the very thread that waits to write some other way; so a transaction that is
/// not claimed within 20 ms goes to the next in line, and the reservation gets in line again. So
/// nobody waits longer than that for a place that is busy, and the place, when it comes, mostly
/// finds its turn. After `turnsMax` turns the reservation expires, and who comes for it has to ask
/// anew.
final class WriterReservation: Sendable {
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

  private static let claimTimeout = DispatchTimeInterval.milliseconds(20)
  private static let turnsMax = 16
  /// A serial queue, which gets a thread also when all threads of the global queues wait to write.
  private static let expiries = DispatchQueue(label: "holdfast.reservations")

  private let state = LockedValue(State.waiting(nil))
  private let database: Database
  private let onReady: @Sendable () -> Void

  private init(_ database: Database, _ onReady: @escaping @Sendable () -> Void) {
    self.database = database
    self.onReady = onReady
  }

  /// Gets in line, without waiting. `onReady` is called on a background thread whenever it is its
  /// turn.
  static func ask(
    _ database: Database, onReady: @escaping @Sendable () -> Void
  ) throws(StorageError) -> WriterReservation {
    let reservation = WriterReservation(database, onReady)
    try reservation.getInLine(turnsLeft: Self.turnsMax)
    return reservation
  }

  private func getInLine(turnsLeft: Int) throws(StorageError) {
    let wait = try database.beginWrite { [self] result in
      arrived(result, turnsLeft: turnsLeft - 1)
      onReady()
    }
    let isWanted = state.withLock { state in
      switch state {
      case .waiting:
        state = .waiting(wait)
        return true
      case .ready: return true
      case .expired, .closed: return false
      }
    }
    if !isWanted { _ = wait.cancel() }
  }

  private func arrived(
    _ result: Result<WriteTransaction, StorageError>, turnsLeft: Int
  ) {
    let isWanted = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .ready(result)
      return true
    }
    guard case .success(let transaction) = result else { return }
    if !isWanted { return transaction.cancel() }
    Self.expiries.asyncAfter(deadline: .now() + Self.claimTimeout) {
      self.giveBack(transaction, turnsLeft: turnsLeft)
    }
  }

  /// Nobody has come for the transaction: the next in line gets it.
  private func giveBack(_ transaction: WriteTransaction, turnsLeft: Int) {
    let isUnclaimed = state.withLock { state in
      guard case .ready(.success(let ready)) = state, ready === transaction else { return false }
      state = turnsLeft > 0 ? .waiting(nil) : .expired
      return true
    }
    guard isUnclaimed else { return }
    transaction.cancel()
    guard turnsLeft > 0 else { return }
    do throws(StorageError) { try getInLine(turnsLeft: turnsLeft) } catch {
      let failure = error
      state.withLock { state in
        if case .waiting = state { state = .ready(.failure(failure)) }
      }
      onReady()
    }
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
