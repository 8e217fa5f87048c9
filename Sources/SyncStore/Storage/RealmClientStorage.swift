import ObjectStore
import Storage
import SyncProtocol

/// A synced file as `SyncProtocol` wants it: the record and the states of objects are in hidden
/// tables, values in the program's own, and all of it in one transaction.
///
/// The protocol's calls do not throw: the first error is kept, and `commit` throws it. An instance
/// is used by one thread at a time. While recording, the program has changed the data already, and
/// `change` only takes note of where containers are.
public final class RealmClientStorage: ClientStorage {
  /// Where transactions come from and go to.
  public protocol Host: AnyObject {
    /// Waits for the turn to write.
    func beginSync() throws(StorageError) -> ObjectTransaction
    /// Commits.
    func commitSync(_ transaction: ObjectTransaction) throws(StorageError)
    /// What sessions are told together with what a slice brings.
    ///
    /// - Parameter names: of the objects that the slice names.
    func status(with slice: AppliedSlice, _ names: Names) -> ((inout SessionStatus) -> Void)?
  }

  /// What is known of an object in this transaction.
  struct Entry {
    var state: ClientObject?
    var places = Places()
    var isChanged = false
    /// What the hidden tables say of when it was written.
    var storedSpan: ClosedRange<UInt64>?
    /// Its row among the hidden ones.
    var row: ObjectStore.ObjectKey?
    /// What its links led to that was not there, as the hidden tables have it.
    var knownTargets: Set<ObjectID> = []
  }

  let cache: SyncCache
  private weak let host: (any Host)?
  var transaction: ObjectTransaction?
  var failure: StorageError?
  var isRecording = false
  /// Whether an object without a hidden row exists, while recording; nil: look.
  var plainExists: Bool?
  var entries: [ObjectID: Entry] = [:]
  /// The state that was read last and is not among the entries: its values are mostly asked for
  /// next. Only one that the hidden tables have.
  var lastRead: (id: ObjectID, entry: Entry)?
  /// Objects that were created, to which links may lead that are in the file already.
  var created: [ObjectID] = []
  /// Objects that are to go and whose rows are still there, see `finishDeletions`.
  var leaving: [TableKey: [ObjectStore.ObjectKey: ObjectID]] = [:]
  /// What links to an object that is not there, with the rows that say so: of objects of which many
  /// do. By `Text`: names that Swift's strings take for equal are two.
  var linkSources: [ObjectID: [Text: [ObjectStore.ObjectKey]]] = [:]
  /// Which containers of objects are where, while many are asked for and none is made; else nil.
  var madeAt: [ObjectID: [Places.Place: ContainerID]]?
  /// Containers that the next changes of cells make.
  var pending: [PendingName: ContainerID] = [:]
  /// The element that the next change of a list is about.
  var nextElement: ElementID?
  /// While recording: the row of the container that is about to be named.
  var recordedRow: (TableKey, ObjectStore.ObjectKey)?
  var rows: [ObjectID: ObjectStore.ObjectKey] = [:]
  private var fileRow: ObjectStore.ObjectKey?
  private var loadedRecord = ClientRecord(client: .none)
  private var loadedVersion: Int64 = 0
  /// The clock as the file has it, without what is in the log.
  private var storedClock: UInt64 = 0
  private var dirtyCount: Int64 = 0
  private var layoutInUse: SyncCache.Layout?
  /// Objects of which one transaction of `digest` changes the states at the most, so that others
  /// that want to write do not wait long for it. Less in tests.
  package var objectsDigestedAtOnce = 500
  /// How many states were read from the file.
  package internal(set) var statesRead = 0
  /// How many elements of collections, and links to what is not there, were gone through or written
  /// because objects came or went.
  package internal(set) var linksPassed = 0
  /// What the commit changes of what the sessions see.
  private var statusChange: ((inout SessionStatus) -> Void)?

  struct PendingName: Hashable {
    var object: ObjectID
    var container: ContainerID
    var slot: Slot
  }

  /// What the file keeps about itself.
  public var record = ClientRecord(client: .none)

  /// The classes that the program has in the open transaction.
  public var classes: [SchemaClass]? { transaction?.schema.description.syncedClasses }

  /// For the agent.
  public init(cache: SyncCache, host: any Host) {
    self.cache = cache
    self.host = host
  }

  /// For what is noted in a transaction of the program.
  init(cache: SyncCache, recordingIn transaction: ObjectTransaction) throws(StorageError) {
    self.cache = cache
    host = nil
    isRecording = true
    self.transaction = transaction
    try load(transaction)
  }

  // MARK: Transactions

  /// Begins a transaction, unless one has begun, with the states as the log says.
  public func begin() throws(StorageError) { try begin(digesting: .max) }

  /// - Parameter limit: of the objects that the log names.
  func begin(digesting limit: Int) throws(StorageError) {
    if transaction != nil { return }
    guard let host else { throw StorageError(.closed, path: "", "the file is closed") }
    let new = try host.beginSync()
    do throws(StorageError) {
      try load(new)
      transaction = new
      try digestLog(objectsAtMost: limit)
    } catch {
      new.cancel()
      transaction = nil
      throw error
    }
  }

  /// Another one each time, by the cache.
  public func numberStep() -> UInt64 { cache.numberStep() }

  /// Begins a transaction, unless one has begun; `commit` throws if that fails.
  public func beginTransaction() { attempt(()) { () throws(StorageError) in } }

  /// Sees to it that sessions are told in the transaction that applies the slice.
  public func willApply(_ slice: AppliedSlice) {
    statusChange = host?.status(with: slice, record.names)
  }

  /// The file's record in a version that is read; nil if it is not synced.
  static func record(
    _ view: StoreView, _ tables: SyncTables, _ cache: SyncCache
  ) throws(StorageError) -> (record: ClientRecord, dirtyObjects: Int64, isLogged: Bool)? {
    guard let table = try view.table(tables.file.table), table.count > 0 else { return nil }
    let position = try table.position(at: 0)
    let loaded = try read(tables.file, table, position, cache)
    let isLogged = unsafe try table.withBytes(tables.file.writes, at: position) {
      unsafe !$0.isEmpty
    }
    return (loaded.record, try table.int(tables.file.dirty, at: position), isLogged)
  }

  private static func read(
    _ file: SyncTables.File, _ table: Table, _ position: ObjectPosition, _ cache: SyncCache
  ) throws(StorageError) -> SyncCache.Entry {
    let version = try table.int(file.version, at: position)
    var entry: SyncCache.Entry
    if let known = cache.entry(version: version) {
      entry = known
    } else {
      let bytes = try table.data(file.record, at: position)
      guard let record = try? ClientRecord(row: bytes) else {
        throw .unsoundSync(table.source.path, "its record")
      }
      entry = SyncCache.Entry(version: version, record: record)
      if !table.root.isUncommitted { cache.remember(entry) }
    }
    entry.record.clock = HybridClock(
      latest: UInt64(bitPattern: try table.int(file.clock, at: position)))
    entry.record.clock.receive(LogEnd(try table.data(file.writes, at: position)).newest)
    entry.record.elements = UInt64(bitPattern: try table.int(file.elements, at: position))
    return entry
  }

  /// Lets the file have another writer, in a transaction that notes what it has written in the log.
  ///
  /// - Returns: false if that cannot be before the log is empty.
  static func renewWriter(
    isLogged: Bool, _ transaction: ObjectTransaction, _ file: SyncTables.File, _ cache: SyncCache
  ) throws(StorageError) -> Bool {
    let table = try transaction.table(file.table)
    let position = try table.position(at: 0)
    let known = try read(file, table, position, cache)
    var record = known.record
    guard cache.renewWriter(of: &record, version: known.version, isLogged: isLogged) else {
      return false
    }
    try transaction.setInt(known.version + 1, file.version, of: position.key, in: file.table)
    try transaction.set(.data(record.row), file.record, of: position.key, in: file.table)
    return true
  }

  /// The log has nothing that the states do not have.
  func noteEmptyLog() {
    record.forgetPastWriters()
    _ = cache.renewWriter(of: &record, version: loadedVersion, isLogged: false)
  }

  private func load(_ transaction: ObjectTransaction) throws(StorageError) {
    failure = nil
    forget()
    guard let tables = SyncTables(transaction.schema.description) else {
      throw .unsoundSync(transaction.source.path, "its tables")
    }
    let table = try transaction.table(tables.file.table)
    guard table.count > 0 else { throw .unsoundSync(transaction.source.path, "its record") }
    let position = try table.position(at: 0)
    fileRow = position.key
    let loaded = try Self.read(tables.file, table, position, cache)
    record = loaded.record
    loadedRecord = record
    loadedVersion = loaded.version
    if cache.wantsNewWriter(version: loadedVersion) {
      let end = LogEnd(try table.data(tables.file.writes, at: position))
      _ = cache.renewWriter(of: &record, version: loadedVersion, isLogged: !end.isEmpty)
    }
    dirtyCount = try table.int(tables.file.dirty, at: position)
    storedClock = UInt64(bitPattern: try table.int(tables.file.clock, at: position))
    layoutInUse = cache.layout(transaction.schema, &record.names)
  }

  private func forget() {
    entries = [:]
    lastRead = nil
    rows = [:]
    created = []
    leaving = [:]
    linkSources = [:]
    pending = [:]
    nextElement = nil
  }

  /// Ends the transaction.
  public func commit() throws(SyncProtocol.SyncError) {
    guard let transaction else { return }
    do throws(StorageError) {
      try finish()
      guard let host else { throw StorageError(.closed, path: "", "the file is closed") }
      self.transaction = nil
      try host.commitSync(transaction)
      let version = loadedVersion
      cache.remember(SyncCache.Entry(version: version, record: record))
      forget()
    } catch {
      rollback()
      throw SyncProtocol.SyncError(.storage, Text("\(error)"))
    }
  }

  /// Takes back what was done since the last commit.
  public func rollback() {
    transaction?.cancel()
    transaction = nil
    failure = nil
    statusChange = nil
    forget()
  }

  /// Writes everything that has changed.
  func finish() throws(StorageError) {
    try requireSound()
    try resolveCreated()
    try flush()
    try writeRecord()
    if let statusChange, let transaction {
      try SyncFile.change(transaction, statusChange)
      self.statusChange = nil
    }
    try requireSound()
  }

  private func requireSound() throws(StorageError) {
    if let failure { throw failure }
  }

  private func writeRecord() throws(StorageError) {
    guard let transaction, let tables = SyncTables(transaction.schema.description), let fileRow
    else { return }
    let file = tables.file
    var cold = loadedRecord
    cold.clock = record.clock
    cold.elements = record.elements
    func set(_ value: Int64, _ column: ColumnKey) throws(StorageError) {
      try transaction.setInt(value, column, of: fileRow, in: file.table)
    }
    if cold != record {
      loadedVersion += 1
      try set(loadedVersion, file.version)
      let bytes = record.row
      try transaction.set(.data(bytes), file.record, of: fileRow, in: file.table)
    }
    if record.clock.latest != storedClock {
      try set(Int64(bitPattern: record.clock.latest), file.clock)
      storedClock = record.clock.latest
    }
    if record.elements != loadedRecord.elements {
      try set(Int64(bitPattern: record.elements), file.elements)
    }
    loadedRecord = record
  }

  /// As many objects more, or fewer, have something that is not acknowledged.
  func noteDirty(by difference: Int64) throws(StorageError) {
    guard difference != 0, let transaction, let fileRow else { return }
    dirtyCount += difference
    let file = try layout.tables.file
    try transaction.setInt(dirtyCount, file.dirty, of: fileRow, in: file.table)
  }

  // MARK: Helpers

  /// What is there after an error does not matter any more: it ends the transaction.
  func attempt<Result>(
    _ fallback: Result, _ body: () throws(StorageError) -> Result
  ) -> Result {
    if failure != nil { return fallback }
    do throws(StorageError) {
      try begin()
      return try body()
    } catch {
      failure = error
      return fallback
    }
  }

  var layout: SyncCache.Layout {
    get throws(StorageError) {
      guard let transaction else { throw .unsoundSync("", "no transaction has begun") }
      if let layoutInUse, layoutInUse.schema === transaction.schema { return layoutInUse }
      guard let new = cache.layout(transaction.schema, &record.names) else {
        throw .unsoundSync(transaction.source.path, "its tables")
      }
      layoutInUse = new
      return new
    }
  }

  /// For calls within `attempt`, which has begun a transaction.
  var writes: ObjectTransaction {
    guard let transaction else { preconditionFailure("no transaction has begun") }
    return transaction
  }
}

extension RealmClientStorage.Host {
  /// For hosts without sessions.
  public func status(
    with slice: AppliedSlice, _ names: Names
  ) -> ((inout SessionStatus) -> Void)? { nil }
}
