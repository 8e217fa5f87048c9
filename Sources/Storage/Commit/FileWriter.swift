import Coordination
import Platform

/// What the holder of a file's writer role works with, and what it keeps from one commit to the
/// next. The role itself is the lock-file's.
final class FileWriter: Sendable {
  let file: any SystemFile
  let lockFile: LockFile
  let slots: SlotStore
  let mappings: FileMappings
  let pins: VersionPins
  let flusher: FileFlusher
  let options: DatabaseOptions
  /// Accessed only by the holder of the writer role.
  let state: WriterState

  /// - Parameter versionAtOpening: the newest version when this process opened the file.
  init(
    file: any SystemFile, lockFile: LockFile, boot: BootIdentifier, mappings: FileMappings,
    pins: VersionPins, options: DatabaseOptions, versionAtOpening: Version
  ) {
    self.file = file
    self.lockFile = lockFile
    self.mappings = mappings
    self.pins = pins
    self.options = options
    slots = SlotStore(file: file, boot: boot, cipher: mappings.cipher)
    flusher = FileFlusher(
      file: file, lockFile: lockFile, slots: slots, mappings: mappings, pins: pins,
      durability: options.durability, versionAtOpening: versionAtOpening)
    state = WriterState(cipher: mappings.cipher)
  }

  /// Called before waiting for the role.
  ///
  /// - Throws: `.readOnly`.
  func requireWritable() throws(StorageError) {
    guard !options.readOnly else {
      throw StorageError(
        .readOnly, path: file.path, "the database was opened read-only; open it for writing")
    }
  }

  /// Brings the free space to the newest version and releases what no pin needs. The writer role is
  /// held, and `base` is the newest version.
  func refreshFreeSpace(
    _ base: VersionNode, source: NodeSource, holdsDurable: Bool
  ) throws(StorageError) {
    lockFile.pinnedVersions(into: &state.pins)
    state.addPin(base.version)
    let pending = lockFile.pendingSlot
    if holdsDurable, pending > .zero { state.addPin(pending) }
    do throws(StorageError) {
      try state.freeSpace.advance(
        to: base.version, source: source, index: base.freeSpace,
        logicalSize: base.published.logicalSize, pins: state.pins,
        durable: holdsDurable ? lockFile.durableVersion : nil)
    } catch {
      state.freeSpace = FreeSpace()
      throw error
    }
  }
}
