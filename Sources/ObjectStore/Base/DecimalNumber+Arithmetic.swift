// Exact arithmetic, rounded to 34 digits: to nearest, ties to even. Zeros behind the point that a
// result does not need are left out.
extension DecimalNumber {
  package static func + (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
    guard left.isFinite && right.isFinite else { return addingSpecial(left, right) }
    return (left.exponent >= right.exponent ? add(left, right) : add(right, left)).reduced
  }

  package static func * (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
    if left.isNaN || right.isNaN { return .nan }
    let negative = left.isNegative != right.isNegative
    guard left.isFinite && right.isFinite else {
      return left.isZero || right.isZero ? .nan : .infinity(negative: negative)
    }
    return DecimalNumber(
      rounding: WideInteger(left.coefficient, times: right.coefficient),
      exponent: left.exponent + right.exponent,
      negative: negative
    ).reduced
  }

  /// Infinite, or not a number, if the divisor is zero.
  package static func / (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
    if left.isNaN || right.isNaN { return .nan }
    let negative = left.isNegative != right.isNegative
    if !left.isFinite { return right.isFinite ? .infinity(negative: negative) : .nan }
    if !right.isFinite {
      return DecimalNumber(negative: negative, coefficient: 0, exponent: exponentMin)
    }
    if right.coefficient == 0 {
      return left.coefficient == 0 ? .nan : .infinity(negative: negative)
    }
    return divide(left, by: right, negative: negative).reduced
  }

  package static prefix func - (value: DecimalNumber) -> DecimalNumber {
    var result = value
    result.isNegative.toggle()
    return result
  }

  /// - Parameter count: above zero.
  func divided(by count: Int) -> DecimalNumber { self / DecimalNumber(Int64(count)) }

  /// Without zeros at the end of the digits behind the point.
  private var reduced: DecimalNumber {
    guard kind == .finite, exponent < 0 else { return self }
    if coefficient == 0 {
      return DecimalNumber(negative: isNegative, coefficient: 0, exponent: 0)
    }
    var result = self
    while result.exponent < 0, result.coefficient & 1 == 0 {
      let (shorter, digit) = result.coefficient.quotientAndRemainder(dividingBy: 10)
      if digit != 0 { break }
      result.coefficient = shorter
      result.exponent += 1
    }
    return result
  }

  private static func addingSpecial(_ left: DecimalNumber, _ right: DecimalNumber) -> DecimalNumber
  {
    if left.isNaN || right.isNaN { return .nan }
    if !left.isFinite && !right.isFinite && left.isNegative != right.isNegative { return .nan }
    return left.isFinite ? right : left
  }

  /// Adds two finite numbers, `upper` being the one with the higher exponent (or equal).
  private static func add(_ upper: DecimalNumber, _ lower: DecimalNumber) -> DecimalNumber {
    if upper.coefficient == 0 && lower.coefficient == 0 {
      return DecimalNumber(
        negative: upper.isNegative && lower.isNegative,
        coefficient: 0,
        exponent: lower.exponent
      )
    }
    if upper.coefficient == 0 {
      return DecimalNumber(
        negative: lower.isNegative,
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
      negative: (upper.isNegative, lower.isNegative)
    )
  }

  private static func combine(
    _ augend: WideInteger,
    _ addend: WideInteger,
    inexact: Bool,
    exponent: Int,
    negative: (augend: Bool, addend: Bool)
  ) -> DecimalNumber {
    if negative.augend == negative.addend {
      return DecimalNumber(
        rounding: augend + addend,
        exponent: exponent,
        negative: negative.augend,
        inexact: inexact
      )
    }
    if augend < addend {
      return DecimalNumber(rounding: addend - augend, exponent: exponent, negative: negative.addend)
    }
    let difference = augend - addend
    if difference.isZero {
      return DecimalNumber(rounding: difference, exponent: exponent, negative: false)
    }
    // The tail that was cut off the addend makes the difference smaller.
    return DecimalNumber(
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

  private static func divide(_ first: DecimalNumber, by second: DecimalNumber, negative: Bool)
    -> DecimalNumber
  {
    let exponent = first.exponent - second.exponent
    if first.coefficient == 0 {
      return DecimalNumber(rounding: WideInteger(0), exponent: exponent, negative: negative)
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
    return DecimalNumber(
      rounding: WideInteger(quotient),
      exponent: quotientExponent,
      negative: negative,
      inexact: remainder != 0
    )
  }
}
