/// A question that an index of a column answers.
enum IndexProbe: Sendable {
  /// Objects with one of these values.
  case values([StoredValue])
  /// Objects with a value (as an ordered index keeps it) within bounds.
  case range(ClosedRange<Int64>)
}
