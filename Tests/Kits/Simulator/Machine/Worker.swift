import Platform
import Synchronization

/// What lets exactly one thread of a simulation run: whoever is passed it goes on.
@safe final class Baton: @unchecked Sendable {
  // Sendable: the word is only touched atomically.

  /// 1 while the baton lies here. A word of its own, because the kernel watches its address.
  private let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

  init() { unsafe word.initialize(to: Atomic(0)) }

  deinit { unsafe word.deallocate() }

  func pass() {
    unsafe word.pointee.store(1, ordering: .releasing)
    unsafe Futex.wake(UnsafeMutableRawPointer(word), count: 1)
  }

  func wait() {
    while unsafe word.pointee.load(ordering: .acquiring) == 0 {
      unsafe Futex.wait(UnsafeMutableRawPointer(word), while: 0)
    }
    unsafe word.pointee.store(0, ordering: .relaxed)
  }
}

/// A real thread that runs simulated ones, one after the other.
final class Worker: @unchecked Sendable {
  // Sendable: whoever has the baton touches it.

  let baton = Baton()
  fileprivate var thread: SimulatedThread?

  fileprivate func loop() {
    while true {
      baton.wait()
      guard let thread else { return }
      thread.run()
    }
  }
}

/// The real threads of a simulation, used again from schedule to schedule. Touched only by whoever
/// has the baton.
final class WorkerPool: @unchecked Sendable {
  // Sendable: whoever has the baton touches it.

  private var idle: [Worker] = []

  /// A worker that runs `thread` once it is passed its baton.
  func worker(for thread: SimulatedThread) -> Worker {
    let worker: Worker
    if let known = idle.popLast() {
      worker = known
    } else {
      worker = Worker()
      do { try BackgroundThread.start(name: "simulated") { worker.loop() } } catch {
        fatalError("no thread for a simulation: \(error)")
      }
    }
    worker.thread = thread
    return worker
  }

  func takeBack(_ worker: Worker) {
    worker.thread = nil
    idle.append(worker)
  }

  deinit {
    for worker in idle { worker.baton.pass() }
  }
}
