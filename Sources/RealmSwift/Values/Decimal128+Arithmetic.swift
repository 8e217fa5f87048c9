import ObjectStore

// Results that are exact have no zeros behind the point that they do not need: 12.50 - 2.50 is 10.
extension Decimal128 {
  /// The sum, rounded to 34 digits.
  public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
    Decimal128(left.parts + right.parts)
  }

  /// The difference, rounded to 34 digits.
  public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
    Decimal128(left.parts + -right.parts)
  }

  /// The product, rounded to 34 digits.
  public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    Decimal128(left.parts * right.parts)
  }

  /// The quotient, rounded to 34 digits; infinite, or not a number, if the divisor is zero.
  public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    Decimal128(left.parts / right.parts)
  }

  /// Multiplies by a number.
  public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }
  /// Divides by a number.
  public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }

  /// The number with the other sign.
  public static prefix func - (value: Decimal128) -> Decimal128 {
    Decimal128(high: value.high ^ 1 << 63, low: value.low)
  }

  /// Changes the sign.
  public mutating func negate() {
    self = -self
  }

  /// The number without its sign.
  public var magnitude: Decimal128 {
    Decimal128(high: high & ~(1 << 63), low: low)
  }
}
