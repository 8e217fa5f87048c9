/// A question that an index of a column answers.
enum IndexProbe: Sendable {
  /// Objects with one of these values.
  case values([StoredValue])
  /// Objects with a value (as an ordered index keeps it) within bounds.
  case range(ClosedRange<Int64>)
  /// Objects whose value of any kind has its key (`AnyIndexKey`) in one of the ranges, which do not
  /// meet, or is null; there may be more of them than match unless it is exact.
  case keyed([ClosedRange<Int64>], orNull: Bool = false, isExact: Bool)
  /// Objects with words in each of these ranges of a full-text index; there may be more of them
  /// than match.
  case words([ClosedRange<Int64>])
}
