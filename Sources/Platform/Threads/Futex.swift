internal import CPlatform

/// Sleeping on a word of memory that several processes share. The word is at a multiple of 4 bytes.
public enum Futex {
  /// Sleeps as long as the word at `address` holds `expected` and nobody wakes it; may return for
  /// no reason. `timeout` is nanoseconds; nil waits for ever.
  public static func wait(
    _ address: UnsafeMutableRawPointer, while expected: UInt32, timeout: UInt64? = nil
  ) {
    _ = holdfast_futex_wait(address, expected, timeout.map { Int64(clamping: $0) } ?? -1)
  }

  /// Wakes up to `count` sleepers and returns how many there were.
  @discardableResult
  public static func wake(_ address: UnsafeMutableRawPointer, count: Int32 = .max) -> Int {
    Int(holdfast_futex_wake(address, count))
  }
}
