/// Lengths of free runs in classes: eight to each doubling, so that lengths of one class differ by
/// less than an eighth. Numbers are units of 8 bytes; runs of 2^15 units and more are one class.
enum SizeClass {
  /// The class of a length of at least 1.
  @inline(__always)
  static func of(_ length: Int) -> Int {
    if length < 16 { return length }
    if length >= Region.unitCount { return largest }
    let octave = Int.bitWidth - 1 - length.leadingZeroBitCount
    return (octave - 2) * 8 + (length >> (octave - 3)) - 8
  }

  static let largest = 104

  /// The lengths of a class.
  static func lengths(of sizeClass: Int) -> ClosedRange<Int> {
    if sizeClass < 16 { return sizeClass...sizeClass }
    let step = sizeClass / 8 - 1
    let first = (sizeClass % 8 + 8) << step
    return first...(sizeClass == largest ? Int.max : first + 1 << step - 1)
  }
}

/// Classes of which a stretch of the file has a run, or may have: too many at worst, never too few.
struct SizeClassSet: Hashable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  static let none = SizeClassSet()

  /// `first` and all larger ones.
  static func from(_ first: Int) -> SizeClassSet {
    var set = SizeClassSet()
    if first < 64 {
      set.low = UInt64.max << UInt64(first)
      set.high = .max
    } else {
      set.high = UInt64.max << UInt64(first - 64)
    }
    return set
  }

  /// All up to `last`.
  static func upTo(_ last: Int) -> SizeClassSet {
    let above = from(last + 1)
    var set = SizeClassSet()
    set.low = ~above.low
    set.high = ~above.high
    return set
  }

  var isEmpty: Bool { low | high == 0 }

  /// The smallest class; of use only if there is one.
  var first: Int {
    low != 0 ? low.trailingZeroBitCount : 64 + high.trailingZeroBitCount
  }

  @inline(__always)
  func contains(_ member: Int) -> Bool {
    member < 64 ? low >> UInt64(member) & 1 == 1 : high >> UInt64(member - 64) & 1 == 1
  }

  @inline(__always)
  mutating func insert(_ member: Int) {
    if member < 64 { low |= 1 << UInt64(member) } else { high |= 1 << UInt64(member - 64) }
  }

  @inline(__always)
  mutating func remove(_ member: Int) {
    if member < 64 { low &= ~(1 << UInt64(member)) } else { high &= ~(1 << UInt64(member - 64)) }
  }

  @inline(__always)
  mutating func formUnion(_ other: SizeClassSet) {
    low |= other.low
    high |= other.high
  }

  @inline(__always)
  func intersection(_ other: SizeClassSet) -> SizeClassSet {
    var set = self
    set.low &= other.low
    set.high &= other.high
    return set
  }

  @inline(__always)
  mutating func subtract(_ other: SizeClassSet) {
    low &= ~other.low
    high &= ~other.high
  }

  func isSuperset(of other: SizeClassSet) -> Bool { intersection(other) == other }
}
