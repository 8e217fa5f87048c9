import Clibuv

extension UVLoop {
  /// Runs `work` on the loop's thread, in the order of the calls. From any thread; returns at once.
  ///
  /// - Returns: false if the loop is closed; `work` is dropped then.
  @discardableResult
  public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
    post(.work(work))
  }

  /// Makes the loop turn, so that what was added with `onTurnStart` runs soon. From any thread.
  public func wake() { signal.raise() }

  /// Ends `run` after the current turn; if the loop is not running, its next `run` returns at
  /// once. From any thread. What was handed in before and has not run stays for the next `run`.
  public func stop() {
    stopRequested.store(true, ordering: .releasing)
    signal.raise()
  }

  func post(_ item: Inbox.Item) -> Bool {
    switch inbox.put(item) {
    case .refused: return false
    case .taken(let isFirst):
      // One signal serves everything that came since the last.
      if isFirst { signal.raise() }
      return true
    }
  }

  /// What happens when the signal is raised: one batch. What arrives meanwhile waits for the next
  /// turn, so that a loop's own handles get their share.
  func drain() {
    startTurn()
    signal.lower()
    run(inbox.takeAll())
    if stopRequested.load(ordering: .acquiring) { unsafe uv_stop(handle) }
  }

  /// In their order.
  func run(_ items: [Inbox.Item]) { for item in items { run(item) } }

  private func run(_ item: Inbox.Item) {
    switch item {
    case .work(let work): work()
    case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }
}
