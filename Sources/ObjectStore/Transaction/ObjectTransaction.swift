import Storage

/// Notes what a transaction on a synced file has changed, within the transaction.
public protocol CommitRecorder: AnyObject {
  /// Called once all changes were made, before they are committed.
  func willCommit(_ transaction: ObjectTransaction) throws(StorageError)
}

/// A write transaction on objects: owns the storage transaction, and ends it.
///
/// Every operation keeps indexes and backlinks right, records history, and raises `generation`:
/// whatever was read before (tables, positions, lists, pointers) must be read again then. An
/// operation that throws has found damage and may have stopped half-way: cancel the transaction.
///
/// Objects, columns and lists are named by keys. A column that does not exist, or a value that does
/// not fit its column, is a programming error and traps. An object that is not there throws
/// `.corrupt`: a file whose parts contradict each other looks the same. Confined like the
/// transaction itself.
///
/// The operations stand in files by subject: `ObjectTransaction+Objects`, `+Properties`, `+Lists`,
/// `+Embedded` and `+Schema`. They are made of what types of their own do to one part of the store
/// each, all of them over the same `OpenTables`: `ClusterWriter` finds rows, adds and removes them,
/// `PropertyWriter` and `ListWriter` change what they hold, `IndexWriter` and `LinkWriter` keep
/// indexes and backlinks right, and `TransactionHistory` says what the history of the commit tells.
/// What concerns the whole store is made of operations again: `ObjectDeletion` takes objects out of
/// it, `NestedOwners` finds what holds collections that have changed, `SchemaEditor` and
/// `SchemaMigration` change its schema.
public final class ObjectTransaction {
  typealias State = OpenTables.State

  /// What it knows of its tables, which all share that change a part of the store.
  let tables: OpenTables
  /// That of the tables. By way of them, creating objects and changing lists would retain and
  /// release it.
  let writer: NodeWriter
  /// Where `commit` goes; none over a bare writer, whose user places the nodes.
  let transaction: WriteTransaction?
  /// The object store's root in the version that the transaction builds on.
  private let baseRoot: NodeReference
  /// Notes the changes of a synced file before they are committed.
  public var recorder: (any CommitRecorder)?
  private var recorded: ChangeSet?
  /// While above zero, orphans wait; see `keepOrphans`. Access is not checked for exclusivity at
  /// run time, which is safe: a transaction is confined, and none spans a call that could begin
  /// another.
  @safe @exclusivity(unchecked) var orphanHolds = 0
  /// Where the collections among values of any kind may be.
  package var nestedPlaces: NestedPlaces?
  /// By the collections that objects were deleted from.
  var heldPlaces: [HolderName: HeldPlaces] = [:]

  /// Changes objects in `transaction`, and ends it: from here on it is used through this alone.
  /// Unless committed it is cancelled, at the latest when this goes.
  ///
  /// - Parameter schemas: the file's cache of schemas.
  /// - Throws: `.corrupt`; the storage transaction has been cancelled then.
  public convenience init(
    _ transaction: WriteTransaction, schemas: SchemaCache, limits: TreeLimits = .standard
  ) throws(StorageError) {
    do throws(StorageError) {
      try self.init(
        writer: transaction.writer, root: transaction.root, transaction: transaction,
        schemas: schemas, limits: limits)
    } catch {
      transaction.cancel()
      throw error
    }
  }

  /// - Parameter root: the object store's root in the version that the transaction builds on.
  init(
    writer: NodeWriter, root: NodeReference, transaction: WriteTransaction? = nil,
    schemas: SchemaCache, limits: TreeLimits = .standard
  ) throws(StorageError) {
    self.writer = writer
    baseRoot = root
    self.transaction = transaction
    tables = OpenTables(
      writer: writer, root: root, schema: try schemas.schema(root, in: writer.source),
      limits: limits)
  }

  // MARK: Collaborators

  @inline(__always)
  var clusters: ClusterWriter { ClusterWriter(tables: tables) }

  @inline(__always)
  var indexes: IndexWriter { IndexWriter(tables: tables) }

  @inline(__always)
  var properties: PropertyWriter { PropertyWriter(tables: tables) }

  @inline(__always)
  var links: LinkWriter { LinkWriter(tables: tables) }

  @inline(__always)
  var lists: ListWriter { ListWriter(tables: tables) }

  @inline(__always)
  var history: TransactionHistory { TransactionHistory(tables: tables) }

  // MARK: Reading

  /// Raised by every change.
  public var generation: UInt64 { tables.generation }

  public var schema: StoredSchema { tables.schema }

  /// Reads committed nodes and those of this transaction.
  public var source: NodeSource { tables.source }

  /// The store as it is now, for queries; good until the next change.
  public var view: StoreView {
    StoreView(source: source, root: tables.root, schema: schema.description)
  }

  /// The store as it was before this transaction, for tables that were there then.
  package var baseView: StoreView {
    StoreView(source: source, root: baseRoot, schema: schema.description)
  }

  /// The table as it is now; good until the next change.
  public func table(_ key: TableKey) throws(StorageError) -> Table {
    try tables.table(key)
  }

  /// Where an object is, nil if it is not there; at hardly any cost where the cluster that was
  /// changed last holds it. Good until the next change.
  public func find(
    _ key: ObjectKey, in table: TableKey
  ) throws(StorageError) -> ObjectPosition? {
    let index = Int(table.rawValue)
    if index < tables.tableCount, let state = tables.stateIfOpen(index), state.pointee.hasLeaf,
      key.rawValue >= state.pointee.low, key.rawValue <= state.pointee.high
    {
      let cluster = state.pointee.cluster
      return cluster.row(of: key).map { ObjectPosition(cluster: cluster, row: $0) }
    }
    return try self.table(table).find(key)
  }

  // MARK: Ending

  private var owned: WriteTransaction {
    guard let transaction else { preconditionFailure("no storage transaction is behind this") }
    return transaction
  }

  /// The version that this one is built on.
  public var baseVersion: Version { owned.baseVersion }

  /// Commits what was changed with its history, and ends the transaction, also when it throws;
  /// writes nothing if nothing was changed.
  ///
  /// - Parameters:
  ///   - durability: instead of the database's own.
  ///   - author: a listener of this process that need not be called for the commit.
  /// - Returns: the new version, pinned (the base version if nothing was changed).
  /// - Throws: as `WriteTransaction.commit` does.
  public func commit(
    durability: Durability? = nil, author: CommitListener? = nil
  ) throws(StorageError) -> Snapshot {
    let transaction = owned
    transaction.author = author
    do throws(StorageError) {
      try finishFilling()
      try NestedOwners(transaction: self).noteChanges()
      if schema.isSynced { try recordChanges() }
    } catch {
      transaction.cancel()
      throw error
    }
    return try transaction.commit(durability: durability, history: handOver())
  }

  /// Gives the storage transaction the root; returns the history to commit it with. For those who
  /// test the storage transaction's own commit; all others call `commit`.
  package func handOver() -> [UInt8] {
    if generation == 0 { return [] }
    owned.root = tables.root
    return history.encoded(keeping: recorded)
  }

  private func recordChanges() throws(StorageError) {
    guard let recorder else {
      throw StorageError(
        .invalidInput, path: source.path,
        "the file is synchronised: it can only be written to as a realm")
    }
    try recorder.willCommit(self)
  }

  /// Forgets everything. Does nothing on a transaction that has ended.
  public func cancel() { transaction?.cancel() }

  /// Writes the store as it is now to a new file, without free space and history.
  public func writeCopy(to path: String, key: EncryptionKey? = nil) throws(StorageError) {
    _ = try owned.database.writeCompactCopy(of: tables.root, in: source, to: path, key: key)
  }

  // MARK: History

  /// What this transaction has done so far.
  public func changes() -> ChangeSet { history.changes(keeping: recorded) }

  /// To be called by a recorder that changes nothing but hidden tables, and after which nothing
  /// else is changed: so the history need not be made twice.
  public func keep(_ changes: ChangeSet) { recorded = changes }
}
