/// An unsigned integer of 256 bits, just enough of one for exact intermediate results.
struct WideInteger {
  var high: UInt128
  var low: UInt128

  init(_ low: UInt128) {
    self.high = 0
    self.low = low
  }

  init(_ left: UInt128, times right: UInt128) {
    let product = left.multipliedFullWidth(by: right)
    self.high = product.high
    self.low = product.low
  }

  static func + (left: WideInteger, right: WideInteger) -> WideInteger {
    var sum = left
    let (low, carry) = left.low.addingReportingOverflow(right.low)
    sum.low = low
    sum.high = left.high &+ right.high &+ (carry ? 1 : 0)
    return sum
  }

  /// Needs `left >= right`.
  static func - (left: WideInteger, right: WideInteger) -> WideInteger {
    var difference = left
    let (low, borrow) = left.low.subtractingReportingOverflow(right.low)
    difference.low = low
    difference.high = left.high &- right.high &- (borrow ? 1 : 0)
    return difference
  }

  static func < (left: WideInteger, right: WideInteger) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  var isZero: Bool { high == 0 && low == 0 }

  /// The number of decimal digits, 0 for zero; for values below 10^76.
  var digitCount: Int {
    if high == 0 { return RealmSwift.digitCount(low) }
    var count = ((256 - high.leadingZeroBitCount) * 1233) >> 12
    // The estimate may be one off in either direction.
    while count > 38 && self < WideInteger(powerOfTen(38), times: powerOfTen(count - 38 - 1)) {
      count -= 1
    }
    while !(self < WideInteger(powerOfTen(38), times: powerOfTen(count - 38))) { count += 1 }
    return count
  }

  func dividedByPowerOfTen(_ exponent: Int) -> (quotient: WideInteger, remainder: UInt128) {
    let divisor = powerOfTen(exponent)
    let upper = high.quotientAndRemainder(dividingBy: divisor)
    let lower = divisor.dividingFullWidth((upper.remainder, low))
    var quotient = WideInteger(lower.quotient)
    quotient.high = upper.quotient
    return (quotient, lower.remainder)
  }
}

extension Decimal128 {
  /// The nearest number to (-1)^negative * (coefficient + something below 1 if `inexact`)
  /// * 10^exponent, ties to even; infinity where it is too large.
  ///
  /// `inexact` only breaks ties and so needs at least one digit to be dropped, or none to matter.
  init(rounding coefficient: WideInteger, exponent: Int, negative: Bool, inexact: Bool = false) {
    let excess = Swift.max(
      coefficient.digitCount - Decimal128.digitsMax,
      Decimal128.exponentMin - exponent,
      0
    )
    var kept = Decimal128.dropping(digits: excess, of: coefficient, inexact: inexact)
    var exponent = exponent + excess
    if kept > Decimal128.coefficientMax {
      // Rounding 99…9 up made one digit more; it is a power of ten, so this is exact.
      kept /= 10
      exponent += 1
    }
    self.init(clamping: kept, exponent: exponent, negative: negative)
  }

  /// Divides by 10^digits, rounding to nearest, ties to even.
  private static func dropping(
    digits: Int,
    of coefficient: WideInteger,
    inexact: Bool
  ) -> UInt128 {
    if digits == 0 { return coefficient.low }
    var value = coefficient
    var digits = digits
    var sticky = inexact
    while digits > 38 {
      let (quotient, remainder) = value.dividedByPowerOfTen(38)
      sticky = sticky || remainder != 0
      value = quotient
      digits -= 38
      // What is left of any value is nothing after this many digits, not even a tie.
      if value.isZero { return 0 }
    }
    let (quotient, remainder) = value.dividedByPowerOfTen(digits)
    let half = powerOfTen(digits) / 2
    let up = remainder > half || (remainder == half && (sticky || quotient.low & 1 == 1))
    return quotient.low + (up ? 1 : 0)
  }

  /// Moves an exponent above the range down by adding zeros, or gives infinity.
  private init(clamping coefficient: UInt128, exponent: Int, negative: Bool) {
    guard exponent > Decimal128.exponentMax else {
      self.init(negative: negative, coefficient: coefficient, exponent: exponent)
      return
    }
    let surplus = exponent - Decimal128.exponentMax
    if coefficient == 0 {
      self.init(negative: negative, coefficient: 0, exponent: Decimal128.exponentMax)
    } else if surplus + RealmSwift.digitCount(coefficient) <= Decimal128.digitsMax {
      self.init(
        negative: negative,
        coefficient: coefficient * powerOfTen(surplus),
        exponent: Decimal128.exponentMax
      )
    } else {
      self = .infinity(negative: negative)
    }
  }
}
