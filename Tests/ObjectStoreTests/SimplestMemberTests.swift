import Testing

@testable import ObjectStore

@Suite("the simplest of equal members of a set") struct SimplestMemberTests {
  private static func decimal(_ coefficient: UInt64, _ exponent: Int, _ sign: UInt64 = 0)
    -> StoredValue
  {
    let biased = UInt64(exponent + DecimalNumber.exponentBias) << 49
    return .decimal128(DecimalBits(low: coefficient, high: sign << 63 | biased))
  }

  private static let decimals: [StoredValue] =
    [0, 1, 10, 15, 150, 1_500, 120, 12].flatMap { coefficient in
      [-3, -2, -1, 0, 1, 2, 6_110, 6_111, -6_176].flatMap { exponent in
        [decimal(coefficient, exponent), decimal(coefficient, exponent, 1)]
      }
    } + [0x7C00, 0xFC00, 0x7800, 0xF800].map { .decimal128(DecimalBits(low: 0, high: $0 << 48)) }
  private static let reals: [Double] =
    [
      0, -0.0, .nan, -.nan, .infinity, -.infinity, 1, 1.5, -1.5, 150, 0.1, Double(Float(0.1)), 1e20,
      9e18, -3, 0x1p60, 0x1p53, 0x1p53 + 2, 16_777_216, 123_456_792, 0x1p62, -0x1p63, 0x1p63, 1e40,
    ]
  /// Whole ones, and those with the digits that a double or a float is written with.
  private static let largeDecimals: [StoredValue] = [
    decimal(1 << 60, 0), decimal(1_152_921_504_606_847, 3), decimal(1 << 53, 0),
    decimal(1 << 62, 0), decimal(1 << 63, 0, 1), decimal(9_223_372_036_854_776, 3),
    decimal(9_223_372_036_854_776, 3, 1),
    decimal(16_777_216, 0), decimal(1_677_722, 1), decimal(123_456_792, 0), decimal(1_234_568, 2),
    decimal(1, -1), decimal(10_000_000_149_011_612, -17), decimal(1, 40),
  ]
  private static let doubles = reals.map { StoredValue.double($0) }
  private static let floats = reals.map { StoredValue.float(Float($0)) }

  private func check(_ values: [StoredValue], _ kind: ValueKind) {
    for left in values {
      let simplest = left.simplest(inSetOf: kind)
      #expect(simplest.simplest(inSetOf: kind).isIdentical(to: simplest), "\(left)")
      #expect(SetOrder.compare(left, simplest) == .equal, "\(left)")
      for right in values {
        let areEqual = SetOrder.compare(left, right) == .equal
        let haveOneName = simplest.isIdentical(to: right.simplest(inSetOf: kind))
        #expect(areEqual == haveOneName, "\(left), \(right)")
      }
    }
  }

  @Test("is the same for two values if, and only if, these are equal")
  func names() {
    check(Self.doubles, .double)
    check(Self.floats, .float)
    check(Self.decimals, .decimal128)
    let integers: [StoredValue] = [0, 1, -1, -3, 15, 150, 1_500, .max, .min, 1 << 60, 1 << 53]
      .map { .int($0) }
    check(Self.doubles + Self.floats + Self.decimals + Self.largeDecimals + integers, .any)
  }

  @Test("is of an order: what is less than another is less than all that are not less than that")
  func order() {
    let values =
      Self.doubles + Self.floats + Self.largeDecimals
      + [1, 1 << 60, 1 << 53, .max, .min].map { .int($0) }
    for left in values {
      for middle in values where SetOrder.compare(left, middle) != .greater {
        for right in values where SetOrder.compare(middle, right) != .greater {
          let isEqual =
            SetOrder.compare(left, middle) == .equal && SetOrder.compare(middle, right) == .equal
          let order = SetOrder.compare(left, right)
          #expect(order == (isEqual ? .equal : .less), "\(left), \(middle), \(right)")
        }
      }
    }
  }
}
