import Glibc
import Platform

/// A thread of a simulated process. It runs on a real one, whenever the machine's scheduler passes
/// it the baton, up to the next scheduling point.
final class SimulatedThread: ScheduledThread, @unchecked Sendable {
  // Sendable: whoever has the baton touches it, and passing the baton orders the accesses.

  enum State: Equatable {
    case ready
    /// Asleep on a word of memory.
    case futex(UInt)
    /// Waits for a byte lock of a file.
    case fileLock(UInt64)
    /// Waits for a lock of its process.
    case processLock
    /// Waits for its deadline, or for a job.
    case idle
    case ended
  }

  let name: String
  unowned let machine: SimulatedMachine
  let process: SimulatedProcess
  private(set) var worker: Worker!
  private var body: (() -> Void)?
  private var hasBegun = false
  var state = State.ready
  var deadline: UInt64?
  /// Whether it runs again only because its deadline has passed.
  var wasOverdue = false
  var blockedSince: UInt64 = 0
  /// Whether the schedule waits for it to end.
  let isActor: Bool
  private(set) var isDead = false

  init(
    _ name: String, of process: SimulatedProcess, isActor: Bool, body: @escaping () -> Void
  ) {
    self.name = name
    self.process = process
    self.isActor = isActor
    self.body = body
    machine = process.machine
    worker = machine.pool.worker(for: self)
  }

  func run() {
    hasBegun = true
    unsafe ThreadHint.address().pointee = 0
    Scheduling.enter(self)
    body?()
    body = nil
    Scheduling.leave()
    machine.ended(self)
  }

  /// Ends it where it is: it never runs again. Its stack goes, and what it refers to stays for
  /// good, as if no code of the process ran any more.
  func die() {
    isDead = true
    guard machine.current !== self else { return }
    if hasBegun {
      worker.baton.pass()
    } else {
      machine.pool.takeBack(worker)
    }
  }

  /// Lets others run until this thread is passed the baton again.
  func waitForBaton() {
    if !isDead { worker.baton.wait() }
    if isDead { pthread_exit(nil) }
  }

  // MARK: ScheduledThread

  func reachedSharedWord() { machine.point(.word) }

  func reachedLock() { machine.point(.processLock) }

  func waitForLock() { machine.block(.processLock) }

  func givesLockBack() { machine.releasedLock(of: process) }
}
