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
/// anew. `ReservationState` decides all of this.
final class WriterReservation: Sendable {
  typealias State = ReservationState<WriteTransaction, WriteWait>

  /// A serial queue, which gets a thread also when all threads of the global queues wait to write.
  private static let expiries = DispatchQueue(label: "holdfast.reservations")

  private let state = LockedValue(State())
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
    try reservation.getInLine()
    return reservation
  }

  private func getInLine() throws(StorageError) {
    let wait = try database.beginWrite { [self] result in
      arrived(result)
      onReady()
    }
    if !state.withLock({ $0.isInLine(wait) }) { _ = wait.cancel() }
  }

  private func arrived(_ result: Result<WriteTransaction, StorageError>) {
    let arrival = state.withLock { $0.arrived(result) }
    guard case .success(let transaction) = result else { return }
    switch arrival {
    case .keep(let milliseconds):
      Self.expiries.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
        self.timedOut(transaction)
      }
    case .giveBack: transaction.cancel()
    case .nothing: break
    }
  }

  private func timedOut(_ transaction: WriteTransaction) {
    guard case .giveBack(let getsInLineAgain) = state.withLock({ $0.timedOut(transaction) }) else {
      return
    }
    transaction.cancel()
    guard getsInLineAgain else { return }
    do throws(StorageError) { try getInLine() } catch {
      let failure = error
      state.withLock { $0.failed(failure) }
      onReady()
    }
  }

  /// Takes the transaction if it is there.
  func claim() -> State.Claim { state.withLock { $0.claim() } }

  /// Leaves the line. Returns the transaction if it had come.
  func withdraw() -> WriteTransaction? {
    let (wait, transaction) = state.withLock { $0.withdraw() }
    _ = wait?.cancel()
    return transaction
  }
}
