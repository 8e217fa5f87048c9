import Coordination
import Platform

/// The next version in the making, by the one writer there is.
///
/// Everything that is changed is built in private memory through `writer`, invisible to others
/// before `commit`. A transaction may be passed to another thread, but two threads must not use it
/// at once.
public final class WriteTransaction: @unchecked Sendable {
  // Sendable: it is handed from the thread that waited for the lock to the one that asked for it,
  // and belongs to one of them at a time.

  public let database: Database
  public let writer: NodeWriter
  /// The version that this one is built on.
  public let baseVersion: Version
  /// The root of the layer above; set it before `commit`.
  public var root: NodeReference
  /// A listener of this process that need not be called for the commit.
  public var author: CommitListener?
  /// What of the base version a commit replaces.
  let base: VersionNode
  /// Called once, right before the writer role is given up.
  var onRelease: (() -> Void)?
  private var isFinished = false

  /// - Parameter source: what `FileMappings.beginReading` gave; its reading ends with the
  ///   transaction.
  init(database: Database, base: VersionNode, source: NodeSource) {
    self.database = database
    self.base = base
    baseVersion = base.version
    root = base.root
    writer = NodeWriter(source: source)
  }

  public var source: NodeSource { writer.source }

  /// The version that a commit makes.
  public var version: Version { baseVersion.next }

  /// Makes the changes a version, as durable as asked, and ends the transaction, also when it
  /// throws; then the last version stays the newest. All that it takes to pin the new version is
  /// there before the commit is visible.
  ///
  /// - Parameters:
  ///   - durability: instead of the database's own.
  ///   - history: what was touched, for `Snapshot.historyEntries`.
  /// - Returns: the new version, pinned (the base version where nothing was changed).
  /// - Throws: `.outOfDiskSpace`, `.inputOutput`, `.poisoned`, `.tooManyVersions`, `.corrupt`.
  public func commit(
    durability: Durability? = nil, history: [UInt8] = []
  ) throws(StorageError) -> Snapshot {
    try commit(durability: durability, history: history, compaction: nil)
  }

  /// Commits what compaction moved; the free end of the file is cut off the new version.
  func commit(_ compaction: CompactionCommit, durability: Durability) throws(StorageError) {
    try commit(durability: durability, history: [], compaction: compaction).release()
  }

  private func commit(
    durability: Durability?, history: [UInt8], compaction: CompactionCommit?
  ) throws(StorageError) -> Snapshot {
    precondition(!isFinished, "a write transaction was committed after it had ended")
    isFinished = true
    let committer = Committer(
      database.writer, writer: writer, base: base, root: root,
      durability: durability ?? database.options.durability, history: history,
      compaction: compaction)
    let isEmpty = root == base.root && history.isEmpty && compaction == nil
    let pin: Pin
    do throws(StorageError) {
      pin = isEmpty ? try database.versionPins.claimNewest() : try committer.run()
    } catch {
      database.writer.state.freeSpace = FreeSpace()
      endWrite(published: false)
      throw error
    }
    if !isEmpty { database.maintenance.committed(database, durability: committer.durability) }
    do throws(StorageError) {
      let snapshot = try Snapshot(database: database, pin: pin)
      endWrite(published: !isEmpty, author: author)
      return snapshot
    } catch {
      // Whatever is found on reading it, the version is out, and all hear of it.
      endWrite(published: !isEmpty)
      throw error
    }
  }

  /// Brings the free space to the base version, as the first step of a commit does, for those that
  /// only look.
  func refreshFreeSpace() throws(StorageError) {
    try database.writer.refreshFreeSpace(
      base, source: writer.source, holdsDurable: database.options.durability != .inMemory)
  }

  /// Forgets everything. Does nothing on a transaction that has ended.
  public func cancel() {
    if isFinished { return }
    isFinished = true
    endWrite(published: false)
  }

  private func endWrite(published: Bool, author: CommitListener? = nil) {
    onRelease?()
    database.endWrite(published: published, author: author)
  }

  deinit {
    cancel()
    writer.source.endReading()
  }
}
