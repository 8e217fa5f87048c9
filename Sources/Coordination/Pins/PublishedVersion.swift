import Platform
import Synchronization

/// A version that readers can use.
@frozen public struct PublishedVersion: Hashable, Sendable {
  /// At least 1, at most `LockFileLayout.versionMax`.
  public var version: Version
  /// The raw node reference of its root.
  public var root: UInt64
  /// Bytes of the data file that the version may refer to.
  public var logicalSize: UInt64

  public init(version: Version, root: UInt64, logicalSize: UInt64) {
    self.version = version
    self.root = root
    self.logicalSize = logicalSize
  }

  /// Every bit of the three numbers changes about half of the bits of the result.
  var check: UInt64 {
    var sum = version.rawValue &* 0x9E37_79B9_7F4A_7C15 ^ 0x4846_4C4F_434B_3031
    sum = (sum ^ sum >> 29 ^ root) &* 0xBF58_476D_1CE4_E5B9
    sum = (sum ^ sum >> 32 ^ logicalSize) &* 0x94D0_49BB_1331_11EB
    return sum ^ sum >> 31
  }
}

/// The newest version and the last few before it.
///
/// A writer fills the next entry of the ring and then moves the newest number on to it, so an entry
/// is only ever overwritten `ringCount - 1` commits after it stopped being the newest. A reader
/// that is overtaken by that many sees another version or a wrong check, and reads again.
struct NewestVersion: Sendable {
  let memory: SharedMemory

  private func entry(_ version: Version) -> Int {
    let index = Int(truncatingIfNeeded: version.rawValue) & (LockFileLayout.ringCount - 1)
    return LockFileLayout.ring + index * LockFileLayout.ringEntrySize
  }

  @inline(__always)
  func number() -> Version {
    Version(memory[LockFileLayout.newestVersion].load(ordering: .sequentiallyConsistent))
  }

  /// What was published as `version`; nil if it has been overwritten since, or is damaged.
  @inline(__always)
  func published(_ version: Version) -> PublishedVersion? {
    let entry = entry(version)
    func field(_ offset: Int) -> UInt64 {
      memory[entry + offset].load(ordering: .relaxed)
    }
    let result = PublishedVersion(
      version: Version(field(LockFileLayout.ringVersion)), root: field(LockFileLayout.ringRoot),
      logicalSize: field(LockFileLayout.ringLogicalSize))
    guard result.version == version, field(LockFileLayout.ringCheck) == result.check else {
      return nil
    }
    return result
  }

  func read() throws(LockFileError) -> PublishedVersion {
    while true {
      let version = number()
      if let result = published(version) { return result }
      try requireOvertaken(version)
    }
  }

  /// An entry that cannot be read although it is still the newest is damaged.
  func requireOvertaken(_ version: Version) throws(LockFileError) {
    // What was read of the entry was read before the number is.
    atomicMemoryFence(ordering: .acquiring)
    guard number() == version else { return }
    throw LockFileError(
      .damaged, path: memory.file?.path ?? "",
      "the newest version in the shared memory is damaged; close the file in every process and "
        + "open it again, the data file is not affected")
  }

  /// For the holder of the writer role, or a process that has the file exclusively.
  func publish(_ newest: PublishedVersion) {
    precondition(
      newest.version > .zero && newest.version.rawValue <= LockFileLayout.versionMax,
      "version \(newest.version) cannot be published")
    let entry = entry(newest.version)
    func store(_ value: UInt64, _ offset: Int) {
      memory[entry + offset].store(value, ordering: .relaxed)
    }
    store(newest.version.rawValue, LockFileLayout.ringVersion)
    store(newest.root, LockFileLayout.ringRoot)
    store(newest.logicalSize, LockFileLayout.ringLogicalSize)
    store(newest.check, LockFileLayout.ringCheck)
    memory[LockFileLayout.newestVersion].store(
      newest.version.rawValue, ordering: .sequentiallyConsistent)
  }
}
