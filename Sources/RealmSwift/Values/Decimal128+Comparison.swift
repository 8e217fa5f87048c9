import ObjectStore

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
    hasher.combine(parts.isNegative)
    hasher.combine(parts.coefficient)
    hasher.combine(parts.exponent)
  }

  /// Negative, zero or positive; nil if one is not a number.
  private static func compare(_ left: Decimal128, _ right: Decimal128) -> Int? {
    if left.isNaN || right.isNaN { return nil }
    return switch left.parts.compare(to: right.parts) {
    case .less: -1
    case .equal: 0
    case .greater: 1
    case .different: nil
    }
  }
}
