import Platform
import Synchronization

/// The writer role within a process: a fair queue of threads and closures in front of the word that
/// the processes share (`WriterRole`). The role is not bound to a thread: any may give it back.
///
/// Only the head of the queue ever waits for other processes: a thread does so itself, for a
/// closure the worker does. While no other process waits, the role passes from one to the next
/// within the process; otherwise it is given back to the others in between.
final class WriterQueue: Sendable {
  /// What the head is handed: the role itself, or leave to wait for other processes.
  enum Turn: Sendable {
    case holder
    case head
    case closed
  }

  private enum Place {
    case turn(Turn)
    case line(OneShot<Turn>)
  }

  typealias Completion = @Sendable (Result<Void, LockFileError>) -> Void

  enum Waiter: Sendable {
    case thread(OneShot<Turn>)
    case closure(number: UInt64, Completion)
  }

  struct State {
    /// A thread of this process has the role, or is at the head and waits for it.
    var isTaken = false
    var isHeld = false
    var isClosed = false
    var waiters: [Waiter] = []
    var nextNumber: UInt64 = 1
    /// The closure whose turn it is although it has not been called yet; 0 is none.
    var queueHead: UInt64 = 0

    mutating func takeNext() -> Waiter {
      let next = waiters.removeFirst()
      if case .closure(let number, _) = next { queueHead = number }
      return next
    }
  }

  let state = LockedValue(State())
  let role: WriterRole
  private let system: any System
  private let worker: SerialWorker
  private let path: String

  init(role: WriterRole, path: String, system: any System) {
    self.role = role
    self.path = path
    self.system = system
    worker = SerialWorker(name: "realm-writer", system: system)
  }

  /// How many stand in line in this process; for tests.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Whether another process waits.
  var isAwaited: Bool { role.isAwaited }

  var closedError: LockFileError {
    LockFileError(.closed, path: path, "the file was closed during a wait to write")
  }

  /// Takes the role if no other thread of this process has it or waits: at once if it is free, else
  /// as the head.
  private func takeIfFree(_ state: inout State) -> Turn? {
    if state.isTaken { return nil }
    state.isTaken = true
    state.isHeld = role.takeIfFree()
    return state.isHeld ? .holder : .head
  }

  // MARK: Threads

  func lock() throws(LockFileError) {
    let turn =
      switch try takeOrEnqueue() {
      case .turn(let turn): turn
      case .line(let place): place.wait()
      }
    switch turn {
    case .holder: return
    case .closed: throw closedError
    case .head:
      guard waitForOthers() else { throw closedError }
    }
  }

  private func takeOrEnqueue() throws(LockFileError) -> Place {
    try changing { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      if let turn = takeIfFree(&state) { return .turn(turn) }
      let place = OneShot<Turn>(system: system)
      state.waiters.append(.thread(place))
      return .line(place)
    }
  }

  /// For the head. False if the file has been closed meanwhile.
  func waitForOthers() -> Bool {
    let isTaken = role.take { state.withLock { !$0.isClosed } }
    return confirm(isTaken)
  }

  /// A queue closed in the meantime has no use for the role.
  private func confirm(_ isTaken: Bool) -> Bool {
    changing { state in
      if isTaken, state.isClosed { role.release() }
      state.isHeld = isTaken && !state.isClosed
      return state.isHeld
    }
  }

  /// False if the role was not to be had for so long, or others of this process wait for it.
  func lock(within nanoseconds: UInt64) throws(LockFileError) -> Bool {
    let end = system.now() &+ nanoseconds
    let turn = try changing { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      return takeIfFree(&state)
    }
    guard turn == .head else { return turn == .holder }
    // In the end as `tryLock`, which sees whether the one who has the role lives.
    let isTaken =
      role.take { system.now() < end && state.withLock { !$0.isClosed } } || role.tryTake()
    if confirm(isTaken) { return true }
    let next = changing { state -> Waiter? in
      if state.isClosed { return nil }
      state.isTaken = !state.waiters.isEmpty
      return state.isTaken ? state.takeNext() : nil
    }
    if let next { hand(next, .head) }
    return false
  }

  func tryLock() throws(LockFileError) -> Bool {
    try changing { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      guard let turn = takeIfFree(&state) else { return false }
      if turn == .holder { return true }
      state.isHeld = role.tryTake()
      state.isTaken = state.isHeld
      return state.isHeld
    }
  }

  // MARK: Closures

  /// Returns the number by which the waiter can be called off.
  func lock(whenReady: @escaping Completion) throws(LockFileError) -> UInt64 {
    let (number, turn) = try changing { state throws(LockFileError) in
      if state.isClosed { throw closedError }
      let number = state.nextNumber
      state.nextNumber += 1
      let turn = takeIfFree(&state)
      if turn == nil {
        state.waiters.append(.closure(number: number, whenReady))
      } else {
        state.queueHead = number
      }
      return (number, turn)
    }
    if let turn { hand(.closure(number: number, whenReady), turn) }
    return number
  }

  /// True: the closure is never called.
  func cancel(_ number: UInt64) -> Bool {
    changing { state in
      if state.queueHead == number {
        state.queueHead = 0
        return true
      }
      let index = state.waiters.firstIndex {
        if case .closure(number, _) = $0 { true } else { false }
      }
      if let index { state.waiters.remove(at: index) }
      return index != nil
    }
  }

  /// On the worker, at the head of the queue.
  private func perform(_ number: UInt64, _ turn: Turn, _ whenReady: Completion) {
    if turn == .head { _ = waitForOthers() }
    let (isWanted, isClosed) = changing { state in
      defer { state.queueHead = 0 }
      return (state.queueHead == number, state.isClosed)
    }
    if isClosed {
      if isWanted { whenReady(.failure(closedError)) }
    } else if isWanted {
      whenReady(.success(()))
    } else {
      unlock()
    }
  }

  // MARK: Giving back

  func unlock() {
    let next = changing { state -> (Waiter, Turn)? in
      if state.isClosed { return nil }
      precondition(
        state.isHeld, "the writer role was released without being held")
      // If no other process waits, this one keeps the role and passes it on inside.
      if !state.waiters.isEmpty, !role.isAwaited { return (state.takeNext(), .holder) }
      role.release()
      state.isHeld = false
      state.isTaken = !state.waiters.isEmpty
      return state.isTaken ? (state.takeNext(), .head) : nil
    }
    if let (waiter, turn) = next { hand(waiter, turn) }
  }

  private func hand(_ waiter: Waiter, _ turn: Turn) {
    switch waiter {
    case .thread(let place): place.send(turn)
    case .closure(let number, let whenReady):
      do {
        try worker.run { self.perform(number, turn, whenReady) }
      } catch {
        // No thread can be made: better late and here than never.
        perform(number, turn, whenReady)
      }
    }
  }

  // MARK: The end

  /// All waits end with an error; the holder of the role loses it.
  func close() {
    let (waiters, hasHead) = changing { state in
      defer { state.waiters = [] }
      if state.isHeld { role.release() }
      let hasHead = state.isTaken && !state.isHeld
      state.isClosed = true
      state.isHeld = false
      return (state.waiters, hasHead)
    }
    if hasHead { role.wakeAll() }
    for waiter in waiters {
      switch waiter {
      case .thread(let place): place.send(.closed)
      case .closure(_, let whenReady): whenReady(.failure(closedError))
      }
    }
    worker.stop()
  }

  // MARK: Invariants

  private func changing<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try state.withLock { state throws(Failure) in
      defer { state.checkInvariants() }
      return try body(&state)
    }
  }
}

extension WriterQueue.State {
  func checkInvariants() {
    #if DEBUG
      assert(!isHeld || isTaken, "the role is held and free")
      assert(isTaken || waiters.isEmpty, "waiters queue behind no holder")
      assert(isTaken || queueHead == 0, "a closure is at the head of a free queue")
      assert(!isClosed || (waiters.isEmpty && !isHeld), "a closed queue holds on to something")
    #endif
  }
}
