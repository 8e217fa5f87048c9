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

  func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

  func run(afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay)), execute: job)
  }

  func drain() { queue.sync {} }
}
