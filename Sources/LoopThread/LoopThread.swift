import Platform
import Clibuv
import Synchronization

/// A thread that runs a `UVLoop`: the place for realms that should stay up to date by themselves.
///
///     let thread = LoopThread(name: "viewer")
///     thread.perform {
///       let realm = try! Realm()
///       ...
///     }
///     thread.join()
///
/// It ends at `join()` or `stop()`, or with its last reference, after all work that was submitted
/// before.
public final class LoopThread: Sendable {
  /// The thread's loop.
  public let loop: UVLoop
  /// The thread's name, as debuggers and `ps -L` show it (the kernel keeps 15 bytes).
  public let name: String
  private let thread: LockedValue<uv_thread_t?>

  /// Starts the thread.
  ///
  /// - Parameter stackSize: bytes of stack.
  public init(name: String = "UVLoop", stackSize: Int = 8 << 20) {
    self.name = name
    let start = ThreadStart(name: name)
    let argument = unsafe Unmanaged.passRetained(start).toOpaque()
    var options = uv_thread_options_t()
    options.flags = UInt32(UV_THREAD_HAS_STACK_SIZE.rawValue)
    options.stack_size = stackSize
    var identity = uv_thread_t()
    let status = unsafe uv_thread_create_ex(
      &identity, &options, { unsafe runLoopThread($0) }, unsafe argument)
    precondition(status == 0, "No thread could be started: \(describe(status)).")
    loop = start.waitForLoop()
    thread = LockedValue(identity)
  }

  deinit {
    stop()
    // It will not be joined.
    if let identity = thread.withLock({ $0 }) { pthread_detach(identity) }
  }

  /// Runs `work` on the thread, in the order of the calls; returns at once. From any thread.
  ///
  /// - Returns: false if the thread has ended; `work` is dropped then.
  @discardableResult
  public func perform(_ work: @escaping @Sendable () -> Void) -> Bool { loop.execute(work) }

  /// Runs `work` on the thread and waits for what it returns. On the thread itself it runs at once.
  public func performAndWait<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if loop.isCurrent { return try work() }
    let outcome = OneShot<Result<Value, Failure>>(system: PosixSystem.shared)
    let accepted = perform {
      do throws(Failure) { outcome.send(.success(try work())) } catch {
        outcome.send(.failure(error))
      }
    }
    precondition(
      accepted,
      "LoopThread.performAndWait called on a thread that has ended."
    )
    return try outcome.wait().get()
  }

  /// Lets the thread end after the work submitted before. Does not wait. From any thread.
  public func stop() {
    let loop = loop
    loop.execute { loop.stop() }
  }

  /// Lets the thread end after the work submitted before, and waits until it has. Once it has
  /// ended, further calls return at once. Not from the thread itself.
  public func join() {
    precondition(!loop.isCurrent, "LoopThread.join called on the thread itself; use stop().")
    stop()
    thread.withLock { identity in
      guard var joined = identity else { return }
      unsafe uv_thread_join(&joined)
      identity = nil
    }
  }
}

/// What a thread that starts and the one that waits for its loop have in common.
private final class ThreadStart: Sendable {
  let name: String
  private let loop = OneShot<UVLoop>(system: PosixSystem.shared)

  init(name: String) { self.name = name }

  func waitForLoop() -> UVLoop { loop.wait() }

  func run() {
    unsafe clibuv_name_thread(name)
    let loop = UVLoop()
    self.loop.send(loop)
    loop.run()
    loop.close()
  }
}

private func runLoopThread(_ argument: UnsafeMutableRawPointer?) {
  guard let argument = unsafe argument else { return }
  unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().run()
}
