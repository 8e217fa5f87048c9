import Coordination
import Platform

/// Cuts a piece of the free end of a file off. The writer role is held.
struct EndCut {
  let writer: FileWriter
  /// Of the newest version.
  let lastCut: UInt64

  /// Whether a version that a reader has, or that recovery may fall back to, reaches beyond the
  /// logical size: those do that are older than the last cut.
  var isHeldBack: Bool {
    writer.lockFile.durableVersion < lastCut || !writer.state.pins.allSatisfy { $0 >= lastCut }
  }

  /// Cuts what lies beyond the logical size, once nothing holds it back.
  ///
  /// - Returns: the bytes that the file is shorter.
  func run(atMost piece: UInt64) throws(SystemError) -> UInt64 {
    guard lastCut > 0, !isHeldBack else { return 0 }
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
/// What has been punched out goes in microseconds, whatever its size. Where holes cannot be punched
/// the file system drops the pages and blocks of what is cut while no other process can write; with
/// some, ten megabytes take a millisecond, with some a quarter of one. So there it goes in pieces,
/// smaller ones where the last have taken long. They do not grow without end where they were fast.
struct CutPace {
  /// Whether holes could not be punched.
  var isSlow = false
  private var piece = sizes.upperBound

  var size: UInt64 { isSlow ? piece : Compactor.cutSizeMax }

  private static let nanosecondsMin: UInt64 = 1_000_000
  private static let nanosecondsMax: UInt64 = 4_000_000
  private static let sizes: ClosedRange<UInt64> = (128 << 10)...(512 << 10)

  /// Called when a piece has been cut off that was as large as it might be.
  mutating func note(nanoseconds: UInt64) {
    if nanoseconds > Self.nanosecondsMax { piece = max(piece / 2, Self.sizes.lowerBound) }
    if nanoseconds < Self.nanosecondsMin { piece = min(piece * 2, Self.sizes.upperBound) }
  }
}
