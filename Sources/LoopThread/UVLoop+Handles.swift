import Clibuv

/// The libuv handles of one `UVLoop`. libuv keeps their addresses, so each is an allocation of its
/// own, which is given back when libuv has closed it.
@safe struct LoopHandles {
  /// Another thread has left something in the inbox: the signal is raised.
  let inbox = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
  /// Before the loop waits.
  let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  /// After it has waited.
  let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
  /// Ends `run(for:)`.
  let deadline = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  /// The main dispatch queue has work. On the main thread only.
  let mainQueue: UnsafeMutablePointer<uv_poll_t>?

  init(drivingMainQueue: Bool) {
    unsafe mainQueue = drivingMainQueue ? .allocate(capacity: 1) : nil
  }

  var all: [UnsafeMutablePointer<uv_handle_t>] {
    let known: [UnsafeMutableRawPointer?] = unsafe [
      UnsafeMutableRawPointer(inbox), UnsafeMutableRawPointer(prepare),
      UnsafeMutableRawPointer(check), UnsafeMutableRawPointer(deadline),
      mainQueue.map { UnsafeMutableRawPointer($0) },
    ]
    return unsafe known.compactMap { unsafe $0?.assumingMemoryBound(to: uv_handle_t.self) }
  }
}

/// What other threads signal to wake the loop. It stays open as long as the loop is referenced, so
/// that it can be raised without a lock, also when the loop is closed.
final class LoopSignal: Sendable {
  let descriptor = clibuv_make_signal()

  init() { precondition(descriptor >= 0, "No descriptor could be had for a UVLoop.") }

  deinit { clibuv_close_signal(descriptor) }

  func raise() { clibuv_raise(descriptor) }
  func lower() { clibuv_lower(descriptor) }
}

extension UVLoop {
  func startHandles() {
    unsafe must(uv_poll_init(handle, handles.inbox, signal.descriptor))
    unsafe must(
      uv_poll_start(handles.inbox, Int32(UV_READABLE.rawValue)) { poll, _, _ in
        unsafe UVLoop.of(poll!.pointee.data).drain()
      }
    )
    unsafe must(uv_prepare_init(handle, handles.prepare))
    unsafe must(
      uv_prepare_start(handles.prepare) { unsafe UVLoop.of($0!.pointee.data).startTurn() })
    unsafe must(uv_check_init(handle, handles.check))
    unsafe must(uv_check_start(handles.check) { unsafe UVLoop.of($0!.pointee.data).startTurn() })
    unsafe must(uv_timer_init(handle, handles.deadline))
    if let poll = unsafe handles.mainQueue {
      unsafe must(uv_poll_init(handle, poll, clibuv_main_queue_descriptor()))
      unsafe must(
        uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, _, _ in
          unsafe UVLoop.of(poll!.pointee.data).runMainQueue()
        }
      )
    }
    unsafe handles.all.forEach { item in
      unsafe item.pointee.data = Unmanaged.passUnretained(self).toOpaque()
      // A loop of our own runs until it is stopped; an adopted one as long as its owner wants.
      let isInbox = unsafe OpaquePointer(item) == OpaquePointer(handles.inbox)
      let keepsRunning = ownsHandle && isInbox
      if !keepsRunning { unsafe uv_unref(item) }
    }
  }

  private func runMainQueue() {
    startTurn()
    clibuv_run_main_queue(clibuv_main_queue_descriptor())
  }

  /// The loop behind one of its handles. Unretained: the thread keeps the loop until `close`.
  private static func of(_ data: UnsafeMutableRawPointer?) -> UVLoop {
    guard let data = unsafe data else {
      preconditionFailure("A libuv handle of a UVLoop lost its loop.")
    }
    return unsafe Unmanaged<UVLoop>.fromOpaque(data).takeUnretainedValue()
  }

  private func must(_ status: Int32) {
    precondition(status == 0, "libuv refused a handle of a UVLoop: \(describe(status)).")
  }
}
