/// An unsigned integer of 256 bits, just enough of one for exact intermediate results.
package struct WideInteger {
  var high: UInt128
  var low: UInt128

  package init(_ low: UInt128) {
    self.high = 0
    self.low = low
  }

  package init(_ left: UInt128, times right: UInt128) {
    let product = left.multipliedFullWidth(by: right)
    self.high = product.high
    self.low = product.low
  }

  static func + (left: WideInteger, right: WideInteger) -> WideInteger {
    var sum = left
    let (low, carry) = left.low.addingReportingOverflow(right.low)
    sum.low = low
    sum.high = left.high &+ right.high &+ (carry ? 1 : 0)
    return sum
  }

  /// Needs `left >= right`.
  static func - (left: WideInteger, right: WideInteger) -> WideInteger {
    var difference = left
    let (low, borrow) = left.low.subtractingReportingOverflow(right.low)
    difference.low = low
    difference.high = left.high &- right.high &- (borrow ? 1 : 0)
    return difference
  }

  static func < (left: WideInteger, right: WideInteger) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  var isZero: Bool { high == 0 && low == 0 }

  /// The number of decimal digits, 0 for zero; for values below 10^76.
  var digitCount: Int {
    if high == 0 { return ObjectStore.digitCount(low) }
    var count = ((256 - high.leadingZeroBitCount) * 1233) >> 12
    // The estimate may be one off in either direction.
    while count > 38 && self < WideInteger(powerOfTen(38), times: powerOfTen(count - 38 - 1)) {
      count -= 1
    }
    while !(self < WideInteger(powerOfTen(38), times: powerOfTen(count - 38))) { count += 1 }
    return count
  }

  func dividedByPowerOfTen(_ exponent: Int) -> (quotient: WideInteger, remainder: UInt128) {
    let divisor = powerOfTen(exponent)
    let upper = high.quotientAndRemainder(dividingBy: divisor)
    let lower = divisor.dividingFullWidth((upper.remainder, low))
    var quotient = WideInteger(lower.quotient)
    quotient.high = upper.quotient
    return (quotient, lower.remainder)
  }

  /// Needs a result below 2^256.
  func multiplied(byPowerOfTen exponent: Int) -> WideInteger {
    var result = self
    var exponent = exponent
    while exponent > 0 {
      let step = Swift.min(exponent, 38)
      let power = powerOfTen(step)
      var next = WideInteger(result.low, times: power)
      next.high = next.high &+ result.high &* power
      result = next
      exponent -= step
    }
    return result
  }
}

/// 10^exponent for 0...38.
package func powerOfTen(_ exponent: Int) -> UInt128 {
  powersOfTen[exponent]
}

private let powersOfTen: [UInt128] = {
  var powers: [UInt128] = [1]
  for _ in 1...38 { powers.append(powers[powers.count - 1] * 10) }
  return powers
}()

/// The number of decimal digits, 0 for zero.
package func digitCount(_ value: UInt128) -> Int {
  if value == 0 { return 0 }
  // 1233 / 4096 is just below log10(2): the estimate is right or one too small.
  let bits = 128 - value.leadingZeroBitCount
  let estimate = (bits * 1233) >> 12
  return estimate < 39 && value >= powersOfTen[estimate] ? estimate + 1 : estimate
}
