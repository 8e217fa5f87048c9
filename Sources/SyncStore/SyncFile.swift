import ObjectStore
import Storage
import SyncProtocol

/// What makes a file a synced one, and what it says of itself.
public enum SyncFile {
  /// Whose the file is, and what it knows of the server.
  public struct Info: Sendable {
    /// Who opened it first, and may open it.
    public let user: String
    /// What the file keeps about itself.
    public let record: ClientRecord
    /// Objects of which something is not acknowledged, without those that only the log names.
    public let dirtyObjects: Int64
    /// Whether something is not acknowledged.
    public let isDirty: Bool
    /// How much programs have written that no state of an object says yet.
    public let log: LogLength
    /// What the agent says.
    public let status: SessionStatus
  }

  /// How long the log of writes is.
  public enum LogLength: Hashable, Sendable {
    /// A transaction that begins with it is hardly longer for it.
    case short
    /// It takes transactions of its own, when the states are needed.
    case medium
    /// It is to be shortened even while nothing can be sent: writes of the same property are many
    /// entries of the log and one dirty cell.
    case long
  }

  /// Nil if the file is not synced.
  ///
  /// - Parameter schema: that of `view`.
  public static func info(
    _ view: StoreView, _ schema: StoredSchema, _ cache: SyncCache
  ) throws(StorageError) -> Info? {
    guard let tables = cache.logRules(schema)?.tables,
      let (record, dirtyObjects, isLogged) = try RealmClientStorage.record(view, tables, cache),
      let table = try view.table(tables.file.table)
    else { return nil }
    return Info(
      user: try table.string(tables.file.user, at: try table.position(at: 0)), record: record,
      dirtyObjects: dirtyObjects, isDirty: dirtyObjects > 0 || isLogged,
      log: try WriteLog.length(view, tables.log),
      status: try SessionTable.read(view, tables.session))
  }

  /// Makes the file a synced one: gives it the hidden tables and its number, and notes all objects
  /// that are in it as written.
  ///
  /// - Parameter client: a random number, which names the file from now on.
  public static func prepare(
    _ transaction: ObjectTransaction, client: UInt64, user: String, _ cache: SyncCache,
    milliseconds: UInt64
  ) throws(StorageError) {
    let version = transaction.schema.description.version
    try transaction.apply(SchemaDescription(classes: SyncTables.classes, version: version))
    guard let tables = SyncTables(transaction.schema.description) else { return }
    let file = tables.file
    if try transaction.table(file.table).count > 0 { return }
    let key = try transaction.createObject(in: file.table)
    try setIdentity(ClientRecord(client: ClientID(client)), user: user, of: key, file, transaction)
    let storage = try RealmClientStorage(cache: cache, recordingIn: transaction)
    var recording = Recording(storage, now: milliseconds)
    try recording.noteEverything()
    try storage.finish()
  }

  /// Gives the file the hidden tables that it lacks.
  public static func upgrade(_ transaction: ObjectTransaction) throws(StorageError) {
    guard transaction.schema.description.lacksSyncTables else { return }
    let version = transaction.schema.description.version
    try transaction.apply(SchemaDescription(classes: SyncTables.classes, version: version))
  }

  /// Makes a synced file, or a copy of one, a file of its own: what it knows of the server goes.
  public static func forget(_ transaction: ObjectTransaction) throws(StorageError) {
    for known in SyncClass.allCases { try transaction.removeClass(known.className) }
  }

  /// The program's classes have become more than they were `before`: what the server has of them is
  /// to be sent.
  public static func noteNewClasses(
    _ transaction: ObjectTransaction, since before: SchemaDescription, _ cache: SyncCache
  ) throws(StorageError) {
    let storage = try RealmClientStorage(cache: cache, recordingIn: transaction)
    try storage.forgetNewProperties(since: before)
    storage.record.hasNewClasses = true
    try storage.finish()
  }

  /// Changes what the program wants to see.
  public static func subscribe(
    _ transaction: ObjectTransaction, to subscriptions: [Subscription], _ cache: SyncCache
  ) throws(StorageError) -> UInt64 {
    let storage = try RealmClientStorage(cache: cache, recordingIn: transaction)
    var core = ClientCore(storage: storage)
    core.subscribe(to: subscriptions)
    let version = storage.record.queryVersion
    try storage.finish()
    return version
  }

  /// An object's name in words.
  public static func name(of object: ObjectID, _ names: Names) -> String {
    ObjectName.text(object, names)
  }

  /// The class and the primary key that such a name says.
  public static func parse(name: String) -> (type: String, key: StoredValue)? {
    guard let type = name.split(separator: "/", maxSplits: 1).first else { return nil }
    var names = Names()
    _ = names.add(Text(String(type)))
    return ObjectName.id(name, names).map { (String(type), $0.key.stored) }
  }

  /// Changes what the sessions of all processes see.
  public static func change(
    _ transaction: ObjectTransaction, _ body: (inout SessionStatus) -> Void
  ) throws(StorageError) {
    guard let layout = SessionTable.Layout(transaction.schema.description) else { return }
    let before = try SessionTable.read(transaction.view, layout)
    var status = before
    body(&status)
    try SessionTable.write(status, instead: before, layout, to: transaction)
  }
}
