import Coordination
import Platform
import Synchronization

/// An open data file. One instance per file and process, however often it is opened; any thread may
/// use it.
///
/// Readers pin a version (`pinNewest`) and read it without locks. One writer at a time, among all
/// threads of all processes, builds the next version on the newest (`beginWrite`).
public final class Database: Sendable {
  public let path: String
  public let options: DatabaseOptions
  package let system: any System
  let file: any SystemFile
  package var fileIdentity: FileIdentity { file.identity }
  let lockFile: LockFile
  private let label: PinLabel
  /// Accessed only by the holder of the writer lock.
  let writerState: WriterState
  /// All that have been made, so that a mapping can be used without being retained.
  let mappings: LockedValue<[Mapping]>
  /// The newest mapping, `Unmanaged`; `mappings` keeps it alive as long as the database.
  private let currentMapping: Atomic<UInt>
  let slots: SlotStore
  /// What an encrypted file is read and written with.
  let cipher: FileCipher?
  /// The newest version when this process opened the file.
  let versionAtOpening: UInt64
  /// `LockFile.flushFailure` when this process last looked.
  private let flushFailureSeen: Atomic<UInt64>
  /// The version of a slot that this process has written and could not flush; 0: there is none.
  let uncertainSlot = Atomic<UInt64>(0)
  /// The lock is held while a flush is under way.
  let failedFlushes = LockedValue(FailedFlushes())
  let maintenance: Maintenance
  let slowReaders: SlowReaderWatch?
  let compaction = LockedValue(CompactionState())
  package let compactionStatistics = CompactionStatistics()
  /// For those that must not keep the database open.
  let weakHandle = WeakHandle<Database>()

  init(
    path: String, options: DatabaseOptions, system: any System, file: any SystemFile,
    lockFile: LockFile, mapping: Mapping, newest: UInt64
  ) {
    self.path = path
    self.options = options
    self.system = system
    self.file = file
    self.lockFile = lockFile
    cipher = mapping.cipher
    slots = SlotStore(file: file, boot: system.bootIdentifier(), cipher: cipher)
    versionAtOpening = newest
    flushFailureSeen = Atomic(lockFile.flushFailure)
    label = PinLabel(options.label)
    writerState = WriterState(cipher: cipher)
    mappings = LockedValue([mapping])
    currentMapping = Atomic(UInt(bitPattern: Unmanaged.passUnretained(mapping).toOpaque()))
    slowReaders = SlowReaderWatch(options: options, path: path, system: system)
    maintenance = Maintenance(label: path, system: system)
    weakHandle.remember(self)
  }

  deinit {
    weakHandle.forget()
    flushBeforeClosing()
    maintenance.close(durable: lockFile.durableVersion, path: path)
    lockFile.close()
    file.close()
  }

  /// The newest committed version. One atomic load.
  public var newestVersion: UInt64 {
    lockFile.newestVersion
  }

  /// The newest version that survives power loss.
  public var durableVersion: UInt64 {
    lockFile.durableVersion
  }

  /// Pins the newest version. Takes no lock and never waits.
  public func pinNewest() throws(StorageError) -> Snapshot {
    try Snapshot(database: self, pin: try claimPin())
  }

  /// As `pinNewest()`; nil if there is no room for one more pinned version now.
  public func pinNewestIfRoom() throws(StorageError) -> Snapshot? {
    do throws(StorageError) { return try pinNewest() } catch {
      if error.isResourceExhausted { return nil }
      throw error
    }
  }

  /// Pins the newest version; the caller sees to it that it is unpinned.
  @inline(__always)
  func claimPin() throws(StorageError) -> Pin {
    let failure = lockFile.flushFailure
    if failure != flushFailureSeen.load(ordering: .relaxed) {
      flushFailureSeen.store(failure, ordering: .relaxed)
      forgetVerifiedNodes()
    }
    do { return try lockFile.pinNewest(label: label) } catch { throw StorageError(error) }
  }

  /// Reads the newest version for the length of a call: pins it, and unpins it when `body`
  /// returns. Nothing is allocated, no lock is taken. What `body` is given must not outlive it.
  ///
  /// - Throws: what `body` throws, or `.corrupt`.
  public func withNewest<Result>(
    _ body: (_ source: NodeSource, _ root: NodeReference) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let pin = try claimPin()
    defer { lockFile.unpin(pin) }
    let source = try beginReading(covering: pin.published.logicalSize)
    defer { source.endReading() }
    let reference = NodeReference(rawValue: pin.published.root)
    let node = try source.node(reference)
    guard node.kind == .snapshot, node.referenceCount == SnapshotNode.referenceCount else {
      throw source.corrupt(reference, "the node of version \(pin.version) was expected")
    }
    return try body(source, node.reference(SnapshotNode.root))
  }

  /// Whether the file is open with that key, or without one.
  ///
  /// - Throws: `.inUse` if it is not.
  package func requireKey(_ key: EncryptionKey?) throws(StorageError) {
    guard key != options.encryptionKey else { return }
    throw StorageError(
      .inUse, path: path,
      "Realm at path '\(path)' already opened with different encryption key.")
  }

  /// The mapping to read a version of `size` bytes through.
  func mapping(covering size: UInt64) throws(StorageError) -> Mapping {
    try unretainedMapping(covering: size).takeUnretainedValue()
  }

  /// What reads a version of `size` bytes, up to its `endReading`.
  @inline(__always)
  func beginReading(covering size: UInt64) throws(StorageError) -> NodeSource {
    let mapping = try unretainedMapping(covering: size)
    if cipher != nil { return try beginCountedReading(covering: size) }
    return mapping._withUnsafeGuaranteedRef { NodeSource(mapping: $0, limit: size) }
  }

  /// Of an encrypted file: who has been counted before the mapping was replaced keeps its shadow.
  private func beginCountedReading(covering size: UInt64) throws(StorageError) -> NodeSource {
    while true {
      let mapping = try mapping(covering: size)
      mapping.addReader()
      let current = currentMapping.load(ordering: .sequentiallyConsistent)
      if current == UInt(bitPattern: Unmanaged.passUnretained(mapping).toOpaque()) {
        return NodeSource(mapping: mapping, limit: size)
      }
      mapping.removeReader()
    }
  }

  @inline(__always)
  private func unretainedMapping(
    covering size: UInt64
  ) throws(StorageError) -> Unmanaged<Mapping> {
    let bits = currentMapping.load(ordering: .acquiring)
    let mapping = Unmanaged<Mapping>.fromOpaque(
      UnsafeRawPointer(bitPattern: bits).unsafelyUnwrapped)
    if size <= mapping._withUnsafeGuaranteedRef({ $0.length }) { return mapping }
    return Unmanaged.passUnretained(try enlargeMapping(to: size))
  }

  /// After a failed flush the page cache may come to hold older bytes, so nothing that was verified
  /// before counts any more.
  func forgetVerifiedNodes() {
    mappings.withLock { mappings in
      for mapping in mappings { mapping.verified.forgetAll() }
    }
  }

  /// Gives back the decrypted nodes of free space. The writer role is held.
  func forgetDecrypted(offset: UInt64, length: UInt64) {
    guard cipher != nil else { return }
    mappings.withLock { mappings in
      for mapping in mappings { mapping.forgetDecrypted(offset: offset, length: length) }
    }
  }

  private func enlargeMapping(to size: UInt64) throws(StorageError) -> Mapping {
    let result: Result<Mapping, SystemError> = mappings.withLock { mappings in
      if let last = mappings.last, size <= last.length { return .success(last) }
      do throws(SystemError) {
        let mapping = try Mapping.make(
          file, covering: size, reservation: options.mappingReservation, cipher: cipher)
        let outgrown = mappings.last
        mappings.append(mapping)
        currentMapping.store(
          UInt(bitPattern: Unmanaged.passUnretained(mapping).toOpaque()),
          ordering: .sequentiallyConsistent)
        outgrown?.outgrow()
        return .success(mapping)
      } catch {
        return .failure(error)
      }
    }
    do { return try result.get() } catch { throw StorageError(error, doing: "map the file") }
  }

  /// Waits in the background until this process is the one that synchronises the file. `whenTaken`
  /// is called on some thread. A process that dies gives the role to another one at once.
  public func takeAgentRole(
    whenTaken: @escaping @Sendable (StorageError?) -> Void
  ) throws(StorageError) {
    do {
      try lockFile.takeAgentRole { result in
        switch result {
        case .success: whenTaken(nil)
        case .failure(let error): whenTaken(StorageError(error))
        }
      }
    } catch {
      throw StorageError(error)
    }
  }

  /// Gives that role back, or gives up waiting for it.
  public func releaseAgentRole() { lockFile.releaseAgentRole() }

  /// Calls `listener` after each commit of any thread or process, until the returned token is
  /// dropped. Several commits may share a call. For a commit of this process it is called by the
  /// thread that commits, unless it is the transaction's `author`, else on a background thread that
  /// other files share; so it must be short, and not wait for anything.
  public func addCommitListener(
    _ listener: @escaping @Sendable () -> Void
  ) throws(StorageError) -> CommitListener {
    do {
      return CommitListener(token: try lockFile.addListener(listener), database: self)
    } catch {
      throw StorageError(error)
    }
  }

  /// All pins of versions of this file, in any process.
  public func pins() -> [PinDescription] { lockFile.pins() }

  /// Takes back the pins of processes that are gone; says how many there were.
  @discardableResult
  public func reapPins() -> Int { lockFile.reap() }
}

/// Is called after commits as long as it is referenced.
public final class CommitListener: Sendable {
  let token: Coordination.CommitListener
  private let database: Database

  init(token: Coordination.CommitListener, database: Database) {
    self.token = token
    self.database = database
  }
}

/// What the writer keeps between commits.
final class WriterState: @unchecked Sendable {
  // Sendable: only the holder of the writer lock accesses it, and the lock's queue orders the
  // holders.

  var freeSpace = FreeSpace()
  /// Encrypts what is written.
  let nodeCipher: AuthenticatedCipher?
  var scratch: ScratchBuffer
  /// The pinned versions as they were last collected, ascending, without duplicates.
  var pins: [UInt64] = []
  /// What has been written, and what has been freed that the durable version has, since a flush was
  /// last scheduled for that.
  var unflushedBytes: UInt64 = 0
  var heldBytes: UInt64 = 0

  init(cipher: FileCipher?) {
    nodeCipher = cipher?.makeNodeCipher()
    scratch = ScratchBuffer(isSecret: cipher != nil)
  }

  func addPin(_ version: UInt64) {
    var place = pins.count
    while place > 0, pins[place - 1] >= version {
      if pins[place - 1] == version { return }
      place -= 1
    }
    pins.insert(version, at: place)
  }
}
