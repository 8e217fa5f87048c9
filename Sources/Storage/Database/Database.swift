import Coordination
import Platform

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
  let mappings: FileMappings
  let versionPins: VersionPins
  let writer: FileWriter
  let maintenance: Maintenance
  package let compaction = CompactionDriver()
  let slowReaders: SlowReaderWatch?
  /// For those that must not keep the database open.
  let weakHandle = WeakHandle<Database>()

  init(
    path: String, options: DatabaseOptions, system: any System, file: any SystemFile,
    lockFile: LockFile, mapping: Mapping, newest: Version
  ) {
    self.path = path
    self.options = options
    self.system = system
    self.file = file
    self.lockFile = lockFile
    mappings = FileMappings(
      mapping, of: file, reservation: options.mappingReservation,
      flushFailure: lockFile.flushFailure)
    versionPins = VersionPins(lockFile: lockFile, mappings: mappings, label: options.label)
    writer = FileWriter(
      file: file, lockFile: lockFile, boot: system.bootIdentifier(), mappings: mappings,
      pins: versionPins, options: options, versionAtOpening: newest)
    slowReaders = SlowReaderWatch(options: options, path: path, system: system)
    maintenance = Maintenance(label: path, system: system)
    // Known from here on, whatever others are about to confirm when it is asked for.
    _ = lockFile.certainVersion
    weakHandle.remember(self)
  }

  deinit {
    weakHandle.forget()
    if !options.readOnly { writer.flusher.flushBeforeClosing() }
    maintenance.close(durable: durableVersion, path: path)
    lockFile.close()
    file.close()
  }

  /// Names the time from the first process's opening of the file to the last one's closing. No
  /// other such time has the number, which is never 0.
  public var session: UInt64 { lockFile.session }

  /// The newest committed version. One atomic load.
  public var newestVersion: Version {
    lockFile.newestVersion
  }

  /// The newest version that is known to survive power loss; 0: none is, because only readers have
  /// had the file open since a process died that wrote to it.
  public var durableVersion: Version { lockFile.certainVersion }

  /// Pins the newest version. Takes no lock and never waits.
  public func pinNewest() throws(StorageError) -> Snapshot {
    try Snapshot(database: self, pin: try versionPins.claimNewest())
  }

  /// As `pinNewest()`; nil if there is no room for one more pinned version now.
  public func pinNewestIfRoom() throws(StorageError) -> Snapshot? {
    do throws(StorageError) { return try pinNewest() } catch {
      if error.isResourceExhausted { return nil }
      throw error
    }
  }

  /// Reads the newest version for the length of a call: pins it, and unpins it when `body`
  /// returns. Nothing is allocated, no lock is taken. What `body` is given must not outlive it.
  ///
  /// - Throws: what `body` throws, or `.corrupt`.
  public func withNewest<Result>(
    _ body: (_ source: NodeSource, _ root: NodeReference) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let pin = try versionPins.claimNewest()
    defer { lockFile.unpin(pin) }
    let source = try mappings.beginReading(covering: pin.published.logicalSize)
    defer { source.endReading() }
    return try body(source, try VersionNode.root(of: pin.published, in: source))
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
