import Foundation
import ObjectStore

extension Decimal128: LosslessStringConvertible {
  /// A number from text such as `"12.50"`, `"-1.2E-7"`, `"Inf"` or `"NaN"`; more than 34 digits
  /// are rounded. Any other text gives not-a-number, as it does in Apple's SDK.
  ///
  /// - Throws: Nothing; it is declared so for the sake of code that expects it.
  public init(string: String) throws { self = Decimal128(string) ?? .nan }

  /// A number from text, or nil if it is none. See `init(string:)`.
  public init?(_ text: String) {
    var scanner = DecimalScanner(text)
    guard let value = scanner.number() else { return nil }
    self = value
  }

  /// The number as text that parses back to it, digits kept: `"12.50"`, `"1E+3"`, `"NaN"`,
  /// `"-Inf"`.
  public var stringValue: String { description }

  /// The number as text, like ``stringValue``.
  public var description: String {
    if isNaN { return isSignalingNaN ? "sNaN" : "NaN" }
    if isInfinite { return isNegative ? "-Inf" : "Inf" }
    let parts = parts
    let digits = String(parts.coefficient)
    let sign = parts.isNegative ? "-" : ""
    // The standard's rule: plain notation unless that would need padding zeros on the right or
    // more than five after the point.
    let pointPlace = digits.utf8.count + parts.exponent
    if parts.exponent <= 0 && pointPlace > -6 {
      return sign + Decimal128.plain(digits, pointPlace: pointPlace)
    }
    let exponent = pointPlace - 1
    let fraction = digits.dropFirst()
    return sign + digits.prefix(1) + (fraction.isEmpty ? "" : "." + fraction)
      + "E" + (exponent < 0 ? "" : "+") + String(exponent)
  }

  private static func plain(_ digits: String, pointPlace: Int) -> String {
    if pointPlace >= digits.utf8.count { return digits }
    if pointPlace <= 0 { return "0." + String(repeating: "0", count: -pointPlace) + digits }
    return digits.prefix(pointPlace) + "." + digits.dropFirst(pointPlace)
  }
}

/// Encoded as a string, so that no coder passes the digits through binary floating point. Numbers
/// are decoded too.
extension Decimal128: Codable {
  /// Decodes the number from a string.
  ///
  /// - Throws: `Realm.Error.invalidInput` if the string is not a number; what the decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      guard let parsed = Decimal128(text) else {
        throw RLMError(.invalidInput, "'\(text)' is not a decimal number")
      }
      self = parsed
    } else if let integer = try? container.decode(Int64.self) {
      self.init(integerLiteral: integer)
    } else {
      // Not as a binary number, which would change the digits.
      try self.init(string: container.decode(Decimal.self).description)
    }
  }

  /// Encodes the number as a string.
  public func encode(to encoder: any Encoder) throws {
    try stringValue.encode(to: encoder)
  }
}

/// Reads a decimal number from ASCII text.
private struct DecimalScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = text[...].utf8
  }

  mutating func number() -> Decimal128? {
    let negative = sign()
    if let special = special(negative: negative) { return special }
    var digits = Digits()
    while let digit = digit() { digits.append(digit, isFraction: false) }
    if take(UInt8(ascii: ".")) {
      while let digit = digit() { digits.append(digit, isFraction: true) }
    }
    guard digits.any, let exponent = exponent(), rest.isEmpty else { return nil }
    return Decimal128(
      DecimalNumber(
        rounding: WideInteger(digits.coefficient), exponent: exponent + digits.exponent,
        negative: negative, inexact: digits.inexact))
  }

  /// The digits read so far: as many as fit, the rest as exponent.
  private struct Digits {
    var coefficient: UInt128 = 0
    var exponent = 0
    var any = false
    var inexact = false

    mutating func append(_ digit: UInt8, isFraction: Bool) {
      any = true
      // Up to 38 digits, more than are kept, so what comes after them only breaks ties.
      if coefficient < powerOfTen(37) {
        coefficient = coefficient * 10 + UInt128(digit)
        exponent -= isFraction ? 1 : 0
      } else {
        inexact = inexact || digit != 0
        exponent += isFraction ? 0 : 1
      }
    }
  }

  private mutating func take(_ character: UInt8) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func sign() -> Bool {
    if take(UInt8(ascii: "-")) { return true }
    _ = take(UInt8(ascii: "+"))
    return false
  }

  private mutating func digit() -> UInt8? {
    guard let character = rest.first, (48...57).contains(character) else { return nil }
    rest.removeFirst()
    return character - 48
  }

  private func special(negative: Bool) -> Decimal128? {
    guard rest.count <= 8 else { return nil }
    switch String(Substring(rest)).lowercased() {
    case "inf", "infinity": return .infinity(negative: negative)
    case "nan": return .nan
    case "snan": return .signalingNaN
    default: return nil
    }
  }

  /// The exponent, 0 if there is none, nil if it is malformed. Kept within bounds that no count of
  /// digits can bring back into range.
  private mutating func exponent() -> Int? {
    guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return 0 }
    let negative = sign()
    guard var value = digit().map({ Int($0) }) else { return nil }
    while let digit = digit() { value = min(value * 10 + Int(digit), 1 << 40) }
    return negative ? -value : value
  }
}
