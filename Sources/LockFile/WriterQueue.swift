import Platform
import Synchronization

/// The writer role within a process: a fair queue of threads and closures in front of the byte that
/// the process holds. The role belongs to nobody in particular: any thread may give it back.
///
/// Only the front of the queue ever asks the kernel: a thread does so itself, for a closure the
/// worker does.
final class WriterQueue: Sendable {
  /// What the front is handed: the byte itself, or leave to ask the kernel for it.
  private enum Turn: Sendable {
    case owner
    case front
    case closed
  }

  typealias Completion = @Sendable (Result<Void, LockFileError>) -> Void

  private enum Waiter: Sendable {
    case thread(ParkedThread<Turn>)
    case closure(number: UInt64, Completion)
  }

  private struct State {
    var isTaken = false
    var isHeld = false
    var isClosed = false
    var waiters: [Waiter] = []
    var nextNumber: UInt64 = 1
    /// The closure whose turn it is although it does not hold the byte yet; 0 is none.
    var fronting: UInt64 = 0
  }

  private let state = Guarded(State())
  private let bytes: WriterBytes?
  private let worker = SerialWorker(name: "realm-writer")
  private let path: String

  /// `bytes` is nil where one process has the file to itself.
  init(bytes: WriterBytes?, path: String) {
    self.bytes = bytes
    self.path = path
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
    let parked = try enqueueUnlessFree()
    switch parked?.wait() ?? .front {
    case .owner: return
    case .closed: throw closedError
    case .front: try acquire()
    }
  }

  private func enqueueUnlessFree() throws(LockFileError) -> ParkedThread<Turn>? {
    try state.withLock { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      let parked = ParkedThread<Turn>()
      state.waiters.append(.thread(parked))
      return parked
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
    let isFront = try state.withLock { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      defer { state.isTaken = true }
      return !state.isTaken
    }
    guard isFront else { return false }
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
    let (number, isFront) = try state.withLock { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      let number = state.nextNumber
      state.nextNumber += 1
      let isFront = !state.isTaken
      if isFront {
        state.isTaken = true
        state.fronting = number
      } else {
        state.waiters.append(.closure(number: number, whenReady))
      }
      return (number, isFront)
    }
    if isFront { hand(.closure(number: number, whenReady), .front) }
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

  func unlock() {
    let (isHeld, isClosed) = state.withLock { ($0.isHeld, $0.isClosed) }
    if isClosed { return }
    precondition(isHeld, "the writer role was given back by somebody who did not hold it")
    // With nobody waiting elsewhere the process keeps the byte and passes it on inside.
    if bytes?.isAwaited != true, let next = takeNext(.owner) { return hand(next, .owner) }
    state.withLock { $0.isHeld = false }
    bytes?.unlock()
    passOn()
  }

  /// The front of the queue leaves without the byte.
  private func passOn() {
    if let next = takeNext(.front) { return hand(next, .front) }
  }

  private func takeNext(_ turn: Turn) -> Waiter? {
    state.withLock { state in
      guard !state.waiters.isEmpty else {
        if turn == .front { state.isTaken = false }
        return nil
      }
      let next = state.waiters.removeFirst()
      if case .closure(let number, _) = next { state.fronting = number }
      return next
    }
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
    let waiters = state.withLock { state in
      state.isClosed = true
      state.isHeld = false
      defer { state.waiters = [] }
      return state.waiters
    }
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
