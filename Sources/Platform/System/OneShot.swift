/// A value that one thread sends once and another one waits for.
///
/// The waiting thread sleeps by the system that it belongs to, so that it does so in a simulation,
/// too.
public final class OneShot<Value: Sendable>: Sendable {
  private let value = LockedValue<Value?>(nil)
  /// 0 until the value is there.
  private let word = FutexWord(0)
  private let system: any System

  /// Nothing has been sent yet.
  public init(system: any System) { self.system = system }

  /// Gives the waiting thread its value. Called once, by a thread that has a reference of its own:
  /// the other one may drop its reference before this returns.
  public func send(_ value: Value) {
    self.value.withLock { $0 = value }
    word.value = 1
    word.wake(count: 1, by: system)
  }

  /// Sleeps until the value is there.
  public func wait() -> Value {
    while true {
      if let value = received() { return value }
      word.wait(while: 0, timeout: nil, by: system)
    }
  }

  /// nil if the value has not come in that time.
  public func wait(nanoseconds: UInt64) -> Value? {
    let deadline = system.now() + nanoseconds
    while true {
      if let value = received() { return value }
      let now = system.now()
      if now >= deadline { return nil }
      word.wait(while: 0, timeout: deadline - now, by: system)
    }
  }

  private func received() -> Value? {
    guard word.value != 0 else { return nil }
    return value.withLock { $0 }
  }
}
