import Foundation
import ObjectStore
import TestSupport
import Testing

@testable import RealmSwift

@Suite struct Decimal128Tests {
  private func same(_ value: Decimal128, _ text: String) -> Bool {
    value.isNaN ? text == "NaN" : value.description == text
  }

  /// Whether a result is the number that the standard says, without zeros behind the point that it
  /// does not need.
  private func isResult(_ value: Decimal128, _ text: String) -> Bool {
    if value.isNaN { return text == "NaN" }
    guard let expected = Decimal128(text), value == expected else { return false }
    let digits = value.description.prefix { $0 != "E" }
    return !digits.contains(".") || digits.last != "0" || value.description.contains("E")
  }

  @Test func arithmeticAgreesWithTheStandard() throws {
    for line in decimalArithmeticVectors.split(separator: "\n") {
      let fields = line.split(separator: " ").map(String.init)
      let left = try Decimal128(string: fields[0])
      let right = try Decimal128(string: fields[1])
      #expect(same(left, fields[0]))
      #expect(
        isResult(left + right, fields[2]),
        "\(left) + \(right) = \(left + right), not \(fields[2])"
      )
      #expect(
        isResult(left - right, fields[3]),
        "\(left) - \(right) = \(left - right), not \(fields[3])"
      )
      #expect(
        isResult(left * right, fields[4]),
        "\(left) * \(right) = \(left * right), not \(fields[4])"
      )
      #expect(
        isResult(left / right, fields[5]),
        "\(left) / \(right) = \(left / right), not \(fields[5])"
      )
      #expect((left < right) == (fields[6] == "-1"), "\(left) < \(right)")
      #expect((left > right) == (fields[6] == "1"), "\(left) > \(right)")
      #expect((left == right) == (fields[6] == "0"), "\(left) == \(right)")
      if left == right { #expect(left.hashValue == right.hashValue) }
    }
  }

  @Test func tiesThatAreNotQuiteTiesRoundDown() {
    let sum = Decimal128("1E+36") - "50.0000001"
    #expect(sum.description == "9.999999999999999999999999999999999E+35")
  }

  @Test func parsingRoundsToNearestEven() throws {
    for line in decimalParsingVectors.split(separator: "\n") {
      let fields = line.split(separator: " ").map(String.init)
      let parsed = try Decimal128(string: fields[0])
      #expect(same(parsed, fields[1]), "\(fields[0]) became \(parsed), not \(fields[1])")
      #expect(same(try Decimal128(string: parsed.stringValue), fields[1]))
    }
  }

  @Test(arguments: ["", "-", ".", "1.2.3", "1e", "1e+", "abc", "0x10", "1 ", " 1", "--1", "1e1.5"])
  func malformedTextIsNotANumber(text: String) throws {
    #expect(Decimal128(text as String) == nil)
    #expect(try Decimal128(string: text).isNaN)
    #expect(Decimal128(value: text).isNaN)
    #expect(Decimal128(stringLiteral: text).isNaN)
  }

  @Test("results have no zeros behind the point that they do not need")
  func resultsAreReduced() throws {
    #expect((Decimal128("12.34511") - "1.23400").description == "11.11111")
    #expect((Decimal128("1.50") - "2.50").description == "-1")
    #expect((Decimal128("0.25") * "4.00").description == "1")
    #expect((Decimal128("7.50") / "2.50").description == "3")
    #expect((Decimal128("100") * "10").description == "1000")
    #expect(Decimal128("1.50").description == "1.50")
  }

  @Test func specialValues() throws {
    #expect(try Decimal128(string: "nan").isNaN)
    #expect(try Decimal128(string: "sNaN").isSignalingNaN)
    #expect(try Decimal128(string: "-infinity").isInfinite)
    #expect(try Decimal128(string: "+Inf") > Decimal128.max)
    #expect(try Decimal128(string: "-Inf") < Decimal128.min)
    #expect(Decimal128.nan != Decimal128.nan)
    #expect(!(Decimal128.nan < 1) && !(Decimal128.nan >= 1))
    #expect(Decimal128() == 0)
    #expect(Decimal128().description == "0")
    #expect(Decimal128.max.description == "9.999999999999999999999999999999999E+6144")
    #expect((Decimal128.max + Decimal128.max).isInfinite)
    #expect(Decimal128(high: 0x6000_0000_0000_0000, low: 5).isZero)
  }

  @Test func literalsAreWhatTheySay() {
    let integer: Decimal128 = -42
    let point: Decimal128 = 0.1
    let text: Decimal128 = "12.50"
    #expect(integer.description == "-42")
    #expect(point.description == "0.1")
    #expect(text.description == "12.50")
    #expect(text == 12.5)
    #expect(point + 0.2 == 0.3)
  }

  @Test func binaryNumbersRoundTrip() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("Decimal128 round trip seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(Decimal128(value).doubleValue == value)
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      if float.isFinite { #expect(Float(Decimal128(float).description) == float) }
      let integer = Int64(bitPattern: generator.next())
      #expect(Decimal128(exactly: integer)?.description == "\(integer)")
    }
    #expect(Decimal128(Double.nan).isNaN)
    #expect(Decimal128(-Double.infinity).description == "-Inf")
  }

  @Test func agreesWithFoundationWhereThatIsExact() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("Decimal128 against Decimal seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let left = Decimal(Int.random(in: -999_999_999...999_999_999, using: &generator)) / 1000
      let right = Decimal(Int.random(in: -999_999_999...999_999_999, using: &generator)) / 100
      #expect((Decimal128(left) + Decimal128(right)).decimalValue == left + right)
      #expect((Decimal128(left) * Decimal128(right)).decimalValue == left * right)
    }
  }

  @Test func integersAreExactOrNil() {
    #expect(Decimal128(exactly: UInt64.max)?.description == "18446744073709551615")
    #expect(Decimal128(exactly: UInt128.max) == nil)
    #expect(
      Decimal128(exactly: powerOfTen(38))?.description == "1.000000000000000000000000000000000E+38"
    )
    #expect(Decimal128(exactly: powerOfTen(38) + 1) == nil)
  }

  @Test func anyNumberConverts() {
    #expect(Decimal128(value: 3) == 3)
    #expect(Decimal128(value: UInt8(7)) == 7)
    #expect(Decimal128(value: 2.5) == 2.5)
    #expect(Decimal128(value: "-1e2") == -100)
    #expect(Decimal128(value: Decimal(string: "1.25")!) == 1.25)
    #expect(Decimal128(value: NSNumber(value: 2.25)) == 2.25)
    #expect(Decimal128(number: NSNumber(value: Int64.min)).description == "-9223372036854775808")
    #expect(Decimal128(number: NSDecimalNumber(string: "12.34")).description == "12.34")
  }

  @Test func isCodedAsText() throws {
    let values: [Decimal128] = ["1.10", "-3E-9", "NaN"]
    let data = try JSONEncoder().encode(values)
    #expect(String(decoding: data, as: UTF8.self) == #"["1.10","-3E-9","NaN"]"#)
    let decoded = try JSONDecoder().decode([Decimal128].self, from: data)
    #expect(decoded.map(\.description) == ["1.10", "-3E-9", "NaN"])
  }

  @Test func signsChange() {
    var value: Decimal128 = 5
    value.negate()
    #expect(value == -5)
    #expect(value.magnitude == 5)
    #expect(value.distance(to: 1) == 6)
    #expect(value.advanced(by: 5).isZero)
    value *= 3
    value += 1
    #expect(value == -14)
  }
}
