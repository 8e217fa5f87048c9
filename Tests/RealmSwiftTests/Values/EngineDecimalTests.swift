import TestSupport
import Testing

@testable import ObjectStore
@testable import RealmSwift

/// The engine adds and compares decimals on its own, for sums and conditions; it must agree with
/// `Decimal128`.
@Suite struct EngineDecimalTests {
  private func number(using generator: inout SeededGenerator) -> Decimal128 {
    let digits = [1, 2, 17, 33, 34].randomElement(using: &generator)!
    var coefficient = UInt128.random(in: 0..<powerOfTen(digits), using: &generator)
    // Round numbers make ties.
    if Bool.random(using: &generator) {
      let power = powerOfTen(Int.random(in: 0..<digits, using: &generator))
      coefficient = coefficient / power * power
    }
    return Decimal128(
      negative: Bool.random(using: &generator), coefficient: coefficient,
      exponent: Int.random(in: -40...40, using: &generator))
  }

  @Test func sumsAndOrderAgreeWithDecimal128() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("engine decimal seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let left = number(using: &generator)
      let right = number(using: &generator)
      let sum = Decimal128((DecimalNumber(left.stored) + DecimalNumber(right.stored)).bits)
      #expect(sum == left + right, "\(left) + \(right): \(sum) is not \(left + right)")
      let order = DecimalNumber(left.stored).compare(to: DecimalNumber(right.stored))
      let expected: Ordering = left < right ? .less : left == right ? .equal : .greater
      #expect(order == expected, "\(left) against \(right)")
      let count = Int.random(in: 1...1_000_000, using: &generator)
      let mean = Decimal128(DecimalNumber(left.stored).divided(by: count).bits)
      let quotient = left / Decimal128(value: count)
      #expect(mean == quotient, "\(left) / \(count): \(mean) is not \(quotient)")
    }
  }

  @Test func tiesThatAreNotQuiteTiesRoundDown() {
    let left = Decimal128("1E+36")
    let right = Decimal128("-50.0000001")
    let sum = Decimal128((DecimalNumber(left.stored) + DecimalNumber(right.stored)).bits)
    #expect(sum == left + right)
  }
}
