/// Comparisons across kinds of numbers, exact where a conversion would round.
enum NumberOrder {
  static func compare(_ integer: Int64, _ real: Double) -> Ordering {
    if real.isNaN { return .different }
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
    case .less: return (upTo(below(real)), false)
    case .lessOrEqual: return (upTo(real.rounded(.down)), false)
    case .greater: return (from(above(real)), false)
    case .greaterOrEqual: return (from(real.rounded(.up)), false)
    }
  }

  private static func exact(_ real: Double) -> Int64? { Int64(exactly: real) }

  /// The largest whole number below.
  private static func below(_ real: Double) -> Double {
    let whole = real.rounded(.down)
    return whole == real ? (whole - 1 == whole ? whole.nextDown : whole - 1) : whole
  }

  /// The smallest whole number above.
  private static func above(_ real: Double) -> Double {
    let whole = real.rounded(.up)
    return whole == real ? (whole + 1 == whole ? whole.nextUp : whole + 1) : whole
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
