import Clibuv

/// The place in every thread that holds its loop, retained.
enum ThreadSlot {
  private static let key: uv_key_t = {
    var key = uv_key_t()
    let status = unsafe clibuv_make_thread_key(&key) { pointer in
      // The thread ends. Its slot is empty already; closing needs it once more.
      guard let pointer = unsafe pointer else { return }
      let loop = unsafe Unmanaged<UVLoop>.fromOpaque(pointer).takeRetainedValue()
      ThreadSlot.set(loop)
      loop.close()
    }
    precondition(status == 0, "No thread-local key is left.")
    return key
  }()

  static func get() -> UVLoop? {
    var key = key
    guard let pointer = unsafe uv_key_get(&key) else { return nil }
    return unsafe Unmanaged<UVLoop>.fromOpaque(pointer).takeUnretainedValue()
  }

  static func holds(_ loop: UVLoop) -> Bool {
    var key = key
    return unsafe uv_key_get(&key)
      == UnsafeMutableRawPointer(Unmanaged.passUnretained(loop).toOpaque())
  }

  static func set(_ loop: UVLoop) {
    var key = key
    unsafe uv_key_set(&key, Unmanaged.passRetained(loop).toOpaque())
  }

  /// Empties the calling thread's slot.
  static func clear() {
    var key = key
    guard let pointer = unsafe uv_key_get(&key) else { return }
    unsafe uv_key_set(&key, nil)
    unsafe Unmanaged<UVLoop>.fromOpaque(pointer).release()
  }
}
