/// Inserting and removing single bits in bitmaps of little-endian 64-bit words.
///
/// Bits at and beyond the count are always 0.
enum BitMath {
  /// Takes out bit `index` of `count`; the bits above move down.
  static func remove(_ base: UnsafeMutableRawPointer, _ index: Int, count: Int) {
    let words = unsafe base.assumingMemoryBound(to: UInt64.self)
    let last = (count &- 1) >> 6
    let first = index >> 6
    let low: UInt64 = (1 &<< UInt64(index & 63)) &- 1
    unsafe words[first] = (words[first] & low) | ((words[first] >> 1) & ~low)
    var word = first
    while word < last {
      unsafe words[word] |= words[word + 1] << 63
      unsafe words[word + 1] >>= 1
      word += 1
    }
  }

  /// Puts in a 0 at `index`; the bits from there on move up. There must be room for `count` + 1.
  static func insert(_ base: UnsafeMutableRawPointer, _ index: Int, count: Int) {
    let words = unsafe base.assumingMemoryBound(to: UInt64.self)
    let first = index >> 6
    var word = count >> 6
    while word > first {
      unsafe words[word] = (words[word] << 1) | (words[word - 1] >> 63)
      word -= 1
    }
    let low: UInt64 = (1 &<< UInt64(index & 63)) &- 1
    unsafe words[first] = (words[first] & low) | ((words[first] & ~low) << 1)
  }
}
