internal import CPlatform
import Synchronization

/// A thread of its own that sleeps in the kernel for a byte lock and can be called off.
final class PosixLockWait: LockWait {
  /// What the thread needs, kept alive by it until it has called back or was cancelled.
  private final class Completion: Sendable {
    let end: @Sendable () -> Void
    let done: @Sendable (Int32) -> Void

    init(end: @escaping @Sendable () -> Void, done: @escaping @Sendable (Int32) -> Void) {
      self.end = end
      self.done = done
    }
  }

  private let completion: Completion
  /// The C handle as a number; 0 before the start.
  private let handle = LockedValue<UInt>(0)

  /// `end` is called once the descriptor is no longer needed, before `done`.
  init(end: @escaping @Sendable () -> Void, done: @escaping @Sendable (Int32) -> Void) {
    completion = Completion(end: end, done: done)
  }

  deinit {
    let handle = handle.withLock { $0 }
    if let pointer = OpaquePointer(bitPattern: handle) { holdfast_lock_wait_release(pointer) }
  }

  /// Returns an errno value if no thread could be made.
  func start(descriptor: Int32, byte: UInt64, kind: Int32) -> Int32 {
    let context = Unmanaged.passRetained(completion)
    var made: OpaquePointer?
    let code = holdfast_lock_wait_start(
      descriptor, byte, kind,
      { context, code in
        let completion = Unmanaged<Completion>.fromOpaque(context!).takeRetainedValue()
        completion.end()
        completion.done(code)
      }, context.toOpaque(), &made)
    let number = UInt(bitPattern: made)
    if code == 0 { handle.withLock { $0 = number } } else { context.release() }
    return code
  }

  func cancel() -> Bool {
    // The lock is held while the thread ends, so that a second caller does not outrun the first.
    let cancelled = handle.withLock { handle in
      OpaquePointer(bitPattern: handle).map { holdfast_lock_wait_cancel($0) == 1 } ?? false
    }
    guard cancelled else { return false }
    Unmanaged.passUnretained(completion).release()
    completion.end()
    return true
  }
}
