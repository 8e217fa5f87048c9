import Platform
import Synchronization

/// The writer role within a process: a fair queue of threads and closures in front of the byte that
/// the process holds. The role belongs to nobody in particular: any thread may give it back.
///
/// Only the front of the queue ever asks the kernel: a thread does so itself, for a closure the
/// worker does. Between commits that follow each other closely the byte is kept
/// (`WriterQueue+Keeping`).
final class WriterQueue: Sendable {
  /// What the front is handed: the byte itself, or leave to ask the kernel for it.
  enum Turn: Sendable {
    case owner
    case front
    case closed
  }

  private enum Place {
    case turn(Turn)
    case line(ParkedThread<Turn>)
  }

  typealias Completion = @Sendable (Result<Void, LockFileError>) -> Void

  enum Waiter: Sendable {
    case thread(ParkedThread<Turn>)
    case closure(number: UInt64, Completion)
  }

  struct State {
    var isTaken = false
    var isHeld = false
    var isClosed = false
    var waiters: [Waiter] = []
    var nextNumber: UInt64 = 1
    /// The closure whose turn it is although it does not hold the byte yet; 0 is none.
    var fronting: UInt64 = 0
    var keeping = Keeping()

    /// Takes the role if nobody has it: with the byte where it was kept, else as the front.
    mutating func takeIfFree() -> Turn? {
      if isTaken { return nil }
      isTaken = true
      guard keeping.take() else { return .front }
      isHeld = true
      return .owner
    }

    mutating func takeNext() -> Waiter {
      let next = waiters.removeFirst()
      if case .closure(let number, _) = next { fronting = number }
      return next
    }
  }

  let state = Guarded(State())
  let bytes: WriterBytes?
  /// Whether the byte may be kept: not where time is not real, so that simulations repeat.
  let mayKeep: Bool
  let system: any System
  private let worker: SerialWorker
  private let path: String

  /// `bytes` is nil where one process has the file to itself.
  init(bytes: WriterBytes?, path: String, system: any System) {
    self.bytes = bytes
    self.path = path
    self.system = system
    worker = SerialWorker(name: "realm-writer", system: system)
    mayKeep = system.hasRealTime && bytes != nil
  }

  /// How many stand in line in this process; for tests.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Whether another process waits.
  var isAwaited: Bool { bytes?.isAwaited ?? false }

  private var closedError: LockFileError {
    LockFileError(.closed, path: path, "the file was closed while somebody waited to write")
  }

  private func systemError(_ error: SystemError) -> LockFileError {
    LockFileError(error, doing: "wait for the writer role")
  }

  // MARK: Threads

  func lock() throws(LockFileError) {
    let turn =
      switch try takeOrEnqueue() {
      case .turn(let turn): turn
      case .line(let parked): parked.wait()
      }
    switch turn {
    case .owner: return
    case .closed: throw closedError
    case .front: try acquire()
    }
  }

  private func takeOrEnqueue() throws(LockFileError) -> Place {
    try state.withLock { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      if let turn = state.takeIfFree() { return .turn(turn) }
      let parked = ParkedThread<Turn>(system: system)
      state.waiters.append(.thread(parked))
      return .line(parked)
    }
  }

  /// For whoever is at the front.
  private func acquire() throws(LockFileError) {
    do {
      try bytes?.lock()
    } catch {
      passOn()
      throw systemError(error)
    }
    try confirm()
  }

  /// The byte is held; a queue closed in the meantime has no use for it.
  private func confirm() throws(LockFileError) {
    let isClosed = state.withLock { state in
      state.isHeld = !state.isClosed
      return state.isClosed
    }
    guard isClosed else { return }
    bytes?.unlock()
    throw closedError
  }

  func tryLock() throws(LockFileError) -> Bool {
    let turn = try state.withLock { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      return state.takeIfFree()
    }
    guard let turn else { return false }
    if turn == .owner { return true }
    do {
      guard try bytes?.tryLock() ?? true else {
        passOn()
        return false
      }
    } catch {
      passOn()
      throw systemError(error)
    }
    try confirm()
    return true
  }

  // MARK: Closures

  /// Returns the number by which the waiter can be called off.
  func lock(whenReady: @escaping Completion) throws(LockFileError) -> UInt64 {
    let (number, turn) = try state.withLock { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      let number = state.nextNumber
      state.nextNumber += 1
      let turn = state.takeIfFree()
      if turn == nil {
        state.waiters.append(.closure(number: number, whenReady))
      } else {
        state.fronting = number
      }
      return (number, turn)
    }
    if let turn { hand(.closure(number: number, whenReady), turn) }
    return number
  }

  /// True: the closure is never called.
  func cancel(_ number: UInt64) -> Bool {
    state.withLock { state in
      if state.fronting == number {
        state.fronting = 0
        return true
      }
      let index = state.waiters.firstIndex {
        if case .closure(number, _) = $0 { true } else { false }
      }
      if let index { state.waiters.remove(at: index) }
      return index != nil
    }
  }

  /// On the worker, at the front of the queue.
  private func acquire(_ number: UInt64, _ turn: Turn, _ whenReady: Completion) {
    var failure: LockFileError?
    do throws(SystemError) {
      if turn == .front { try bytes?.lock() }
    } catch {
      failure = systemError(error)
    }
    let (isWanted, isClosed) = takeFront(number, held: failure == nil)
    if isClosed {
      bytes?.unlock()
      failure = closedError
    }
    if let failure {
      if !isClosed { passOn() }
      if isWanted { whenReady(.failure(failure)) }
    } else if isWanted {
      whenReady(.success(()))
    } else {
      unlock()
    }
  }

  private func takeFront(_ number: UInt64, held: Bool) -> (isWanted: Bool, isClosed: Bool) {
    state.withLock { state in
      state.isHeld = held && !state.isClosed
      defer { state.fronting = 0 }
      return (state.fronting == number, state.isClosed)
    }
  }

  // MARK: Giving back

  private enum Handover {
    case nothing
    case to(Waiter)
    case kept(Keeping.Keeper)
    case kernel
  }

  func unlock() {
    // With nobody waiting elsewhere the process keeps the byte and passes it on inside.
    let isAwaited = bytes?.isAwaited == true
    let handover = state.withLock { state -> Handover in
      if state.isClosed { return .nothing }
      precondition(
        state.isHeld, "the writer role was given back by somebody who did not hold it")
      if !isAwaited, !state.waiters.isEmpty { return .to(state.takeNext()) }
      state.isHeld = false
      guard mayKeep, state.keeping.follows(now: system.coarseNow()), !isAwaited else {
        return .kernel
      }
      state.isTaken = false
      return .kept(state.keeping.keep())
    }
    switch handover {
    case .nothing: return
    case .to(let next): hand(next, .owner)
    case .kept(let keeper): haveWatched(keeper)
    case .kernel:
      bytes?.unlock()
      passOn()
    }
  }

  /// The front of the queue leaves without the byte.
  private func passOn() {
    let next = state.withLock { state -> Waiter? in
      if !state.waiters.isEmpty { return state.takeNext() }
      state.isTaken = false
      return nil
    }
    if let next { hand(next, .front) }
  }

  private func hand(_ waiter: Waiter, _ turn: Turn) {
    switch waiter {
    case .thread(let parked): parked.wake(with: turn)
    case .closure(let number, let whenReady):
      do {
        try worker.run { self.acquire(number, turn, whenReady) }
      } catch {
        // No thread can be made: better late and here than never.
        acquire(number, turn, whenReady)
      }
    }
  }

  // MARK: The end

  /// Everybody who waits is told; whoever holds the role loses it.
  func close() {
    let (waiters, keeper) = state.withLock { state in
      state.isClosed = true
      state.isHeld = false
      defer { state.waiters = [] }
      return (state.waiters, state.keeping.stop())
    }
    keeper?.wake(with: ())
    for waiter in waiters {
      switch waiter {
      case .thread(let parked): parked.wake(with: .closed)
      case .closure(_, let whenReady): whenReady(.failure(closedError))
      }
    }
    bytes?.unlock()
    worker.stop()
  }
}
