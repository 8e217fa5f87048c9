/// Some of the up to 256 rows of a cluster: one bit for each.
@frozen
public struct Selection: Equatable, Sendable {
  public var words: SIMD4<UInt64>

  @inlinable @inline(__always)
  public init(words: SIMD4<UInt64>) { self.words = words }

  @inlinable @inline(__always)
  public static var none: Selection { Selection(words: SIMD4()) }

  /// The first `count` rows.
  @inlinable @inline(__always)
  public static func first(_ count: Int) -> Selection {
    if count >= 256 { return Selection(words: SIMD4(repeating: .max)) }
    var words = SIMD4<UInt64>()
    let whole = count &>> 6
    for word in 0..<whole { words[word] = .max }
    words[whole] = (1 &<< UInt64(count & 63)) &- 1
    return Selection(words: words)
  }

  @inlinable @inline(__always)
  public static func row(_ row: Int) -> Selection {
    var words = SIMD4<UInt64>()
    words[row &>> 6] = 1 &<< UInt64(row & 63)
    return Selection(words: words)
  }

  /// The first `count` bits at `bitmap`, which has (count + 63) / 64 words.
  @inlinable @inline(__always)
  static func load(_ bitmap: UnsafePointer<UInt64>, count: Int) -> Selection {
    var words = SIMD4<UInt64>()
    for word in 0..<((count &+ 63) &>> 6) { words[word] = unsafe bitmap[word] }
    return Selection(words: words) & .first(count)
  }

  @inlinable @inline(__always)
  public static func & (left: Selection, right: Selection) -> Selection {
    Selection(words: left.words & right.words)
  }

  @inlinable @inline(__always)
  public static func | (left: Selection, right: Selection) -> Selection {
    Selection(words: left.words | right.words)
  }

  /// The rows of this selection that are not in the other.
  @inlinable @inline(__always)
  public func subtracting(_ other: Selection) -> Selection {
    Selection(words: words & ~other.words)
  }

  @inlinable @inline(__always)
  public var isEmpty: Bool { (words[0] | words[1] | words[2] | words[3]) == 0 }

  @inlinable @inline(__always)
  public var count: Int {
    (words[0].nonzeroBitCount &+ words[1].nonzeroBitCount)
      &+ (words[2].nonzeroBitCount &+ words[3].nonzeroBitCount)
  }

  @inlinable @inline(__always)
  public func contains(_ row: Int) -> Bool { words[row &>> 6] & (1 &<< UInt64(row & 63)) != 0 }

  @inlinable @inline(__always)
  public mutating func insert(_ row: Int) { words[row &>> 6] |= 1 &<< UInt64(row & 63) }

  /// The first row, or nil.
  @inlinable
  public var first: Int? {
    for word in 0..<4 where words[word] != 0 {
      return word &<< 6 &+ words[word].trailingZeroBitCount
    }
    return nil
  }

  /// Calls `body` with each row, in order. Faster than taking them out one by one.
  @inlinable @inline(__always)
  public func forEach<Failure: Error>(
    _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    for word in 0..<4 {
      var bits = words[word]
      while bits != 0 {
        try body(word &<< 6 &+ bits.trailingZeroBitCount)
        bits &= bits &- 1
      }
    }
  }

  /// Takes the first row out of the selection.
  @inlinable @inline(__always)
  public mutating func popFirst() -> Int? {
    for word in 0..<4 where words[word] != 0 {
      let bit = words[word].trailingZeroBitCount
      words[word] &= words[word] &- 1
      return word &<< 6 &+ bit
    }
    return nil
  }
}
