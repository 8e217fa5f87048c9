public import Synchronization

/// A value behind a lock, as `Mutex`, and visibly so to the thread sanitizer.
///
/// When several threads contend, the standard library's mutex synchronises them in code that the
/// sanitizer was not built into, so that it reports races where there are none. The pair of an
/// acquiring load and a releasing store here says the same in code that it sees; on the processors
/// that Linux runs on it costs about a nanosecond.
@frozen
public struct LockedValue<Value>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let order: Atomic<Bool>

  @inlinable
  public init(_ value: consuming sending Value) {
    mutex = Mutex(value)
    order = Atomic(false)
  }

  /// Calls `body` with the value while it has exclusive access.
  @inlinable
  public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    #if DEBUG || HOLDFAST_SIMULATION
      if let thread = Scheduling.thread { return try withLock(of: thread, body) }
    #endif
    return try mutex.withLock { value throws(Failure) in
      _ = order.load(ordering: .acquiring)
      defer { order.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }

  #if DEBUG || HOLDFAST_SIMULATION
    /// A simulated thread must not block: the one that has the lock would never go on.
    @usableFromInline
    borrowing func withLock<Result, Failure: Error>(
      of thread: any ScheduledThread,
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      thread.reachedLock()
      while true {
        let result = try mutex.withLockIfAvailable { value throws(Failure) in
          defer { thread.givesLockBack() }
          return try body(&value)
        }
        if let result { return result }
        thread.waitForLock()
      }
    }
  #endif
}
