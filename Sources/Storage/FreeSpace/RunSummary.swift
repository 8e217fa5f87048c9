/// What a stretch of the file has free, in units of 8 bytes.
///
/// The summaries of two neighbours give that of both, so a search for a long run can skip whole
/// groups of regions without looking into them.
struct RunSummary: Hashable {
  /// Units that the stretch has in all.
  var size = 0
  var free = 0
  /// Units of the free run at its start, and at its end.
  var prefix = 0
  var suffix = 0
  var longest = 0

  static func used(size: Int) -> RunSummary { RunSummary(size: size) }

  /// Appends the stretch that follows.
  mutating func append(_ next: RunSummary) {
    longest = max(longest, next.longest, suffix + next.prefix)
    prefix = prefix == size ? size + next.prefix : prefix
    suffix = next.suffix == next.size ? suffix + next.size : next.suffix
    size += next.size
    free += next.free
  }
}
