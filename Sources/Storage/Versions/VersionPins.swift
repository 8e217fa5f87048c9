import Coordination

/// Pins versions of a file under the label that this process has given itself.
struct VersionPins {
  private let lockFile: LockFile
  private let mappings: FileMappings
  private let label: PinLabel

  init(lockFile: LockFile, mappings: FileMappings, label: String) {
    self.lockFile = lockFile
    self.mappings = mappings
    self.label = PinLabel(label)
  }

  /// Pins the newest version; the caller sees to it that it is unpinned. Takes no lock.
  @inline(__always)
  func claimNewest() throws(StorageError) -> Pin {
    mappings.noteFlushFailure(lockFile.flushFailure)
    do { return try lockFile.pinNewest(label: label) } catch { throw StorageError(error) }
  }
}
