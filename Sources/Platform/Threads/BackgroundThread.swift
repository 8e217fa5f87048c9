internal import CPlatform
import Glibc

/// A detached thread that receives no signals.
public enum BackgroundThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// `name` shows in debuggers; up to 15 bytes of it.
  public static func start(
    name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let context = Unmanaged.passRetained(Body(run))
    let code = holdfast_thread_start(
      String(decoding: name.utf8.prefix(15), as: UTF8.self),
      { context in
        // Not the short slice of a loop that happens to have started it.
        ProcessorSlice.setForCallingThread(nil)
        Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard code != 0 else { return }
    context.release()
    throw SystemError(call: .thread, path: name, code: code)
  }

  /// Lets time pass on the calling thread.
  public static func pause(nanoseconds: UInt64) {
    var rest = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while true {
      var left = timespec()
      if nanosleep(&rest, &left) == 0 || errno != EINTR { return }
      rest = left
    }
  }
}
