import Foundation
import ObjectStore
import Storage
import SyncLab
import SyncProtocol
import SyncStore
import TestSupport

/// A synced file, and the connection of its agent, whose frames a test hands over.
public final class StoreDevice: RealmClientStorage.Host {
  let directory = TemporaryDirectory()
  let database: Database
  let schemas = SchemaCache()
  private(set) var cache: SyncCache
  private var openings: UInt64 = 0
  private let clock: StoreClock
  var session: ClientSession?
  private var core: ClientCore<RealmClientStorage>?
  var toServer: [[UInt8]] = []
  var toClient: [[UInt8]] = []

  /// A file of its own, which is not connected yet.
  public init(_ client: UInt64, clock: StoreClock, subscriptions: [Subscription]) throws {
    self.clock = clock
    cache = SyncCache { client % $0 }
    database = try Database.open(path: directory.file("device.realm"), options: Self.options)
    let transaction = try ObjectTransaction(try database.beginWrite(), schemas: schemas)
    try transaction.apply(StoreClasses.description)
    try SyncFile.prepare(
      transaction, client: client, user: "user \(client)", cache, milliseconds: clock.now)
    _ = try SyncFile.subscribe(transaction, to: subscriptions, cache)
    transaction.recorder = recorder
    _ = try transaction.commit()
    core = ClientCore(storage: RealmClientStorage(cache: cache, host: self))
  }

  /// A file that is a copy of another one as it is now.
  ///
  /// - Parameter cache: of whoever opens it.
  public init(copyOf other: StoreDevice, cache: SyncCache) throws {
    clock = other.clock
    self.cache = cache
    let path = directory.file("device.realm")
    try FileManager.default.copyItem(atPath: other.directory.file("device.realm"), toPath: path)
    database = try Database.open(path: path, options: Self.options)
  }

  /// As if another process went on with the file, and its agent.
  public func reopen() {
    disconnect()
    openings += 1
    let number = openings
    cache = SyncCache { number % $0 }
    guard let old = core else { return }
    let storage = RealmClientStorage(cache: cache, host: self)
    storage.objectsDigestedAtOnce = old.storage.objectsDigestedAtOnce
    core = ClientCore(storage: storage)
    setBatchBytes(
      wanted: old.wantedBatchBytes, full: old.fullBatchBytes, change: old.changeBytes)
  }

  private static var options: DatabaseOptions {
    var options = DatabaseOptions()
    options.durability = .relaxed
    return options
  }

  private var recorder: ChangeRecorder {
    let clock = clock
    return ChangeRecorder(cache: cache) { clock.now }
  }

  /// Waits for the turn to write.
  public func beginSync() throws(StorageError) -> ObjectTransaction {
    try ObjectTransaction(try database.beginWrite(), schemas: schemas)
  }

  /// Commits what the server has said.
  public func commitSync(_ transaction: ObjectTransaction) throws(StorageError) {
    transaction.recorder = NoRecorder()
    _ = try transaction.commit()
  }

  /// Writes as a program does.
  public func write(_ body: (ObjectTransaction) throws -> Void) throws {
    let transaction = try beginSync()
    do { try body(transaction) } catch {
      transaction.cancel()
      throw error
    }
    transaction.recorder = recorder
    _ = try transaction.commit()
  }

  /// Reads the newest version.
  public func read<Result>(_ body: (StoreView) throws -> Result) throws -> Result {
    let snapshot = try database.pinNewest()
    let schema = try schemas.schema(snapshot.root, in: snapshot.source)
    return try body(
      StoreView(source: snapshot.source, root: snapshot.root, schema: schema.description))
  }

  /// All that the file's objects hold.
  public var contents: String { get throws { try read { try StoreDump($0).text() } } }

  /// What the file says of itself.
  public var info: SyncFile.Info {
    get throws {
      let snapshot = try database.pinNewest()
      let schema = try schemas.schema(snapshot.root, in: snapshot.source)
      let view = StoreView(
        source: snapshot.source, root: snapshot.root, schema: schema.description)
      return try SyncFile.info(view, schema, cache)!
    }
  }

  var isDirty: Bool { get throws { try info.isDirty } }

  /// How large batches are that the device sends, where a commit can be the last, and elsewhere;
  /// and what it sends of one object.
  public func setBatchBytes(
    wanted: Int, full: Int = Limits.fullBatchBytes, change: Int = Limits.changeBytes
  ) {
    core?.wantedBatchBytes = wanted
    core?.fullBatchBytes = full
    core?.changeBytes = change
  }

  /// How many objects wait because more was written to them than can be sent.
  public var tooLargeCount: Int { core?.tooLarge.count ?? 0 }

  /// How many objects, more or less, are brought up to date in one transaction that reads the log.
  public func setDigestedAtOnce(_ count: Int) { core?.storage.objectsDigestedAtOnce = count }

  /// Reads a part of the log; false if nothing is left of it.
  public func digest() throws -> Bool { try core?.storage.digest() ?? false }

  /// Of how many objects the file keeps a state.
  public var statesKept: Int {
    get throws {
      try read { view in
        let known = view.schema.description(of: SyncClass.object.className)!
        return try view.table(known.tableKey)?.count ?? 0
      }
    }
  }

  /// How many states of objects were read from the file.
  public var statesRead: Int { core?.storage.statesRead ?? 0 }

  /// How many elements of collections, and links to what is not there, were gone through because
  /// objects came or went.
  public var linksPassed: Int { core?.storage.linksPassed ?? 0 }

  /// Changes what the program wants to see of the class.
  public func subscribe(to query: String) throws {
    let cache = cache
    try write { writes in
      let subscription = Subscription(type: "Thing", query: Text(query))
      _ = try SyncFile.subscribe(writes, to: [subscription], cache)
    }
  }

  /// How many objects there are in a batch that is made now.
  public func makeBatch() throws -> Int {
    try core?.storage.begin()
    defer { core?.storage.rollback() }
    return try core?.makeBatch()?.objects.count ?? 0
  }

  // MARK: The connection

  func connect() {
    let session = ClientSession(
      app: "lab", token: "token", classes: StoreClasses.description.syncedClasses)
    self.session = session
    toServer = []
    toClient = []
    send(session.start())
  }

  func disconnect() {
    session = nil
    toServer = []
    toClient = []
  }

  private func send(_ actions: [SessionAction]) {
    for case .send(let bytes) in actions { toServer.append(bytes) }
  }

  func receive(_ bytes: [UInt8]) throws {
    guard session != nil, core != nil else { return }
    try core!.storage.begin()
    let actions = session!.receive(bytes, &core!, now: clock.now)
    core!.storage.rollback()
    if let failure = session!.failure { throw failure }
    send(actions)
  }

  func poll() throws {
    guard session != nil, core != nil else { return }
    try core!.storage.begin()
    let actions = try session!.poll(&core!)
    core!.storage.rollback()
    send(actions)
  }
}

/// The time of a run.
public final class StoreClock: @unchecked Sendable {
  // Sendable: a run is one thread.
  public var now: UInt64 = 1_000_000

  public init() {}
}

/// What the server says is not noted as the program's.
private final class NoRecorder: CommitRecorder {
  func willCommit(_ transaction: ObjectTransaction) throws(StorageError) {}
}
