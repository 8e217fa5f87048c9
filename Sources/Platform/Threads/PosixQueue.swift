import Dispatch

/// A serial queue of the process's pool of threads.
///
/// Its target is the pool that has about as many threads as the machine has processors: a serial
/// queue without a target gets a thread of its own whenever it has something to do, which would be
/// thousands where thousands of files are flushed.
final class PosixQueue: BackgroundQueue {
  private let queue: DispatchQueue

  init(label: String) {
    queue = DispatchQueue(label: label, target: .global(qos: .utility))
  }

  func run(_ job: @escaping @Sendable () -> Void) {
    JobLimit.ofProcess().admit { [queue] limit in
      queue.async {
        job()
        limit.jobEnded()
      }
    }
  }

  func run(afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void) {
    JobLimit.later(nanoseconds: delay) { self.run(job) }
  }

  func drain() {
    let end = DispatchSemaphore(value: 0)
    run { end.signal() }
    end.wait()
  }
}
