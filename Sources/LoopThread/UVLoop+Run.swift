import Clibuv

extension UVLoop {
  /// Runs the loop until `stop()`. An adopted loop also ends when nothing of its owner's is left
  /// to wait for. Own thread only, and not from within the loop.
  public func run() {
    requireOwnThread()
    precondition(!isRunning, "UVLoop.run called from within the loop; it runs already.")
    isRunning = true
    defer { isRunning = false }
    if !stopRequested.load(ordering: .acquiring) { unsafe uv_run(handle, UV_RUN_DEFAULT) }
    stopRequested.store(false, ordering: .releasing)
  }

  /// Runs the loop for `duration` (to the millisecond), or until `stop()` if that comes first.
  public func run(for duration: Duration) {
    requireOwnThread()
    unsafe uv_update_time(handle)
    startDeadline(milliseconds(duration))
    defer { stopDeadline() }
    run()
  }

  /// Runs the loop until `deadline`, or until `stop()` if that comes first.
  public func run(until deadline: ContinuousClock.Instant) {
    run(for: ContinuousClock.now.duration(to: deadline))
  }

  /// Runs the loop until `condition` holds, which is looked at after every turn.
  ///
  /// - Parameter timeout: how long to run at most; nil for no limit.
  /// - Returns: whether the condition holds (`false` after the timeout, or after `stop()`).
  @discardableResult
  public func run(
    until condition: @escaping () -> Bool,
    timeout: Duration? = nil
  ) -> Bool {
    requireOwnThread()
    if condition() { return true }
    let hook = onTurnStart { [unowned self] in
      if condition() { unsafe uv_stop(handle) }
    }
    if let timeout { run(for: timeout) } else { run() }
    hook.cancel()
    return condition()
  }

  private func startDeadline(_ milliseconds: UInt64) {
    unsafe uv_timer_start(
      handles.deadline,
      { timer in unsafe uv_stop(timer!.pointee.loop) },
      milliseconds,
      0
    )
    // While a deadline runs it keeps an adopted loop running too.
    unsafe uv_ref(
      UnsafeMutableRawPointer(handles.deadline).assumingMemoryBound(to: uv_handle_t.self))
  }

  private func stopDeadline() {
    unsafe uv_timer_stop(handles.deadline)
    unsafe uv_unref(
      UnsafeMutableRawPointer(handles.deadline).assumingMemoryBound(to: uv_handle_t.self))
  }
}

/// Rounded up, so that nothing runs early; negative durations are none.
func milliseconds(_ duration: Duration) -> UInt64 {
  let (seconds, attoseconds) = duration.components
  if seconds < 0 || attoseconds < 0 { return 0 }
  let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
  return overflow ? UInt64(Int64.max) : UInt64(whole) + UInt64(rest)
}
