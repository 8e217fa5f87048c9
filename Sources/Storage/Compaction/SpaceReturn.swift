import Coordination
import Platform

/// Gives free space back to the file system: punches holes into long free runs, and cuts the end of
/// the file. The writer role is held.
struct SpaceReturn {
  let writer: FileWriter
  let system: any System
  /// Of the newest version.
  let lastCut: UInt64

  private var freeSpace: FreeSpace { writer.state.freeSpace }

  /// - Parameter punchCursor: the region after the last one in which holes were punched.
  /// - Returns: how many bytes went back.
  func punchHoles(from punchCursor: inout Int) throws(StorageError) -> UInt64 {
    let runs = try freeSpace.runsToReturn(
      atLeast: Compactor.punchSizeMin, count: Compactor.punchCountMax, from: &punchCursor)
    var returned: UInt64 = 0
    let deadline = system.now() + Compactor.holdNanosecondsMax
    do throws(SystemError) {
      for run in runs where system.now() <= deadline {
        returned += try punch(run)
      }
    } catch {
      throw StorageError(error, doing: "give space back to the file system")
    }
    return returned
  }

  /// A file system that cannot punch holes keeps the blocks; the file can be cut all the same.
  private func punch(_ run: Extent) throws(SystemError) -> UInt64 {
    let start = (run.offset + 4095) & ~4095
    let end = run.end & ~4095
    guard start < end else { return 0 }
    freeSpace.returned.insert(run)
    writer.mappings.forgetDecrypted(offset: start, length: end - start)
    do throws(SystemError) {
      try writer.file.punchHole(offset: start, length: end - start)
    } catch {
      return 0
    }
    return end - start
  }

  /// Cuts what lies beyond the logical size, or a piece of that, once no version that a reader has
  /// or that recovery may fall back to reaches there: those are the ones before the last cut.
  ///
  /// - Returns: how many bytes went back.
  func cutFile(atMost piece: UInt64) throws(StorageError) -> UInt64 {
    do throws(SystemError) { return try cut(piece) } catch {
      throw StorageError(error, doing: "give space back to the file system")
    }
  }

  private func cut(_ piece: UInt64) throws(SystemError) -> UInt64 {
    guard lastCut > 0, writer.lockFile.durableVersion >= lastCut,
      writer.state.pins.allSatisfy({ $0 >= lastCut })
    else { return 0 }
    let size = try writer.file.size()
    let target = max(freeSpace.logicalSize, size - min(size, piece))
    guard size > target else { return 0 }
    try writer.file.truncate(to: target)
    let start = (target + 4095) & ~4095
    if size > start { writer.mappings.forgetDecrypted(offset: start, length: size - start) }
    return size - target
  }
}
