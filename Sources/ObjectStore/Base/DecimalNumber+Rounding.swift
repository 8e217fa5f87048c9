// Numbers with more digits, or exponents beyond the range, brought into the format.
extension DecimalNumber {
  /// The nearest number to (-1)^negative * (coefficient + something below 1 if `inexact`)
  /// * 10^exponent, ties to even; infinity where it is too large.
  ///
  /// `inexact` only breaks ties and so needs at least one digit to be dropped, or none to matter.
  package init(
    rounding coefficient: WideInteger, exponent: Int, negative: Bool, inexact: Bool = false
  ) {
    let excess = Swift.max(
      coefficient.digitCount - DecimalNumber.digitsMax,
      DecimalNumber.exponentMin - exponent,
      0
    )
    var kept = DecimalNumber.dropping(digits: excess, of: coefficient, inexact: inexact)
    var exponent = exponent + excess
    if kept > DecimalNumber.coefficientMax {
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
    guard exponent > DecimalNumber.exponentMax else {
      self.init(negative: negative, coefficient: coefficient, exponent: exponent)
      return
    }
    let surplus = exponent - DecimalNumber.exponentMax
    if coefficient == 0 {
      self.init(negative: negative, coefficient: 0, exponent: DecimalNumber.exponentMax)
    } else if surplus + ObjectStore.digitCount(coefficient) <= DecimalNumber.digitsMax {
      self.init(
        negative: negative,
        coefficient: coefficient * powerOfTen(surplus),
        exponent: DecimalNumber.exponentMax
      )
    } else {
      self = .infinity(negative: negative)
    }
  }

  /// The encoding of a number of at most 34 digits, with an exponent in range.
  package var bits: DecimalBits {
    let sign: UInt64 = isNegative ? 1 << 63 : 0
    switch kind {
    case .notANumber: return DecimalBits(low: 0, high: sign | 0x7C00_0000_0000_0000)
    case .infinite: return DecimalBits(low: 0, high: sign | 0x7800_0000_0000_0000)
    case .finite: break
    }
    assert(coefficient <= Self.coefficientMax)
    assert((Self.exponentMin...Self.exponentMax).contains(exponent))
    let biased = UInt64(exponent + Self.exponentBias) << 49
    return DecimalBits(
      low: UInt64(truncatingIfNeeded: coefficient),
      high: sign | biased | UInt64(coefficient >> 64))
  }
}
