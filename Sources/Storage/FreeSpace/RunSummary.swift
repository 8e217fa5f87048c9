/// What a stretch of the file has free, in units of 8 bytes.
///
/// The summaries of two neighbours give that of both, so a search for a long run can skip whole
/// groups of regions without looking into them.
struct RunSummary: Hashable {
  /// Units that the stretch has in all.
  var size: Int32 = 0
  var free: Int32 = 0
  /// Units of the free run at its start, and at its end.
  var prefix: Int32 = 0
  var suffix: Int32 = 0
  var longest: Int32 = 0

  static func used(size: Int) -> RunSummary { RunSummary(size: Int32(size)) }

  /// Appends the stretch that follows.
  mutating func append(_ next: RunSummary) {
    longest = max(longest, next.longest, suffix + next.prefix)
    prefix = prefix == size ? size + next.prefix : prefix
    suffix = next.suffix == next.size ? suffix + next.size : next.suffix
    size += next.size
    free += next.free
  }

  /// What may be said of it when a run, of which it is not known where the rest of the stretch has
  /// free space, turns out to be free.
  mutating func hint(start: Int32, length: Int32) {
    free = min(size, max(free + length, longest, length))
    if start == 0 { prefix = max(prefix, length) }
    if start + length == size { suffix = max(suffix, length) }
    longest = max(longest, length)
  }
}
