#if DEBUG || HOLDFAST_SIMULATION
  internal import CPlatform

  /// A thread of a simulated machine, of which one runs at a time: it marks where the scheduler may
  /// let another one run. Compiled only where simulations are; a release build has none of it.
  public protocol ScheduledThread: AnyObject {
    /// The next thing that the thread does is to touch a word of memory that processes share.
    func reachedSharedWord()

    /// The next thing that the thread does is to try a lock of its process.
    func reachedLock()

    /// The lock is taken. Returns when one has been released since.
    func waitForLock()

    /// A lock is about to be released; no other thread runs before it has been.
    func givesLockBack()
  }

  public enum Scheduling {
    /// The calling thread's scheduler; nil on real threads.
    public static var thread: (any ScheduledThread)? {
      guard let address = holdfast_scheduled_thread().pointee else { return nil }
      return Unmanaged<Box>.fromOpaque(address).takeUnretainedValue().thread
    }

    /// From here on the calling thread is `thread`, until the result is given to `leave`.
    public static func enter(_ thread: any ScheduledThread) {
      precondition(holdfast_scheduled_thread().pointee == nil, "a thread was scheduled twice")
      holdfast_scheduled_thread().pointee = Unmanaged.passRetained(Box(thread)).toOpaque()
    }

    /// The calling thread is a real one again.
    public static func leave() {
      guard let address = holdfast_scheduled_thread().pointee else { return }
      holdfast_scheduled_thread().pointee = nil
      Unmanaged<Box>.fromOpaque(address).release()
    }

    private final class Box {
      let thread: any ScheduledThread
      init(_ thread: any ScheduledThread) { self.thread = thread }
    }
  }
#endif
