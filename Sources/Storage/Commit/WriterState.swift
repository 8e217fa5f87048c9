import Coordination
import Platform

/// What the writer keeps between commits.
final class WriterState: @unchecked Sendable {
  // Sendable: only the holder of the writer lock accesses it, and the lock's queue orders the
  // holders.

  var freeSpace = FreeSpace()
  /// Encrypts what is written.
  let nodeCipher: AuthenticatedCipher?
  var scratch: ScratchBuffer
  /// The pinned versions as they were last collected, ascending, without duplicates.
  var pins: [Version] = []
  /// What has been written, and what has been freed that the durable version has, since a flush was
  /// last scheduled for that.
  var unflushedBytes: UInt64 = 0
  var heldBytes: UInt64 = 0
  /// What the newest commit has written.
  var newestCommitBytes: UInt64 = 0

  init(cipher: FileCipher?) {
    nodeCipher = cipher?.makeNodeCipher()
    scratch = ScratchBuffer(isSecret: cipher != nil)
  }

  func addPin(_ version: Version) {
    var place = pins.count
    while place > 0, pins[place - 1] >= version {
      if pins[place - 1] == version { return }
      place -= 1
    }
    pins.insert(version, at: place)
  }
}
