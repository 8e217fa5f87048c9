/// An IEEE 754 decimal128 (binary integer encoding) taken apart: what compares, adds up, multiplies
/// and divides decimals wherever they occur.
package struct DecimalNumber: Sendable {
  package enum Class: Sendable { case finite, infinite, notANumber }

  package var kind = Class.finite
  package var isNegative = false
  /// The value is coefficient x 10^exponent.
  package var coefficient: UInt128 = 0
  package var exponent = 0

  package static let digitsMax = 34
  static let exponentBias = 6176
  static let exponentMin = -6176
  package static let exponentMax = 6111

  package init(_ bits: DecimalBits) {
    isNegative = bits.high >> 63 != 0
    if bits.high >> 58 & 0x1F == 0x1F {
      kind = .notANumber
    } else if bits.high >> 58 & 0x1F == 0x1E {
      kind = .infinite
    } else if bits.high >> 61 & 3 == 3 {
      // A coefficient above 34 digits, which the standard reads as zero.
      exponent = Int(bits.high >> 47 & 0x3FFF) - Self.exponentBias
    } else {
      exponent = Int(bits.high >> 49 & 0x3FFF) - Self.exponentBias
      coefficient = UInt128(bits.high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(bits.low)
      if coefficient > Self.coefficientMax { coefficient = 0 }
    }
  }

  /// 34 nines.
  package static let coefficientMax: UInt128 = 9_999_999_999_999_999_999_999_999_999_999_999

  /// A finite number of at most 34 digits, with an exponent in range.
  package init(negative: Bool, coefficient: UInt128, exponent: Int) {
    isNegative = negative
    self.coefficient = coefficient
    self.exponent = exponent
  }

  static var nan: DecimalNumber {
    var result = DecimalNumber(Int64(0))
    result.kind = .notANumber
    return result
  }

  static func infinity(negative: Bool) -> DecimalNumber {
    var result = DecimalNumber(Int64(negative ? -1 : 1))
    result.kind = .infinite
    return result
  }

  package var isNaN: Bool { kind == .notANumber }
  package var isFinite: Bool { kind == .finite }

  package init(_ integer: Int64) {
    isNegative = integer < 0
    coefficient = UInt128(integer.magnitude)
  }

  /// The shortest decimal that reads back as `real`.
  package init(_ real: Double) {
    isNegative = real.sign == .minus
    if real.isNaN {
      kind = .notANumber
    } else if real.isInfinite {
      kind = .infinite
    } else {
      parse(real.magnitude.description)
    }
  }

  /// A float with the seven digits that one holds for certain, so that a float that was written as
  /// 1.1 equals the decimal 1.1.
  init(_ real: Float) {
    self.init(Double(real))
    guard kind == .finite else { return }
    var cut: UInt128 = 0
    var scale: UInt128 = 1
    while coefficient >= 10_000_000 {
      cut += coefficient % 10 * scale
      scale *= 10
      coefficient /= 10
      exponent += 1
    }
    if scale > 1, cut * 2 > scale || (cut * 2 == scale && coefficient % 2 == 1) { coefficient += 1 }
  }

  /// Digits with at most one point, and perhaps an exponent.
  private mutating func parse(_ text: String) {
    let parts = text.split(separator: "e")
    exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    var isFraction = false
    for byte in parts[0].utf8 {
      guard byte != UInt8(ascii: ".") else {
        isFraction = true
        continue
      }
      coefficient = coefficient * 10 + UInt128(byte - UInt8(ascii: "0"))
      if isFraction { exponent -= 1 }
    }
  }

  /// Not-a-number equals itself and is below all numbers.
  package func compare(to other: DecimalNumber) -> Ordering {
    if kind == .notANumber || other.kind == .notANumber {
      return .of(kind == .notANumber ? 0 : 1, other.kind == .notANumber ? 0 : 1)
    }
    let sign = self.sign
    if sign != other.sign { return .of(sign, other.sign) }
    let order = compareMagnitude(to: other)
    return sign < 0 ? order.reversed : order
  }

  private var sign: Int {
    if kind == .finite && coefficient == 0 { return 0 }
    return isNegative ? -1 : 1
  }

  private func compareMagnitude(to other: DecimalNumber) -> Ordering {
    switch (kind == .infinite, other.kind == .infinite) {
    case (true, true): return .equal
    case (true, false): return .greater
    case (false, true): return .less
    case (false, false): break
    }
    if coefficient == 0 || other.coefficient == 0 { return .of(coefficient, other.coefficient) }
    if exponent < other.exponent { return other.compareMagnitude(to: self).reversed }
    // Bring this one, whose exponent is larger, to the other's. Past 128 bits it is larger than
    // any coefficient.
    var scaled = coefficient
    for _ in 0..<(exponent - other.exponent) {
      let (product, overflow) = scaled.multipliedReportingOverflow(by: 10)
      if overflow { return .greater }
      scaled = product
    }
    return .of(scaled, other.coefficient)
  }

  /// The nearest double.
  package var double: Double {
    switch kind {
    case .notANumber: return .nan
    case .infinite: return isNegative ? -.infinity : .infinity
    case .finite:
      return Double("\(isNegative ? "-" : "")\(coefficient)e\(exponent)") ?? 0
    }
  }

  package var isZero: Bool { kind == .finite && coefficient == 0 }
}
