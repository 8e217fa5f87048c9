import Clibuv

extension UVLoop {
  /// Closes the loop: what `execute` has accepted runs, handles are closed, the thread has no
  /// loop any more. Own thread only, not from within `run`. Closing twice is fine.
  ///
  /// A loop of our own also closes what else is on it. An adopted loop stays its owner's; it has
  /// to turn once before `uv_loop_close`.
  public func close() {
    if isClosed { return }
    requireOwnThread()
    precondition(!isRunning, "UVLoop.close called from within the loop; call stop() first.")
    startTurn()
    run(inbox.close())
    for weak in closeHooks { weak.hook?.body() }
    closeHooks = []
    isClosed = true
    turnHooks = []
    for timer in timers.values { timer.cancel() }
    unsafe handles.all.forEach { unsafe uv_close($0) { unsafe $0?.deallocate() } }
    if ownsHandle { closeOwnLoop() }
    slice.giveBack()
    ThreadSlot.clear()
    closedExecutor.takeOver()
  }

  private func closeOwnLoop() {
    unsafe uv_walk(
      handle, { item, _ in if unsafe uv_is_closing(item) == 0 { unsafe uv_close(item, nil) } }, nil)
    // A stop that came before ends the first of these turns early.
    while unsafe uv_run(handle, UV_RUN_DEFAULT) != 0 {}
    let status = unsafe uv_loop_close(handle)
    precondition(status == 0, "A UVLoop could not be closed: \(describe(status)).")
  }
}
