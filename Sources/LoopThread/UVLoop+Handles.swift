import Clibuv

/// The libuv handles of one `UVLoop`. libuv keeps their addresses, so each is an allocation of its
/// own, which is given back when libuv has closed it.
struct LoopHandles {
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
    mainQueue = drivingMainQueue ? .allocate(capacity: 1) : nil
  }

  var all: [UnsafeMutablePointer<uv_handle_t>] {
    let known: [UnsafeMutableRawPointer?] = [
      UnsafeMutableRawPointer(inbox), UnsafeMutableRawPointer(prepare),
      UnsafeMutableRawPointer(check), UnsafeMutableRawPointer(deadline),
      mainQueue.map { UnsafeMutableRawPointer($0) },
    ]
    return known.compactMap { $0?.assumingMemoryBound(to: uv_handle_t.self) }
  }
}

/// What other threads raise to be heard. It stays open as long as anybody has the loop, so that it can
/// be raised without a lock, also when the loop is closed.
final class LoopSignal: Sendable {
  let descriptor = clibuv_make_signal()

  init() { precondition(descriptor >= 0, "No descriptor could be had for a UVLoop.") }

  deinit { clibuv_close_signal(descriptor) }

  func raise() { clibuv_raise(descriptor) }
  func lower() { clibuv_lower(descriptor) }
}

extension UVLoop {
  func startHandles() {
    must(uv_poll_init(handle, handles.inbox, signal.descriptor))
    must(
      uv_poll_start(handles.inbox, Int32(UV_READABLE.rawValue)) { poll, _, _ in
        UVLoop.of(poll!.pointee.data).drain()
      }
    )
    must(uv_prepare_init(handle, handles.prepare))
    must(uv_prepare_start(handles.prepare) { UVLoop.of($0!.pointee.data).startTurn() })
    must(uv_check_init(handle, handles.check))
    must(uv_check_start(handles.check) { UVLoop.of($0!.pointee.data).startTurn() })
    must(uv_timer_init(handle, handles.deadline))
    if let poll = handles.mainQueue {
      must(uv_poll_init(handle, poll, clibuv_main_queue_descriptor()))
      must(
        uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, _, _ in
          UVLoop.of(poll!.pointee.data).runMainQueue()
        }
      )
    }
    for each in handles.all {
      each.pointee.data = Unmanaged.passUnretained(self).toOpaque()
      // A loop of our own runs until it is stopped; an adopted one as long as its owner wants.
      let isInbox = OpaquePointer(each) == OpaquePointer(handles.inbox)
      let keepsRunning = ownsHandle && isInbox
      if !keepsRunning { uv_unref(each) }
    }
  }

  private func runMainQueue() {
    startTurn()
    clibuv_run_main_queue(clibuv_main_queue_descriptor())
  }

  /// The loop behind one of its handles. Unretained: the thread keeps the loop until `close`.
  private static func of(_ data: UnsafeMutableRawPointer?) -> UVLoop {
    guard let data else { preconditionFailure("A libuv handle of a UVLoop lost its loop.") }
    return Unmanaged<UVLoop>.fromOpaque(data).takeUnretainedValue()
  }

  private func must(_ status: Int32) {
    precondition(status == 0, "libuv refused a handle of a UVLoop: \(describe(status)).")
  }
}
