/// A decimal floating-point number of 34 digits, as IEEE 754-2008 defines it: exact for amounts of
/// money, with exponents from -6176 to 6111, infinities and not-a-number.
///
/// Arithmetic rounds to nearest, ties to even. `1.0` and `1.00` are equal and hash alike, but keep
/// their different numbers of digits when formatted. Not-a-number is unequal to everything.
@frozen public struct Decimal128: Sendable {
  // The standard's binary integer encoding: sign, 14 bits of biased exponent, 113 of coefficient.
  @usableFromInline let high: UInt64
  @usableFromInline let low: UInt64

  /// From the encoding's two halves; any bits are a valid number.
  @inlinable init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Zero.
  public init() {
    self.init(negative: false, coefficient: 0, exponent: 0)
  }

  /// The largest finite number, 9.99…9E+6144.
  public static let max = Decimal128(
    negative: false,
    coefficient: Decimal128.coefficientMax,
    exponent: Decimal128.exponentMax
  )

  /// The lowest finite number, -9.99…9E+6144.
  public static let min = Decimal128(
    negative: true,
    coefficient: Decimal128.coefficientMax,
    exponent: Decimal128.exponentMax
  )

  static let nan = Decimal128(high: 0x7C << 56, low: 0)
  static let signalingNaN = Decimal128(high: 0x7E << 56, low: 0)
  static func infinity(negative: Bool) -> Decimal128 {
    Decimal128(high: (negative ? 0xF8 : 0x78) << 56, low: 0)
  }
}

// MARK: - Classification

extension Decimal128 {
  /// Whether this is not a number.
  public var isNaN: Bool { high & (0x7C << 56) == 0x7C << 56 }

  /// Whether this is a not-a-number of the kind that signals.
  public var isSignalingNaN: Bool { high & (0x7E << 56) == 0x7E << 56 }

  /// The same as `isSignalingNaN`.
  public var isSignaling: Bool { isSignalingNaN }

  /// Whether this is infinity, of either sign.
  public var isInfinite: Bool { high & (0x7C << 56) == 0x78 << 56 }

  /// Whether this is a number and not infinite.
  public var isFinite: Bool { high & (0x78 << 56) != 0x78 << 56 }

  var isNegative: Bool { high >> 63 == 1 }

  /// Whether this is zero, of either sign and any exponent.
  public var isZero: Bool { isFinite && parts.coefficient == 0 }
}

// MARK: - Encoding

extension Decimal128 {
  static let digitsMax = 34
  static let coefficientMax = powerOfTen(34) - 1
  static let exponentMin = -6176
  static let exponentMax = 6111
  static let exponentBias = 6176

  /// A finite number as (-1)^negative * coefficient * 10^exponent, coefficient below 10^34.
  struct Parts {
    var negative: Bool
    var coefficient: UInt128
    var exponent: Int
  }

  /// The parts of a finite number.
  var parts: Parts {
    // With both of these bits set the coefficient would have 114 bits and so more than 34 digits;
    // the standard reads such an encoding as zero.
    if high & (0x60 << 56) == 0x60 << 56 {
      let exponent = Int(high >> 47 & 0x3FFF) - Decimal128.exponentBias
      return Parts(negative: isNegative, coefficient: 0, exponent: exponent)
    }
    let exponent = Int(high >> 49 & 0x3FFF) - Decimal128.exponentBias
    let coefficient = UInt128(high & (1 << 49 - 1)) << 64 | UInt128(low)
    return Parts(
      negative: isNegative,
      coefficient: coefficient > Decimal128.coefficientMax ? 0 : coefficient,
      exponent: exponent
    )
  }

  /// Encodes parts that are in range; `init(rounding…)` brings others into range.
  init(negative: Bool, coefficient: UInt128, exponent: Int) {
    assert(coefficient <= Decimal128.coefficientMax)
    assert((Decimal128.exponentMin...Decimal128.exponentMax).contains(exponent))
    let sign: UInt64 = negative ? 1 << 63 : 0
    let biased = UInt64(exponent + Decimal128.exponentBias)
    self.init(
      high: sign | biased << 49 | UInt64(coefficient >> 64),
      low: UInt64(truncatingIfNeeded: coefficient)
    )
  }
}

/// 10^exponent for 0...38.
func powerOfTen(_ exponent: Int) -> UInt128 {
  powersOfTen[exponent]
}

private let powersOfTen: [UInt128] = {
  var powers: [UInt128] = [1]
  for _ in 1...38 { powers.append(powers[powers.count - 1] * 10) }
  return powers
}()

/// The number of decimal digits, 0 for zero.
func digitCount(_ value: UInt128) -> Int {
  if value == 0 { return 0 }
  // 1233 / 4096 is just below log10(2): the estimate is right or one too small.
  let bits = 128 - value.leadingZeroBitCount
  let estimate = (bits * 1233) >> 12
  return estimate < 39 && value >= powersOfTen[estimate] ? estimate + 1 : estimate
}
