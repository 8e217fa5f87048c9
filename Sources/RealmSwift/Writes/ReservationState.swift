import Storage

/// One place in the line of writers: whether its turn has come, and who has the transaction then.
///
/// A state machine. What happens comes in as calls, what is to be done goes out as results; there
/// is no clock, no lock and no file in it. `WriterReservation` carries out what it says.
///
/// Invariants: a turn is kept for `claimTimeoutMilliseconds` at the most, whatever has happened
/// before; each transaction is claimed, withdrawn or given back, and only once.
package struct ReservationState<Transaction: AnyObject, Wait> {
  private enum State {
    case waiting(Wait?)
    case ready(Result<Transaction, StorageError>)
    case expired
    case closed
  }

  package enum Claim {
    case transaction(Transaction)
    case failed(StorageError)
    /// It was not claimed in time.
    case expired
    /// Its turn has not come.
    case tooEarly
  }

  /// Mistakes that the tests' enumeration has to find.
  package enum Fault: CaseIterable {
    /// A place that has not been claimed in time keeps its next turn twice as long.
    case keepsTurnsLongerEachTime
    case keepsTurnsThatNobodyWants
    case leavesTheLine
    case isClaimedTwice
  }

  package static var claimTimeoutMilliseconds: Int { 20 }
  package static var turnsMax: Int { 16 }

  package var fault: Fault?
  private var state = State.waiting(nil)
  private var turnsLeft = Self.turnsMax

  package init() {}

  /// It is in line. False if nobody wants the place any more, and it should leave.
  package mutating func isInLine(_ wait: Wait) -> Bool {
    switch state {
    case .waiting:
      state = .waiting(wait)
      return true
    case .ready: return true
    case .expired, .closed: return false
    }
  }

  package enum Arrival {
    /// `timedOut` is to be called then.
    case keep(forMilliseconds: Int)
    case giveBack
    case nothing
  }

  /// Its turn has come, or cannot.
  package mutating func arrived(_ result: Result<Transaction, StorageError>) -> Arrival {
    guard case .waiting = state else {
      if case .failure = result { return .nothing }
      return fault == .keepsTurnsThatNobodyWants ? .nothing : .giveBack
    }
    state = .ready(result)
    if case .failure = result { return .nothing }
    let missed = Self.turnsMax - turnsLeft
    turnsLeft -= 1
    let factor = fault == .keepsTurnsLongerEachTime ? 1 << missed : 1
    return .keep(forMilliseconds: Self.claimTimeoutMilliseconds * factor)
  }

  package enum Timeout {
    /// The next in line gets the transaction.
    case giveBack(getsInLineAgain: Bool)
    /// It was claimed or withdrawn in time.
    case nothing
  }

  package mutating func timedOut(_ transaction: Transaction) -> Timeout {
    guard case .ready(.success(let ready)) = state, ready === transaction else { return .nothing }
    let goesOn = turnsLeft > 0
    state = goesOn ? .waiting(nil) : .expired
    return .giveBack(getsInLineAgain: goesOn && fault != .leavesTheLine)
  }

  /// It could not get in line again.
  package mutating func failed(_ error: StorageError) {
    if case .waiting = state { state = .ready(.failure(error)) }
  }

  /// Takes the transaction if it is there.
  package mutating func claim() -> Claim {
    switch state {
    case .waiting: return .tooEarly
    case .expired, .closed: return .expired
    case .ready(let result):
      if fault != .isClaimedTwice { state = .closed }
      switch result {
      case .success(let transaction): return .transaction(transaction)
      case .failure(let error): return .failed(error)
      }
    }
  }

  /// Leaves the line.
  ///
  /// - Returns: what it waits with, and the transaction if it had come.
  package mutating func withdraw() -> (wait: Wait?, transaction: Transaction?) {
    defer { state = .closed }
    switch state {
    // If it is too late for leaving, `arrived` gives the transaction back.
    case .waiting(let wait): return (wait, nil)
    case .ready(.success(let transaction)): return (nil, transaction)
    default: return (nil, nil)
    }
  }
}
