import Clibuv

/// Something that a loop calls after a while, once or again and again. Own thread only.
@safe public final class LoopTimer {
  /// Freed by libuv once it has closed it; nil from then on.
  private var handle: UnsafeMutablePointer<uv_timer_t>?
  private weak var loop: UVLoop?
  private let body: () -> Void

  init(loop: UVLoop, after delay: Duration, every period: Duration?, body: @escaping () -> Void) {
    self.loop = loop
    self.body = body
    let handle = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    unsafe self.handle = handle
    unsafe uv_timer_init(loop.handle, handle)
    unsafe handle.pointee.data = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe uv_update_time(loop.handle)
    let again = period.map { max(1, milliseconds($0)) } ?? 0
    unsafe uv_timer_start(handle, { unsafe LoopTimer.fire($0) }, milliseconds(delay), again)
  }

  /// No more calls.
  public func cancel() {
    guard let handle = unsafe handle else { return }
    unsafe self.handle = nil
    let raw = unsafe UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
    unsafe uv_close(raw) { unsafe $0?.deallocate() }
    loop?.timers[ObjectIdentifier(self)] = nil
  }

  private static func fire(_ handle: UnsafeMutablePointer<uv_timer_t>?) {
    guard let handle = unsafe handle, let data = unsafe handle.pointee.data else { return }
    // The loop's table holds it as long as the handle is open.
    let timer = unsafe Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue()
    if unsafe uv_timer_get_repeat(handle) == 0 { timer.cancel() }
    timer.body()
  }
}

extension UVLoop {
  /// Calls `body` after `delay` (to the millisecond), and then every `period` if there is one. The
  /// loop keeps the timer until then; cancel it with what this returns. Own thread only.
  @discardableResult
  public func schedule(
    after delay: Duration,
    every period: Duration? = nil,
    _ body: @escaping () -> Void
  ) -> LoopTimer {
    requireOwnThread()
    let timer = LoopTimer(loop: self, after: delay, every: period, body: body)
    timers[ObjectIdentifier(timer)] = timer
    return timer
  }
}
