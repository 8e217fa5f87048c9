import Platform
import Synchronization

/// One thread that sleeps until another one hands it a value.
final class ParkedThread<Value: Sendable>: Sendable {
  private let value = Guarded<Value?>(nil)
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

  func wake(with value: Value) {
    self.value.withLock { $0 = value }
    word.pointee.store(1, ordering: .releasing)
    system.wake(UnsafeMutableRawPointer(word), count: 1)
  }

  func wait() -> Value {
    while true {
      if word.pointee.load(ordering: .acquiring) != 0, let value = value.withLock({ $0 }) {
        return value
      }
      system.wait(on: UnsafeMutableRawPointer(word), while: 0, timeout: nil)
    }
  }
}
