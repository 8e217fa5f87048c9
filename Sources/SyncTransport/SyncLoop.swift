#if Sync
  import NIOCore
  import NIOPosix
  import Platform

  /// A thread with a loop of its own, on which everything of one synced file's agent happens, or of
  /// one app's log-ins.
  public final class SyncLoop: Sendable {
    let group: MultiThreadedEventLoopGroup
    let loop: any EventLoop

    /// Starts the thread.
    public init() {
      group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      loop = group.next()
      // Not the short slice of a loop that happens to have opened the file.
      loop.execute { ProcessorSlice.setForCallingThread(nil) }
    }

    deinit { group.shutdownGracefully { _ in } }

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool { loop.inEventLoop }

    /// Runs `body` on the loop, soon.
    public func execute(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    /// Runs `body` on the loop, later.
    @discardableResult
    public func after(
      milliseconds: Int, _ body: @escaping @Sendable () -> Void
    ) -> SyncTimer {
      SyncTimer(
        scheduled: loop.scheduleTask(in: .milliseconds(Int64(milliseconds))) { body() })
    }
  }

  /// Something that a loop will do.
  public struct SyncTimer: Sendable {
    let scheduled: Scheduled<Void>

    /// Calls it off, if it has not begun.
    public func cancel() { scheduled.cancel() }
  }
#endif
