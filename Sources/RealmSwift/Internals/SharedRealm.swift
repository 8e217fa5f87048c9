import Dispatch
import Foundation
import ObjectStore
import Platform
import Storage
import SyncStore
import Synchronization

/// What lives as long as the process has the file open.
protocol FileAttachment: AnyObject, Sendable {}

/// What all realm instances of one file share within the process: the database, the decoded schema,
/// and the news that somebody has committed.
final class SharedRealm: Sendable {
  let database: Database
  let schemas = SchemaCache()
  let boundClasses = BoundClassesCache()
  let syncCache: SyncCache
  /// Notes changes for the server, where the file is synced.
  let recorder: ChangeRecorder
  let path: String
  /// Where change sets are made that cost more than a turn should.
  let computations = DispatchQueue(label: "holdfast.computations")

  #if Sync
    /// What synchronises the file, if it is synchronised.
    let attachment = LockedValue<(any FileAttachment)?>(nil)
    /// The thread that updates subscriptions, and so has the turn to write; 0: none does.
    let updatingThread = Atomic<UInt64>(0)
  #endif
  private let listener = LockedValue<CommitListener?>(nil)
  private let schemaVersion = LockedValue<UInt64?>(nil)
  private let refreshTriggers = RefreshTriggers()
  private let key: Key
  private let weakHandle = WeakHandle<SharedRealm>()
  private static let open = LockedValue<[Key: WeakHandle<SharedRealm>]>([:])

  private struct Key: Hashable {
    let path: String
    /// Of the database: what was opened read-only first is not what is written through later.
    let readOnly: Bool
    /// A child made by fork() has to open for itself what its parent had open.
    let process = ForkGuard.generation

    init(_ path: String, readOnly: Bool) {
      self.path = path
      self.readOnly = readOnly
    }
  }

  private init(database: Database, path: String) {
    self.database = database
    self.path = path
    syncCache = SyncCache()
    recorder = ChangeRecorder(cache: syncCache, milliseconds: SharedRealm.milliseconds)
    key = Key(path, readOnly: database.options.readOnly)
    weakHandle.remember(self)
  }

  deinit {
    weakHandle.forget()
    Self.open.withLock { open in
      if open[key] === weakHandle { open[key] = nil }
    }
  }

  /// Of the machine's clock, since 1970.
  @Sendable
  static func milliseconds() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }

  /// The file's shared state, opening the file if this process does not have it open yet.
  static func forFile(
    at path: String, options: DatabaseOptions
  ) throws(StorageError) -> SharedRealm {
    let (known, other) = open.withLock { open in
      (
        open[Key(path, readOnly: options.readOnly)]?.object,
        open[Key(path, readOnly: !options.readOnly)]?.object
      )
    }
    if let known {
      try known.database.requireKey(options.encryptionKey)
      return known
    }
    if other != nil {
      throw StorageError(
        .inUse, path: path,
        "Realm at path '\(path)' already opened with different read permissions.")
    }
    let database = try Database.open(
      path: path, options: options, system: RealmSystem.system(forFileAt: path))
    let shared = SharedRealm(database: database, path: path)
    return open.withLock { open in
      if let earlier = open[shared.key]?.object { return earlier }
      open[shared.key] = shared.weakHandle
      return shared
    }
  }

  /// Takes note of the schema version that the file is opened with, or refuses one that is not that
  /// of realms that are open.
  func open(withSchemaVersion version: UInt64) throws(StorageError) {
    let first = schemaVersion.withLock { known in
      known = known ?? version
      return known
    }
    if first != version {
      throw StorageError(
        .inUse, path: path,
        "Realm at path '\(path)' already opened with different schema version.")
    }
  }

  /// Whether some realm of this process has the file open.
  static func isOpen(_ path: String) -> Bool {
    open.withLock { open in
      [false, true].contains { open[Key(path, readOnly: $0)] != nil }
    }
  }

  /// Waits for what the file's worker is doing, which keeps the file open.
  static func waitForComputations(_ path: String) {
    for readOnly in [false, true] {
      let shared = open.withLock { $0[Key(path, readOnly: readOnly)]?.object }
      shared?.computations.sync {}
    }
  }

  /// Hears of the commits of other processes from here on. For realms that refresh by themselves:
  /// the others look when they are asked to.
  func listen() throws(StorageError) {
    try listener.withLock { listener throws(StorageError) in
      if listener != nil { return }
      // Does not keep this: news on their way do not keep the file open.
      listener = try database.addCommitListener { [refreshTriggers] in refreshTriggers.signal() }
    }
  }

  /// What need not be called for a commit that is announced by `announceCommit`.
  var ownListener: CommitListener? { listener.withLock { $0 } }

  func register(_ instance: _RealmInstance) { refreshTriggers.add(instance.refreshTrigger) }

  /// The live instances of where the caller is that may write.
  var writersHere: [_RealmInstance] {
    refreshTriggers.here().filter { !$0.configuration.readOnly }
  }

  /// The live instance of where the caller is, if there is one: of several (an actor may use both
  /// its own realm and the thread's), the one that is in a write transaction, then the actor's or
  /// the queue's.
  func currentInstance(readOnly: Bool) -> _RealmInstance? {
    let here = refreshTriggers.here().filter { $0.configuration.readOnly == readOnly }
    if here.count < 2 { return here.first }
    return here.first { $0.isInWriteTransaction } ?? here.first { !$0.scheduler.isThread }
      ?? here.first
  }

  /// Lets every instance of this process that lives somewhere with a loop or a queue move on.
  func announceCommit(except author: _RealmInstance? = nil) {
    refreshTriggers.signal(except: author?.refreshTrigger)
  }
}
