import Foundation
import Storage
import ToolReports

extension DatabaseFile {
  func compactInPlace(stepsMax: Int?) throws -> CompactReport {
    let database = try open(writing: true)
    let before = sizes()
    let started = ContinuousClock.now
    var steps = 0
    var moved: UInt64 = 0
    // Space that a step frees can be cut off by the next ones only.
    var idle = 0
    while idle < 3, stepsMax.map({ steps < $0 }) ?? true {
      let progress = try database.compactStep(force: true)
      steps += 1
      moved += UInt64(progress.bytesMoved)
      idle = progress.bytesMoved == 0 && progress.bytesReturned == 0 ? idle + 1 : 0
    }
    return report(
      copy: nil, before: before, after: sizes(), steps: steps, moved: moved, since: started,
      endedEarly: idle < 3 ? "\(steps) steps were the limit" : nil)
  }

  func writeCompactCopy(to target: String, key: EncryptionKey?) throws -> CompactReport {
    let before = sizes()
    let started = ContinuousClock.now
    let moved = try open().writeCompactCopy(to: target, key: key)
    try? FileManager.default.removeItem(atPath: target + ".lock")
    return report(
      copy: target, before: before, after: DatabaseFile(target).sizes(), steps: 1, moved: moved,
      since: started)
  }

  /// Alone with the file, so that nobody goes on with the old one.
  func replaceWithCompactCopy(key: EncryptionKey?) throws -> CompactReport {
    let before = sizes()
    let started = ContinuousClock.now
    let database = try open(writing: true, alone: true)
    let copy = path + ".compact"
    try? FileManager.default.removeItem(atPath: copy)
    let moved = try withExtendedLifetime(database) {
      let moved = try database.writeCompactCopy(to: copy, key: key)
      try? FileManager.default.removeItem(atPath: copy + ".lock")
      guard unsafe rename(copy, path) == 0 else {
        throw StorageError(
          .inputOutput, path: path, "the copy could not be put in its place; it is at \(copy)")
      }
      return moved
    }
    return report(
      copy: nil, before: before, after: sizes(), steps: 1, moved: moved, since: started)
  }

  private func report(
    copy: String?, before: (length: UInt64, allocated: UInt64),
    after: (length: UInt64, allocated: UInt64), steps: Int, moved: UInt64,
    since started: ContinuousClock.Instant, endedEarly: String? = nil
  ) -> CompactReport {
    CompactReport(
      path: path, copy: copy, sizeBytesBefore: before.length, sizeBytesAfter: after.length,
      allocatedBytesBefore: before.allocated, allocatedBytesAfter: after.allocated, steps: steps,
      movedBytes: moved, seconds: (ContinuousClock.now - started) / .seconds(1),
      endedEarly: endedEarly)
  }
}
