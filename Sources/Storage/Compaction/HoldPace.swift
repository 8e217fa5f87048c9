/// How much is done in one hold of the writer role, in bytes: half as much where the last took
/// long, twice as much where it was quick. It does not grow without end.
struct HoldPace {
  private(set) var size: UInt64
  private let sizes: ClosedRange<UInt64>
  private let nanoseconds: ClosedRange<UInt64>

  /// - Parameters:
  ///   - nanoseconds: what neither is long nor quick.
  ///   - sizes: it begins with the largest.
  init(nanoseconds: ClosedRange<UInt64>, sizes: ClosedRange<UInt64>) {
    self.nanoseconds = nanoseconds
    self.sizes = sizes
    size = sizes.upperBound
  }

  /// Called when as much has been done as might be.
  mutating func note(nanoseconds taken: UInt64) {
    if taken > nanoseconds.upperBound { size = max(size / 2, sizes.lowerBound) }
    if taken < nanoseconds.lowerBound { size = min(size * 2, sizes.upperBound) }
  }
}

/// How much of a file's end is cut off at once.
///
/// What has been punched out goes in microseconds, whatever its size. Where holes cannot be punched
/// the file system drops the pages and blocks of what is cut while no other process can write; with
/// some, ten megabytes take a millisecond, with some a quarter of one. So there it goes in pieces.
struct CutPace {
  /// Whether holes could not be punched.
  var isSlow = false
  private var pace = HoldPace(
    nanoseconds: 1_000_000...4_000_000, sizes: (128 << 10)...(512 << 10))

  var size: UInt64 { isSlow ? pace.size : Compactor.cutSizeMax }

  /// Called when a piece has been cut off that was as large as it might be.
  mutating func note(nanoseconds: UInt64) { pace.note(nanoseconds: nanoseconds) }
}
