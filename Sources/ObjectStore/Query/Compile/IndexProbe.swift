/// A question that an index of a column answers.
enum IndexProbe: Sendable {
  /// Objects with one of these values.
  case values([StoredValue])
  /// Objects with a value (as an ordered index keeps it) within bounds.
  case range(ClosedRange<Int64>)
  /// Objects with words in each of these ranges of a full-text index; there may be more of them
  /// than match.
  case words([ClosedRange<Int64>])
}
