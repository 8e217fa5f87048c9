extension Decimal128 {
  /// The sum, rounded to 34 digits.
  public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
    guard left.isFinite && right.isFinite else { return addingSpecial(left, right) }
    let (first, second) = (left.parts, right.parts)
    return first.exponent >= second.exponent ? add(first, second) : add(second, first)
  }

  /// The difference, rounded to 34 digits.
  public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
    left + -right
  }

  /// The product, rounded to 34 digits.
  public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    if left.isNaN || right.isNaN { return .nan }
    let negative = left.isNegative != right.isNegative
    guard left.isFinite && right.isFinite else {
      return left.isZero || right.isZero ? .nan : .infinity(negative: negative)
    }
    let (first, second) = (left.parts, right.parts)
    return Decimal128(
      rounding: WideInteger(first.coefficient, times: second.coefficient),
      exponent: first.exponent + second.exponent,
      negative: negative
    )
  }

  /// The quotient, rounded to 34 digits; infinite, or not a number, if the divisor is zero.
  public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    if left.isNaN || right.isNaN { return .nan }
    let negative = left.isNegative != right.isNegative
    if left.isInfinite { return right.isInfinite ? .nan : .infinity(negative: negative) }
    if right.isInfinite {
      return Decimal128(negative: negative, coefficient: 0, exponent: exponentMin)
    }
    let (first, second) = (left.parts, right.parts)
    if second.coefficient == 0 {
      return first.coefficient == 0 ? .nan : .infinity(negative: negative)
    }
    return divide(first, by: second, negative: negative)
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

  private static func addingSpecial(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
    if left.isNaN || right.isNaN { return .nan }
    if left.isInfinite && right.isInfinite && left.isNegative != right.isNegative { return .nan }
    return left.isInfinite ? left : right
  }

  /// Adds two finite numbers, `upper` being the one with the higher exponent (or equal).
  private static func add(_ upper: Parts, _ lower: Parts) -> Decimal128 {
    if upper.coefficient == 0 && lower.coefficient == 0 {
      return Decimal128(
        negative: upper.negative && lower.negative,
        coefficient: 0,
        exponent: lower.exponent
      )
    }
    if upper.coefficient == 0 {
      return Decimal128(
        negative: lower.negative,
        coefficient: lower.coefficient,
        exponent: lower.exponent
      )
    }
    // Up to this shift both coefficients fit side by side into 256 bits. Beyond it the upper one
    // has so many more digits than are kept that the lower one's tail can only break a tie.
    let shiftMax = 42
    let shift = upper.exponent - lower.exponent
    let shifted = Swift.min(shift, shiftMax)
    let augend = WideInteger(upper.coefficient).multiplied(byPowerOfTen: shifted)
    let (addend, inexact) = dropTail(of: lower.coefficient, digits: shift - shifted)
    return combine(
      augend,
      addend,
      inexact: inexact,
      exponent: upper.exponent - shifted,
      negative: (upper.negative, lower.negative)
    )
  }

  private static func combine(
    _ augend: WideInteger,
    _ addend: WideInteger,
    inexact: Bool,
    exponent: Int,
    negative: (augend: Bool, addend: Bool)
  ) -> Decimal128 {
    if negative.augend == negative.addend {
      return Decimal128(
        rounding: augend + addend,
        exponent: exponent,
        negative: negative.augend,
        inexact: inexact
      )
    }
    if augend < addend {
      return Decimal128(rounding: addend - augend, exponent: exponent, negative: negative.addend)
    }
    let difference = augend - addend
    if difference.isZero {
      return Decimal128(rounding: difference, exponent: exponent, negative: false)
    }
    // The tail that was cut off the addend makes the difference smaller.
    return Decimal128(
      rounding: inexact ? difference - WideInteger(1) : difference,
      exponent: exponent,
      negative: negative.augend,
      inexact: inexact
    )
  }

  /// Cuts digits off; the flag tells whether anything but zeros went.
  private static func dropTail(
    of coefficient: UInt128,
    digits: Int
  ) -> (kept: WideInteger, inexact: Bool) {
    if digits == 0 { return (WideInteger(coefficient), false) }
    if digits > 38 { return (WideInteger(0), coefficient != 0) }
    let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: powerOfTen(digits))
    return (WideInteger(quotient), remainder != 0)
  }

  private static func divide(_ first: Parts, by second: Parts, negative: Bool) -> Decimal128 {
    let exponent = first.exponent - second.exponent
    if first.coefficient == 0 {
      return Decimal128(rounding: WideInteger(0), exponent: exponent, negative: negative)
    }
    // Enough zeros for a quotient of 35 or 36 digits: one at least is dropped when it is inexact.
    let zeros = 35 + digitCount(second.coefficient) - digitCount(first.coefficient)
    let dividend = WideInteger(first.coefficient).multiplied(byPowerOfTen: zeros)
    var (quotient, remainder) = second.coefficient.dividingFullWidth((dividend.high, dividend.low))
    var quotientExponent = exponent - zeros
    if remainder == 0 {
      // An exact quotient has the exponent that is nearest to the operands' difference.
      while quotientExponent < exponent {
        let (shorter, digit) = quotient.quotientAndRemainder(dividingBy: 10)
        if digit != 0 { break }
        quotient = shorter
        quotientExponent += 1
      }
    }
    return Decimal128(
      rounding: WideInteger(quotient),
      exponent: quotientExponent,
      negative: negative,
      inexact: remainder != 0
    )
  }
}

extension WideInteger {
  /// Needs a result below 2^256.
  func multiplied(byPowerOfTen exponent: Int) -> WideInteger {
    var result = self
    var exponent = exponent
    while exponent > 0 {
      let step = Swift.min(exponent, 38)
      let power = powerOfTen(step)
      var next = WideInteger(result.low, times: power)
      next.high = next.high &+ result.high &* power
      result = next
      exponent -= step
    }
    return result
  }
}
