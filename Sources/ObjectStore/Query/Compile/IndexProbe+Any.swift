// Questions to an index of values of any kind.
extension IndexProbe {
  /// Where the values are that compare with a constant like that; nil if the index does not know.
  static func any(_ comparison: QueryComparison, _ value: StoredValue) -> IndexProbe? {
    guard let place = AnyIndexKey.place(of: value) else { return nil }
    if comparison == .equal { return .keyed([place.keys], isExact: place.isExact) }
    guard place.group.isOrdered else { return nil }
    let all = place.group.all
    let (before, behind) = (place.keys.lowerBound, place.keys.upperBound)
    let bounds: (lower: Int64, upper: Int64)
    switch comparison {
    case .equal, .notEqual: return nil
    case .less: bounds = (all.lowerBound, place.isExact ? before - 1 : behind)
    case .lessOrEqual: bounds = (all.lowerBound, behind)
    case .greater: bounds = (place.isExact ? behind + 1 : before, all.upperBound)
    case .greaterOrEqual: bounds = (before, all.upperBound)
    }
    let ranges = bounds.lower <= bounds.upper ? [bounds.lower...bounds.upper] : []
    return .keyed(ranges, isExact: place.isExact)
  }

  /// Where the values are that are equal to one of these.
  static func any(in values: [StoredValue]) -> IndexProbe? {
    var isExact = true
    var ranges: [ClosedRange<Int64>] = []
    for value in values where value != .null {
      guard let place = AnyIndexKey.place(of: value) else { return nil }
      ranges.append(place.keys)
      isExact = isExact && place.isExact
    }
    return .keyed(
      joined(ranges), orNull: values.contains(.null), isExact: isExact)
  }

  /// The same keys in ranges that do not meet, so that each object is named once.
  private static func joined(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
    var joined: [ClosedRange<Int64>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  /// What both of two questions to one index name; nil unless they are about its keys.
  func intersection(_ other: IndexProbe) -> IndexProbe? {
    guard case .keyed(let left, let leftNull, let leftExact) = self,
      case .keyed(let right, let rightNull, let rightExact) = other
    else { return nil }
    let both = left.flatMap { left in
      right.filter(left.overlaps).map { $0.clamped(to: left) }
    }
    return .keyed(
      both, orNull: leftNull && rightNull, isExact: leftExact && rightExact)
  }
}
