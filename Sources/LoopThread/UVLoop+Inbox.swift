import Clibuv
import Synchronization

/// What other threads have left for a loop. One wake-up serves everything that came since the last.
struct Inbox {
  enum Item {
    case work(@Sendable () -> Void)
    case job(UnownedJob)
  }

  var items: [Item] = []
  var stopRequested = false
  var isClosed = false
}

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
    inbox.withLock { $0.stopRequested = true }
    signal.raise()
  }

  func post(_ item: Inbox.Item) -> Bool {
    let (isTaken, isFirst) = inbox.withLock { inbox in
      if inbox.isClosed { return (false, false) }
      inbox.items.append(item)
      return (true, inbox.items.count == 1)
    }
    // Not under the lock: the loop, woken at once, would have to wait for it.
    if isFirst { signal.raise() }
    return isTaken
  }

  /// What happens when the signal is raised: one batch. What arrives meanwhile waits for the next turn, so
  /// that a loop's own handles get their share.
  func drain() {
    startTurn()
    signal.lower()
    let items = inbox.withLock { inbox in
      defer { inbox.items = [] }
      return inbox.items
    }
    for item in items { run(item) }
    if inbox.withLock({ $0.stopRequested }) { uv_stop(handle) }
  }

  private func run(_ item: Inbox.Item) {
    switch item {
    case .work(let work): work()
    case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }
}
