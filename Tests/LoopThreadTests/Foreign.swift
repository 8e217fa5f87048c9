import Clibuv

/// A libuv loop as a program has it that knows nothing of this library.
@safe final class ForeignLoop {
  let handle = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)

  init() { unsafe uv_loop_init(handle) }
  deinit { unsafe handle.deallocate() }

  /// Runs until nothing is left to wait for; returns whether something was left all the same.
  @discardableResult func run() -> Bool { unsafe uv_run(handle, UV_RUN_DEFAULT) != 0 }
  func close() -> Bool { unsafe uv_loop_close(handle) == 0 }
}

/// Runs `body` on a new thread that this library has not made, and waits for the thread's end.
func onBareThread(_ body: @escaping @Sendable () -> Void) {
  var thread = uv_thread_t()
  let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
  unsafe uv_thread_create(
    &thread, { unsafe Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() }, unsafe argument)
  unsafe uv_thread_join(&thread)
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
