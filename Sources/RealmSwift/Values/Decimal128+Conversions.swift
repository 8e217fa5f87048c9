import Foundation
import ObjectStore

extension Decimal128 {
  /// A number from any value that stands for one: an integer, a floating-point number, a string,
  /// a `Decimal`, an `NSNumber` or a `Decimal128`. Anything else is a misuse, and text that is no
  /// number gives not-a-number.
  public init(value: Any) {
    // Before the others: a box also passes for what it can be converted to, and the reverse.
    if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
      self.init(number: number)
      return
    }
    switch value {
    case let value as Decimal128: self = value
    case let value as any BinaryInteger: self.init(rounding: value)
    case let value as Double: self.init(value)
    case let value as Float: self.init(value)
    case let value as Decimal: self.init(value)
    case let value as String: self = Decimal128(value) ?? .nan
    default:
      throwRealmException("Cannot convert a value of type '\(type(of: value))' to Decimal128")
    }
  }

  /// The number that an `NSNumber` holds.
  public init(number: NSNumber) {
    if let decimal = number as? NSDecimalNumber {
      self.init(decimal.decimalValue)
    } else if isFloatingPoint(number) {
      self.init(number.doubleValue)
    } else {
      self = Decimal128(number.stringValue) ?? .nan
    }
  }

  /// The decimal number with the fewest digits that stands for this binary one: `0.1` is 0.1.
  public init(_ value: Double) {
    self.init(DecimalNumber(value))
  }

  /// The decimal number with the fewest digits that stands for this binary one.
  public init(_ value: Float) {
    self = Decimal128("\(value)") ?? .nan
  }

  /// The nearest number; `Decimal` may have 38 digits, of which 34 are kept.
  public init(_ value: Decimal) {
    self = value.isNaN ? .nan : Decimal128(value.description) ?? .nan
  }

  /// The integer, or nil if it has more digits than can be kept.
  public init?<Source: BinaryInteger>(exactly source: Source) {
    let nearest = Decimal128(rounding: source)
    guard source.magnitude.isExactlyDecimal128 else { return nil }
    self = nearest
  }

  /// The nearest number to an integer.
  init<Source: BinaryInteger>(rounding source: Source) {
    if let magnitude = UInt128(exactly: source.magnitude) {
      self.init(
        DecimalNumber(rounding: WideInteger(magnitude), exponent: 0, negative: source < 0))
    } else {
      self = Decimal128(String(source)) ?? .nan
    }
  }

  /// The nearest binary floating-point number.
  public var doubleValue: Double {
    if isNaN { return .nan }
    return Double(description) ?? .nan
  }

  /// The nearest `Decimal`; not-a-number where there is none (infinities, exponents beyond 127).
  public var decimalValue: Decimal {
    isFinite ? Decimal(string: description) ?? .nan : .nan
  }
}

extension BinaryInteger {
  /// Whether a magnitude has at most 34 digits, zeros at its end not counted.
  fileprivate var isExactlyDecimal128: Bool {
    guard let magnitude = UInt128(exactly: self) else { return false }
    var rest = magnitude
    while rest > DecimalNumber.coefficientMax {
      let (shorter, digit) = rest.quotientAndRemainder(dividingBy: 10)
      if digit != 0 { return false }
      rest = shorter
    }
    return true
  }
}

private func isFloatingPoint(_ number: NSNumber) -> Bool {
  let type = unsafe String(cString: number.objCType)
  return type == "d" || type == "f"
}

extension Decimal128: SignedNumeric, Strideable {
  /// What has to be added to get the other number.
  public func distance(to other: Decimal128) -> Decimal128 { other - self }
  /// The number with the stride added.
  public func advanced(by stride: Decimal128) -> Decimal128 { self + stride }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral
{
  /// The number that the literal names.
  public init(integerLiteral value: Int64) {
    self.init(rounding: value)
  }

  /// A literal with a point goes through `Double`; write more than 15 digits as a string.
  public init(floatLiteral value: Double) {
    self.init(value)
  }

  /// Text that is not a number gives not-a-number.
  public init(stringLiteral value: String) {
    self.init(value: value)
  }
}
