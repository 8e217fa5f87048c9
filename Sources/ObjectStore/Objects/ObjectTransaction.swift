import Storage

/// Changes objects within a write transaction.
///
/// Wraps the node writer of a storage transaction; every operation keeps indexes and backlinks
/// right, records history, and raises `generation`: whatever was read before (tables, positions,
/// lists, pointers) must be read again then. An operation that throws has found damage and may
/// have stopped half-way: cancel the transaction.
///
/// Objects, columns and lists are named by keys; a key that does not exist, or a value that does not
/// fit its column, is a programming error and traps. Confined like the transaction itself.
public final class ObjectTransaction {
  public let writer: NodeWriter
  /// The object store's root, to be handed back to the storage transaction.
  public internal(set) var root: NodeReference
  /// Raised by every change.
  public internal(set) var generation: UInt64 = 0
  public internal(set) var schema: StoredSchema

  /// - Parameters:
  ///   - root: the object store's root in the version that the transaction builds on.
  ///   - schemas: the file's cache of schemas.
  public init(
    writer: NodeWriter, root: NodeReference, schemas: SchemaCache,
    limits: TreeLimits = .standard
  ) throws(StorageError) {
    self.writer = writer
    self.root = root
    schema = try schemas.schema(root, in: writer.source)
  }

  /// Reads committed nodes and those of this transaction.
  public var source: NodeSource { writer.source }

  /// What this transaction did so far, for `WriteTransaction.commit(history:)`.
  public func encodedHistory() -> [UInt8] { preconditionFailure("not yet") }

  // MARK: Schema

  /// Makes the file's schema hold everything that is wanted: new classes, new properties (null,
  /// zero or empty in existing objects), more or fewer indexes. What the file has beyond that stays.
  ///
  /// - Returns: whether anything had to be changed.
  /// - Throws: `.schemaMismatch` naming every difference that needs a migration.
  public func apply(_ wanted: SchemaDescription) throws(StorageError) -> Bool {
    preconditionFailure("not yet")
  }

  // MARK: Reading

  /// The table as it is now; good until the next change.
  public func table(_ key: TableKey) throws(StorageError) -> Table {
    guard let table = try StoreRoot.table(key, root: root, in: source) else {
      preconditionFailure("no table \(key.rawValue)")
    }
    return table
  }

  // MARK: Objects

  /// A new object of a class without a primary key, all of whose properties are null, zero or empty.
  public func createObject(in table: TableKey) throws(StorageError) -> ObjectKey {
    preconditionFailure("not yet")
  }

  /// The object with that primary key: the existing one, or a new one.
  public func createObject(
    in table: TableKey, primaryKey: StoredValue
  ) throws(StorageError) -> (key: ObjectKey, isNew: Bool) {
    preconditionFailure("not yet")
  }

  /// The same for an integer primary key.
  public func createObject(
    in table: TableKey, primaryKey: Int64
  ) throws(StorageError) -> (key: ObjectKey, isNew: Bool) {
    preconditionFailure("not yet")
  }

  /// Deletes an object: links to it become null, lists lose it.
  public func deleteObject(_ key: ObjectKey, in table: TableKey) throws(StorageError) {
    preconditionFailure("not yet")
  }

  /// Deletes many objects at once, faster than one by one; keys without an object are passed over.
  public func deleteObjects(_ keys: [ObjectKey], in table: TableKey) throws(StorageError) {
    preconditionFailure("not yet")
  }

  /// Deletes all objects of a class.
  public func deleteAllObjects(in table: TableKey) throws(StorageError) {
    preconditionFailure("not yet")
  }

  // MARK: Properties

  /// Sets a property that is no list, whatever its kind.
  public func set(
    _ value: StoredValue, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func setNull(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func setInt(
    _ value: Int64, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func setBool(
    _ value: Bool, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func setFloat(
    _ value: Float, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  /// Doubles and dates.
  public func setDouble(
    _ value: Double, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func setString(
    _ value: String, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  /// UTF-8 of strings, and data.
  public func setBytes(
    _ value: UnsafeRawBufferPointer, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  /// Sets a link; nil for none.
  public func setLink(
    _ target: ObjectKey?, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  // MARK: Lists

  /// The list as it is now; good until the next change.
  public func list(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) -> ListView {
    preconditionFailure("not yet")
  }

  public func listInsert(
    _ value: StoredValue, at index: Int, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  /// Inserts several elements, the first at `index`.
  public func listInsert(
    contentsOf values: [StoredValue], at index: Int, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func listSet(
    _ value: StoredValue, at index: Int, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func listRemove(
    _ indexes: Range<Int>, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  /// Takes out the element at `from` and puts it where it has index `to` afterwards.
  public func listMove(
    from: Int, to: Int, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func listSwap(
    _ left: Int, _ right: Int, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func listClear(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    preconditionFailure("not yet")
  }
}
