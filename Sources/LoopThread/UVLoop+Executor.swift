import Dispatch

extension UVLoop: SerialExecutor {
  /// Swift concurrency hands a job of an actor that lives on this loop here. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    if !post(.job(unowned)) { closedExecutor.enqueue(unowned, of: self) }
  }

  /// What an actor that lives on the loop returns as its `unownedExecutor`.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  /// Whether both are the same loop.
  public func isSameExclusiveExecutionContext(other: UVLoop) -> Bool { self === other }

  /// Code that libuv calls on the loop's thread is isolated to the actors that live there.
  public func checkIsolated() {
    precondition(
      isCurrent || closedExecutor.isCurrent,
      "Not on the thread of the UVLoop that the actor lives on.")
  }

  /// Whether the caller is isolated to the actors that live on the loop; never unknown.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent || closedExecutor.isCurrent }
}

/// Runs the jobs of the actors that outlive their loop, one at a time, so that tasks which wait for
/// something when the loop is closed come to their end.
///
/// Nothing runs here before the loop has run its last: the queue is suspended until then.
struct ClosedLoopExecutor {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue = DispatchQueue(label: "holdfast.closed-loop", attributes: .initiallyInactive)

  init() { queue.setSpecific(key: Self.key, value: ObjectIdentifier(queue)) }

  /// The loop has run its last.
  func takeOver() { queue.activate() }

  func enqueue(_ job: UnownedJob, of loop: UVLoop) {
    queue.async { unsafe job.runSynchronously(on: loop.asUnownedSerialExecutor()) }
  }

  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(queue)
  }
}
