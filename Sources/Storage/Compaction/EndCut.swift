import Coordination
import Platform

/// Cuts a piece of the free end of a file off. The writer role is held.
struct EndCut {
  let writer: FileWriter
  /// Of the newest version.
  let lastCut: UInt64

  /// Cuts what lies beyond the logical size, once no version that a reader has or that recovery
  /// may fall back to reaches there: those are the ones before the last cut.
  ///
  /// - Returns: the bytes that the file is shorter.
  func run(atMost piece: UInt64) throws(SystemError) -> UInt64 {
    guard lastCut > 0, writer.lockFile.durableVersion >= lastCut,
      writer.state.pins.allSatisfy({ $0 >= lastCut })
    else { return 0 }
    let size = try writer.file.size()
    let target = max(writer.state.freeSpace.logicalSize, size - min(size, piece))
    guard size > target else { return 0 }
    try writer.file.truncate(to: target)
    let start = (target + 4095) & ~4095
    if size > start { writer.mappings.forgetDecrypted(offset: start, length: size - start) }
    return size - target
  }
}

/// How much of a file's end is cut off at once.
///
/// A file system drops the pages and blocks of what is cut while no other process can write; with
/// some, ten megabytes take a millisecond, with some a quarter of one. So a piece is smaller where
/// the last ones have taken long. It does not grow without end where they were fast: what has been
/// punched out before goes at once, and what comes after it does not.
struct CutPace {
  private(set) var size = sizes.upperBound

  private static let nanosecondsMin: UInt64 = 1_000_000
  private static let nanosecondsMax: UInt64 = 4_000_000
  private static let sizes: ClosedRange<UInt64> = (128 << 10)...(512 << 10)

  /// Called when a piece has been cut off that was as large as it might be.
  mutating func note(nanoseconds: UInt64) {
    if nanoseconds > Self.nanosecondsMax { size = max(size / 2, Self.sizes.lowerBound) }
    if nanoseconds < Self.nanosecondsMin { size = min(size * 2, Self.sizes.upperBound) }
  }
}
