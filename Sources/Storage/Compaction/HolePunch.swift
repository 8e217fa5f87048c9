import Platform

/// Gives long free runs back to the file system, as holes in the file. The writer role is held.
struct HolePunch {
  let writer: FileWriter
  let system: any System

  private var freeSpace: FreeSpace { writer.state.freeSpace }

  /// - Parameter punchCursor: the region after the last one in which holes were punched.
  /// - Returns: how many bytes went back.
  func run(from punchCursor: inout Int) throws(StorageError) -> UInt64 {
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
}
