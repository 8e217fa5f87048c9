extension UVLoop: SerialExecutor {
  /// Swift concurrency hands a job of an actor that lives on this loop here. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let accepted = post(.job(UnownedJob(job)))
    precondition(
      accepted,
      "An actor lives on a UVLoop that is closed; keep the loop running as long as it."
    )
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  public func isSameExclusiveExecutionContext(other: UVLoop) -> Bool { self === other }

  /// Code that libuv calls on the loop's thread is isolated to the actors that live there.
  public func checkIsolated() {
    precondition(isCurrent, "Not on the thread of the UVLoop that the actor lives on.")
  }

  public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
