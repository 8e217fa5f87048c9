internal import CPlatform
import Glibc

/// Sleeping on a word of memory that several processes share. The word is at a multiple of 4 bytes.
public enum Futex {
  /// Sleeps as long as the word at `address` holds `expected` and no `wake` comes; may return for
  /// no reason. `timeout` is nanoseconds; nil waits for ever. Returns false if the time was over.
  @discardableResult
  public static func wait(
    _ address: UnsafeMutableRawPointer, while expected: UInt32, timeout: UInt64? = nil
  ) -> Bool {
    let limit = timeout.map { Int64(clamping: $0) } ?? -1
    return holdfast_futex_wait(address, expected, limit) != ETIMEDOUT
  }

  /// How many words a thread can sleep on at once here.
  static let awaitedWordsMax = holdfast_can_wait_for_any() != 0 ? HOLDFAST_AWAITED_WORDS_MAX : 1

  /// Sleeps until one of the words is woken or does not hold what it is expected to; may return for
  /// no reason.
  static func wait(onAnyOf words: [AwaitedWord], timeout: UInt64?) {
    precondition(words.count <= Int(HOLDFAST_AWAITED_WORDS_MAX))
    withUnsafeTemporaryAllocation(of: holdfast_awaited_word.self, capacity: words.count) { raw in
      for (index, word) in words.enumerated() {
        raw[index] = holdfast_awaited_word(
          address: UnsafeRawPointer(word.address), expected: word.expected)
      }
      holdfast_futex_wait_any(
        raw.baseAddress, UInt32(words.count), timeout.map { Int64(clamping: $0) } ?? -1)
    }
  }

  /// Wakes up to `count` sleepers and returns how many there were.
  @discardableResult
  public static func wake(_ address: UnsafeMutableRawPointer, count: Int32 = .max) -> Int {
    Int(holdfast_futex_wake(address, count))
  }
}

/// A 4-byte word to sleep on, and what it holds until something happens.
public struct AwaitedWord {
  public var address: UnsafeMutableRawPointer
  public var expected: UInt32

  public init(address: UnsafeMutableRawPointer, expected: UInt32) {
    self.address = address
    self.expected = expected
  }
}
