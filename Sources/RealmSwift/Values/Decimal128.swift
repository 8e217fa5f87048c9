import ObjectStore

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
    self.init(DecimalNumber(Int64(0)))
  }

  /// The largest finite number, 9.99…9E+6144.
  public static let max = Decimal128(greatest(negative: false))

  /// The lowest finite number, -9.99…9E+6144.
  public static let min = Decimal128(greatest(negative: true))

  private static func greatest(negative: Bool) -> DecimalNumber {
    DecimalNumber(
      negative: negative, coefficient: DecimalNumber.coefficientMax,
      exponent: DecimalNumber.exponentMax)
  }

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
  public var isZero: Bool { parts.isZero }
}

// MARK: - In parts

extension Decimal128 {
  init(_ number: DecimalNumber) { self.init(number.bits) }

  /// The number taken apart.
  var parts: DecimalNumber { DecimalNumber(stored) }
}
