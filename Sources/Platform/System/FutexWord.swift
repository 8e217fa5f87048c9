import Synchronization

/// A 4-byte word of this process that threads sleep on by way of a `System`. It has memory of its
/// own, because the kernel watches its address.
public struct FutexWord: ~Copyable, Sendable {
  /// Only touched atomically.
  private nonisolated(unsafe) let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

  public init(_ value: UInt32) { word.initialize(to: Atomic(value)) }

  deinit {
    word.deinitialize(count: 1)
    word.deallocate()
  }

  /// An acquiring load, and a releasing store.
  public var value: UInt32 {
    get { word.pointee.load(ordering: .acquiring) }
    nonmutating set { word.pointee.store(newValue, ordering: .releasing) }
  }

  /// Sleeps as long as the word holds `expected` and no `wake` comes; may return for no reason.
  /// `timeout` is nanoseconds; nil waits for ever.
  public func wait(while expected: UInt32, timeout: UInt64?, by system: any System) {
    system.wait(on: UnsafeMutableRawPointer(word), while: expected, timeout: timeout)
  }

  public func wake(count: Int32, by system: any System) {
    system.wake(UnsafeMutableRawPointer(word), count: count)
  }

  /// To sleep on it together with others, as long as it holds `expected`. Valid as long as the
  /// word.
  public func awaited(while expected: UInt32) -> AwaitedWord {
    AwaitedWord(address: UnsafeMutableRawPointer(word), expected: expected)
  }
}
