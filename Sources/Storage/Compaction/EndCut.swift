import Coordination
import Platform

/// Cuts a piece of the free end of a file off. The writer role is held.
struct EndCut {
  let writer: FileWriter
  /// Of the newest version.
  let lastCut: Version

  /// Whether a version that a reader has, or that recovery may fall back to, reaches beyond the
  /// logical size: those do that are older than the last cut.
  var isHeldBack: Bool {
    writer.lockFile.durableVersion < lastCut || !writer.state.pins.allSatisfy { $0 >= lastCut }
  }

  /// Cuts what lies beyond the logical size, once nothing holds it back.
  ///
  /// - Returns: the bytes that the file is shorter.
  func run(atMost piece: UInt64) throws(SystemError) -> UInt64 {
    guard lastCut > .zero, !isHeldBack else { return 0 }
    let size = try writer.file.size()
    let target = max(writer.state.freeSpace.logicalSize, size - min(size, piece))
    guard size > target else { return 0 }
    try writer.file.truncate(to: target)
    let start = (target + 4095) & ~4095
    if size > start { writer.mappings.forgetDecrypted(offset: start, length: size - start) }
    return size - target
  }
}
