/// Comparisons across kinds of numbers, exact where a conversion would round.
enum NumberOrder {
  /// Not-a-number is below all integers.
  static func compare(_ integer: Int64, _ real: Double) -> Ordering {
    if real.isNaN { return .greater }
    if real >= 0x1p63 { return .less }
    if real < -0x1p63 { return .greater }
    let whole = real.rounded(.towardZero)
    let order = Ordering.of(integer, Int64(whole))
    return order == .equal ? .of(0, real - whole) : order
  }

  /// The integers that compare with `real` like that: a range that may be empty (nil), and whether
  /// it is the integers outside of it.
  static func integers(
    _ comparison: QueryComparison, _ real: Double
  ) -> (range: ClosedRange<Int64>?, isInverted: Bool) {
    switch comparison {
    case .equal: return (exact(real).map { $0...$0 }, false)
    case .notEqual: return (exact(real).map { $0...$0 }, true)
    case .less: return (real.isNaN ? nil : below(from(real.rounded(.up))), false)
    case .lessOrEqual: return (upTo(real.rounded(.down)), false)
    case .greater: return (real.isNaN ? nil : above(upTo(real.rounded(.down))), false)
    case .greaterOrEqual: return (from(real.rounded(.up)), false)
    }
  }

  private static func exact(_ real: Double) -> Int64? { Int64(exactly: real) }

  /// What is below a range that goes up to the end.
  private static func below(_ range: ClosedRange<Int64>?) -> ClosedRange<Int64>? {
    guard let range else { return Int64.min...Int64.max }
    return range.lowerBound == .min ? nil : Int64.min...(range.lowerBound - 1)
  }

  /// What is above a range that begins at the start.
  private static func above(_ range: ClosedRange<Int64>?) -> ClosedRange<Int64>? {
    guard let range else { return Int64.min...Int64.max }
    return range.upperBound == .max ? nil : (range.upperBound + 1)...Int64.max
  }

  private static func upTo(_ whole: Double) -> ClosedRange<Int64>? {
    if whole.isNaN || whole < -0x1p63 { return nil }
    return Int64.min...(whole >= 0x1p63 ? .max : Int64(whole))
  }

  private static func from(_ whole: Double) -> ClosedRange<Int64>? {
    if whole.isNaN || whole >= 0x1p63 { return nil }
    return (whole < -0x1p63 ? .min : Int64(whole))...Int64.max
  }
}
