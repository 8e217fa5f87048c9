import Platform
import Clibuv
import Synchronization

/// A libuv loop that belongs to the thread which made it (or adopted it).
///
/// Realms that are opened on that thread refresh by themselves at the start of a loop turn, and
/// deliver their notifications there. The loop is also a `SerialExecutor`, so an actor can live on
/// it:
///
///     actor Counter {
///       let loop: UVLoop
///       nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
///     }
///
/// On the main thread it drives the main dispatch queue as well, so that `MainActor` works in a
/// program whose main thread runs the loop.
///
/// Rules, each of them checked: a thread has at most one loop; `run`, `schedule`, `onTurnStart` and
/// `close` are for the loop's own thread; `execute`, `wake` and `stop` may be called from any.
///
/// A thread that has a loop asks the kernel for short slices of the processor, so that it does not
/// wait for computing threads when it wakes (Linux 6.12 on). A shorter slice, a real-time priority
/// or the like stays as the program has set it.
///
/// The thread keeps its loop alive. A loop that was not closed before closes when its thread ends.
/// Actors may outlive their loop: once it is closed their jobs run on a serial queue.
@safe public final class UVLoop: @unchecked Sendable {
  // Sendable: `inbox` and `stopRequested` are atomic; everything else that changes is touched by
  // the loop's thread alone, which `requireOwnThread` enforces.

  /// The libuv loop itself, for programs that put handles of their own on it. Own thread only.
  public let handle: UnsafeMutablePointer<uv_loop_t>
  let ownsHandle: Bool
  let inbox = Inbox()
  let stopRequested = Atomic(false)
  let signal = LoopSignal()
  let handles: LoopHandles
  let closedExecutor = ClosedLoopExecutor()
  let slice = LoopSlice()

  var turnHooks: [WeakHook] = []
  var closeHooks: [WeakHook] = []
  var timers: [ObjectIdentifier: LoopTimer] = [:]
  var isRunning = false
  var isClosed = false

  /// A new loop for the calling thread.
  public convenience init() {
    let handle = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let status = unsafe uv_loop_init(handle)
    precondition(status == 0, "No libuv loop could be made: \(describe(status)).")
    unsafe self.init(handle: handle, owned: true)
  }

  /// Takes part in a loop that the program already has and runs itself with `uv_run`.
  ///
  /// Call this on the loop's thread. What is added here does not keep the loop alive. The program
  /// calls `close()` before `uv_loop_close`, and lets the loop turn once in between.
  public convenience init(adopting handle: UnsafeMutablePointer<uv_loop_t>) {
    unsafe self.init(handle: handle, owned: false)
  }

  private init(handle: UnsafeMutablePointer<uv_loop_t>, owned: Bool) {
    precondition(
      UVLoop.current == nil,
      "This thread has a UVLoop already; use UVLoop.current, or close it."
    )
    unsafe self.handle = handle
    ownsHandle = owned
    handles = LoopHandles(drivingMainQueue: clibuv_on_main_thread())
    startHandles()
    ThreadSlot.set(self)
  }

  deinit {
    // `close` has run: until then the thread keeps the loop.
    if ownsHandle { unsafe handle.deallocate() }
  }

  /// The calling thread's loop, if it has one (nanoseconds).
  public static var current: UVLoop? { ThreadSlot.get() }

  /// Whether the calling thread is the loop's (nanoseconds).
  public var isCurrent: Bool { ThreadSlot.holds(self) }

  func requireOwnThread(_ function: StaticString = #function) {
    precondition(
      isCurrent,
      "UVLoop.\(function) called on another thread than the loop's; use execute(_:)."
    )
    precondition(!isClosed, "UVLoop.\(function) called on a loop that is closed.")
  }
}

func describe(_ status: Int32) -> String { unsafe String(cString: uv_strerror(status)) }
