extension Decimal128: Comparable, Hashable {
  /// Whether both are the same number, whatever their digits: `1.0` equals `1.00`. What is not a
  /// number equals nothing.
  public static func == (left: Decimal128, right: Decimal128) -> Bool {
    compare(left, right) == 0
  }

  /// Whether the first number is less than the second. False if either is not a number.
  public static func < (left: Decimal128, right: Decimal128) -> Bool {
    compare(left, right).map { $0 < 0 } ?? false
  }

  /// Whether the first number is less than or equal to the second. False if either is not a number.
  public static func <= (left: Decimal128, right: Decimal128) -> Bool {
    compare(left, right).map { $0 <= 0 } ?? false
  }

  /// Whether the first number is greater than the second. False if either is not a number.
  public static func > (left: Decimal128, right: Decimal128) -> Bool { right < left }
  /// Whether the first number is greater than or equal to the second. False if either is not a
  /// number.
  public static func >= (left: Decimal128, right: Decimal128) -> Bool { right <= left }

  /// Equal numbers hash alike whatever their digits: `1.0` as `1.00`.
  public func hash(into hasher: inout Hasher) {
    guard isFinite else {
      hasher.combine(isNaN ? Decimal128.nan.high : high)
      return
    }
    var parts = parts
    if parts.coefficient == 0 {
      hasher.combine(0)
      return
    }
    while true {
      let (shorter, digit) = parts.coefficient.quotientAndRemainder(dividingBy: 10)
      if digit != 0 { break }
      parts.coefficient = shorter
      parts.exponent += 1
    }
    hasher.combine(parts.negative)
    hasher.combine(parts.coefficient)
    hasher.combine(parts.exponent)
  }

  /// Negative, zero or positive; nil if one is not a number.
  private static func compare(_ left: Decimal128, _ right: Decimal128) -> Int? {
    if left.isNaN || right.isNaN { return nil }
    let (leftRank, rightRank) = (left.rank, right.rank)
    if leftRank != rightRank { return leftRank - rightRank }
    // Of one rank: both the same infinity, both zero, or both finite of one sign.
    if leftRank == 0 || abs(leftRank) == 2 { return 0 }
    let magnitudes = compareMagnitudes(left.parts, right.parts)
    return leftRank < 0 ? -magnitudes : magnitudes
  }

  /// -2 negative infinity, -1 negative, 0 zero, 1 positive, 2 infinity.
  private var rank: Int {
    if isInfinite { return isNegative ? -2 : 2 }
    if parts.coefficient == 0 { return 0 }
    return isNegative ? -1 : 1
  }

  private static func compareMagnitudes(_ left: Parts, _ right: Parts) -> Int {
    let leftTop = digitCount(left.coefficient) + left.exponent
    let rightTop = digitCount(right.coefficient) + right.exponent
    if leftTop != rightTop { return leftTop - rightTop }
    // The same highest digit's place: exponents differ by less than 34.
    let shift = left.exponent - right.exponent
    let (first, second) =
      shift >= 0
      ? (left.coefficient * powerOfTen(shift), right.coefficient)
      : (left.coefficient, right.coefficient * powerOfTen(-shift))
    return first < second ? -1 : first == second ? 0 : 1
  }
}
