import Dispatch

/// A serial queue of the process's pool of threads.
final class PosixQueue: BackgroundQueue {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func run(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }

  func run(afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay)), execute: job)
  }

  func drain() { queue.sync {} }
}
