import Coordination
import Synchronization

/// One version of the database, pinned: what it refers to stays as it is until this is released.
///
/// Reading takes no lock. Any thread may use it.
public final class Snapshot: Sendable {
  public let database: Database
  public let version: Version
  /// The root of the layer above; none in an empty database.
  public let root: NodeReference
  public let source: NodeSource
  /// The size that the file had for this version, bytes.
  public let logicalSize: UInt64
  let history: NodeReference
  let freeSpace: NodeReference
  let node: NodeReference
  private let pin: Pin
  private let isReleased = Atomic<Bool>(false)

  /// Takes over `pin`, also when it throws.
  init(database: Database, pin: Pin) throws(StorageError) {
    let published = pin.published
    self.database = database
    self.pin = pin
    version = published.version
    logicalSize = published.logicalSize
    node = NodeReference(rawValue: published.root)
    do throws(StorageError) {
      source = try database.mappings.beginReading(covering: published.logicalSize)
    } catch {
      database.lockFile.unpin(pin)
      throw error
    }
    do throws(StorageError) {
      let node = try VersionNode(of: published, in: source)
      root = node.root
      history = node.history
      freeSpace = node.freeSpace
    } catch {
      source.endReading()
      database.lockFile.unpin(pin)
      throw error
    }
  }

  /// Whether the node is that of the version, as the pin says.
  var isWhole: Bool { (try? source.node(node).createdIn) == version }

  /// Whether a writer, of this or another process, wants the version to be given up because it is
  /// older than `DatabaseOptions.readerAgeMaxMilliseconds`. It stays whole until `release`; who
  /// finds this true releases soon and goes on with a newer version.
  public var isExpired: Bool {
    !isReleased.load(ordering: .relaxed) && database.lockFile.isExpired(pin)
  }

  /// - Throws: `.readerTooOld` if `isExpired`.
  public func requireUnexpired() throws(StorageError) {
    guard isExpired else { return }
    throw StorageError(
      .readerTooOld, path: database.path,
      "version \(version) was kept for longer than the writer allows; release it and read the"
        + " newest one, or raise the age limit (`readerAgeMaxMilliseconds`, `maximumReaderAge`)")
  }

  /// Another pin on the same version, with a life of its own.
  ///
  /// - Throws: `.readerTooOld` if `isExpired`.
  public func duplicate() throws(StorageError) -> Snapshot {
    precondition(!isReleased.load(ordering: .relaxed), "a released snapshot was used")
    try requireUnexpired()
    return try Snapshot(database: database, pin: database.lockFile.pinAgain(pin))
  }

  /// Unpins the version before the last reference to this is gone. Reading afterwards is a
  /// programming error.
  public func release() {
    if isReleased.exchange(true, ordering: .relaxed) { return }
    source.endReading()
    database.lockFile.unpin(pin)
  }

  deinit { release() }

  /// The bytes of what `historyEntries(after:)` would return, without reading them.
  public func historySize(after version: Version) throws(StorageError) -> Int {
    try History.size(source: source, index: history, after: version)
  }

  /// What the commits after `version` up to this one touched, oldest first.
  ///
  /// The first entry may begin before `version` when that version was not pinned all along.
  ///
  /// - Throws: `.readerTooOld` if `isExpired`, `.corrupt`.
  public func historyEntries(after version: Version) throws(StorageError) -> [HistoryEntry] {
    try requireUnexpired()
    var entries: [HistoryEntry] = []
    try History.forEach(source: source, index: history) { (from, to, bytes, _) in
      if to > version { entries.append(HistoryEntry(from: from, to: to, bytes: Array(bytes))) }
    }
    return entries
  }
}
