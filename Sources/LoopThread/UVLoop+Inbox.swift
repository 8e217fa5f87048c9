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
  public func wake() {
    inbox.withLock { inbox in
      if !inbox.isClosed { uv_async_send(handles.async) }
    }
  }

  /// Ends `run` after the current turn; if the loop is not running, its next `run` returns at
  /// once. From any thread. What was handed in before and has not run stays for the next `run`.
  public func stop() {
    inbox.withLock { inbox in
      inbox.stopRequested = true
      if !inbox.isClosed { uv_async_send(handles.async) }
    }
  }

  func post(_ item: Inbox.Item) -> Bool {
    inbox.withLock { inbox in
      if inbox.isClosed { return false }
      inbox.items.append(item)
      // Under the lock, so that no signal reaches a handle that has been closed.
      if inbox.items.count == 1 { uv_async_send(handles.async) }
      return true
    }
  }

  /// The async handle's callback: one batch. What arrives meanwhile waits for the next turn, so
  /// that a loop's own handles get their share.
  func drain() {
    startTurn()
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
