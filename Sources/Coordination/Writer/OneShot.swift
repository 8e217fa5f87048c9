import Platform
import Synchronization

/// A value that one thread hands to another one, which sleeps until it is there.
final class OneShot<Value: Sendable>: Sendable {
  private let value = LockedValue<Value?>(nil)
  /// 0 until the value is there. A word of its own, because the kernel watches its address.
  private nonisolated(unsafe) let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

  private let system: any System

  init(system: any System) {
    self.system = system
    word.initialize(to: Atomic(0))
  }

  deinit {
    word.deallocate()
  }

  func send(_ value: Value) {
    self.value.withLock { $0 = value }
    word.pointee.store(1, ordering: .releasing)
    system.wake(UnsafeMutableRawPointer(word), count: 1)
  }

  func wait() -> Value {
    while true {
      if let value = received() { return value }
      system.wait(on: UnsafeMutableRawPointer(word), while: 0, timeout: nil)
    }
  }

  /// nil if the value has not come in that time.
  func wait(nanoseconds: UInt64) -> Value? {
    let deadline = system.now() + nanoseconds
    while true {
      if let value = received() { return value }
      let now = system.now()
      if now >= deadline { return nil }
      system.wait(on: UnsafeMutableRawPointer(word), while: 0, timeout: deadline - now)
    }
  }

  private func received() -> Value? {
    guard word.pointee.load(ordering: .acquiring) != 0 else { return nil }
    return value.withLock { $0 }
  }
}
