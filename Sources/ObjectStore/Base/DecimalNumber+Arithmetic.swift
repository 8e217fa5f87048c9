// Addition, multiplication and division, rounded half to even at 34 digits.
extension DecimalNumber {
  private static let digitsMax = 34
  private static let exponentMin = -6176
  private static let exponentMax = 6111

  static func + (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
    if left.kind != .finite || right.kind != .finite { return addingSpecial(left, right) }
    if left.isZero { return right }
    if right.isZero { return left }
    var high = left.exponent >= right.exponent ? left : right
    var low = left.exponent >= right.exponent ? right : left
    // Widen the one with the larger exponent as far as 128 bits go (37 digits), then let digits of
    // the other go.
    while high.exponent > low.exponent, high.coefficient < coefficientMax * 100 {
      high.coefficient *= 10
      high.exponent -= 1
    }
    var isInexact = false
    while high.exponent > low.exponent {
      isInexact = isInexact || low.coefficient % 10 != 0
      low.coefficient /= 10
      low.exponent += 1
      if low.coefficient == 0 { low.exponent = high.exponent }
    }
    var sum = high
    if high.isNegative == low.isNegative {
      sum.coefficient += low.coefficient
    } else if high.coefficient >= low.coefficient {
      sum.coefficient -= low.coefficient
      // The digits that were cut off make the difference a little smaller.
      if isInexact { sum.coefficient -= 1 }
    } else {
      sum = low
      sum.coefficient -= high.coefficient
    }
    if sum.coefficient == 0 { sum.isNegative = false }
    return sum.rounded(isInexact: isInexact)
  }

  private static func addingSpecial(_ left: DecimalNumber, _ right: DecimalNumber) -> DecimalNumber
  {
    if left.kind == .notANumber { return left }
    if right.kind == .notANumber { return right }
    if left.kind == .infinite && right.kind == .infinite && left.isNegative != right.isNegative {
      return DecimalNumber(Double.nan)
    }
    return left.kind == .infinite ? left : right
  }

  static func * (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
    if left.kind == .notANumber { return left }
    if right.kind == .notANumber { return right }
    var product = left
    product.isNegative = left.isNegative != right.isNegative
    if left.kind == .infinite || right.kind == .infinite {
      product.kind = left.isZero || right.isZero ? .notANumber : .infinite
      return product
    }
    product.exponent = left.exponent + right.exponent
    var (high, low) = left.coefficient.multipliedFullWidth(by: right.coefficient)
    var isInexact = false
    // Digits go until 128 bits are enough, which hold more than the 34 that are rounded to.
    while high != 0 {
      let rest: UInt128
      (high, rest) = high.quotientAndRemainder(dividingBy: 10)
      let (quotient, remainder) = UInt128(10).dividingFullWidth((rest, low))
      low = quotient
      isInexact = isInexact || remainder != 0
      product.exponent += 1
    }
    product.coefficient = low
    return product.rounded(isInexact: isInexact)
  }

  static func / (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
    if left.kind == .notANumber { return left }
    if right.kind == .notANumber { return right }
    var quotient = left
    quotient.isNegative = left.isNegative != right.isNegative
    if left.kind == .infinite {
      if right.kind == .infinite { quotient.kind = .notANumber }
      return quotient
    }
    if right.kind == .infinite {
      quotient.coefficient = 0
      return quotient
    }
    if right.isZero {
      quotient.kind = left.isZero ? .notANumber : .infinite
      return quotient
    }
    quotient = quotient.divided(byCoefficient: right.coefficient)
    quotient.exponent -= right.exponent
    return quotient
  }

  /// - Parameter count: above zero.
  func divided(by count: Int) -> DecimalNumber { divided(byCoefficient: UInt128(count)) }

  private func divided(byCoefficient divisor: UInt128) -> DecimalNumber {
    guard kind == .finite, coefficient != 0 else { return self }
    var result = self
    result.coefficient = coefficient / divisor
    var rest = coefficient % divisor
    // Long division: a digit at a time until there are 36 of them, or it comes out even.
    while rest != 0, result.coefficient < Self.coefficientMax * 10 {
      let (digit, left) = divisor.dividingFullWidth(rest.multipliedFullWidth(by: 10))
      result.coefficient = result.coefficient * 10 + digit
      result.exponent -= 1
      rest = left
    }
    return result.rounded(isInexact: rest != 0)
  }

  /// At most 34 digits.
  /// - Parameter isInexact: whether something other than zero has been cut off already.
  private func rounded(isInexact: Bool) -> DecimalNumber {
    var result = self
    var cut: UInt128 = 0
    var scale: UInt128 = 1
    while result.coefficient > Self.coefficientMax {
      cut += (result.coefficient % 10) * scale
      scale *= 10
      result.coefficient /= 10
      result.exponent += 1
    }
    let half = scale / 2
    let isOdd = result.coefficient % 2 == 1
    if scale > 1, cut > half || (cut == half && (isInexact || isOdd)) {
      result.coefficient += 1
      if result.coefficient > Self.coefficientMax {
        result.coefficient /= 10
        result.exponent += 1
      }
    }
    return result
  }

  /// The encoding. Exponents that are out of range become infinity or zero.
  var bits: DecimalBits {
    let sign: UInt64 = isNegative ? 1 << 63 : 0
    switch kind {
    case .notANumber: return DecimalBits(low: 0, high: sign | 0x7C00_0000_0000_0000)
    case .infinite: return DecimalBits(low: 0, high: sign | 0x7800_0000_0000_0000)
    case .finite: break
    }
    var coefficient = coefficient
    var exponent = exponent
    while exponent < Self.exponentMin, coefficient != 0 {
      coefficient /= 10
      exponent += 1
    }
    while exponent > Self.exponentMax, coefficient != 0, coefficient * 10 <= Self.coefficientMax {
      coefficient *= 10
      exponent -= 1
    }
    if coefficient == 0 { exponent = min(max(exponent, Self.exponentMin), Self.exponentMax) }
    if exponent > Self.exponentMax {
      return DecimalBits(low: 0, high: sign | 0x7800_0000_0000_0000)
    }
    let biased = UInt64(exponent + Self.exponentBias) << 49
    return DecimalBits(
      low: UInt64(truncatingIfNeeded: coefficient),
      high: sign | biased | UInt64(truncatingIfNeeded: coefficient >> 64))
  }
}
