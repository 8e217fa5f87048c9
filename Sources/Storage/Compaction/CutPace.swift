/// How much of a file's end is cut off at once.
///
/// A file system drops the pages and blocks of what is cut while no other process can write; with
/// some, ten megabytes take a millisecond, with some a quarter of one. Each call has a cost of its
/// own. So a piece is as large as the last ones have shown that it may be.
struct CutPace {
  private(set) var size: UInt64 = 1 << 20

  private static let nanosecondsMin: UInt64 = 1_000_000
  private static let nanosecondsMax: UInt64 = 4_000_000
  private static let sizes: ClosedRange<UInt64> = (256 << 10)...Compactor.cutSizeMax

  /// Called when a piece has been cut off that was as large as it might be.
  mutating func note(nanoseconds: UInt64) {
    if nanoseconds > Self.nanosecondsMax { size = max(size / 2, Self.sizes.lowerBound) }
    if nanoseconds < Self.nanosecondsMin { size = min(size * 2, Self.sizes.upperBound) }
  }
}
