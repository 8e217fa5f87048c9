import ObjectStore
import Storage
import SyncProtocol

// Files that new devices begin with. A seed has the objects of a synced file and the states that go
// with them, so that the server's containers and elements are known for what they are, but it is no
// client: whoever opens it first makes it one, which starts over. What the server has not, or not
// any more, goes then; nothing in a seed counts as written by the device.

extension SyncFile {
  /// Makes a copy of a synced file a seed.
  ///
  /// - Throws: `.invalidInput` if there is something that the server has not acknowledged: every
  ///   device would send it as its own.
  public static func makeSeed(_ transaction: ObjectTransaction) throws(StorageError) {
    try upgrade(transaction)
    guard let tables = SyncTables(transaction.schema.description),
      let row = try fileRow(transaction, tables),
      let info = try info(transaction.view, transaction.schema, SyncCache())
    else { return }
    if info.isDirty {
      throw StorageError(
        .invalidInput, path: transaction.source.path,
        "the file has changes that are not uploaded; wait for the upload before it is copied for "
          + "other devices")
    }
    try transaction.setString("", tables.file.user, of: row, in: tables.file.table)
    try change(transaction) { status in
      let dates = status.subscriptionDates
      status = SessionStatus()
      status.subscriptionDates = dates
    }
    transaction.recorder = NothingToNote.shared
  }

  /// Whether the file is a seed that nobody has opened yet to synchronise it.
  public static func isSeed(
    _ view: StoreView, _ schema: StoredSchema
  ) throws(StorageError) -> Bool {
    guard let tables = SyncTables(schema.description),
      let table = try view.table(tables.file.table), table.count > 0
    else { return false }
    return try table.string(tables.file.user, at: try table.position(at: 0)).isEmpty
  }

  /// Makes a seed the file of a user. Does nothing with one that has a user.
  ///
  /// - Parameter client: a random number, which names the file from now on.
  public static func adopt(
    _ transaction: ObjectTransaction, client: UInt64, user: String
  ) throws(StorageError) {
    guard try isSeed(transaction.view, transaction.schema),
      let tables = SyncTables(transaction.schema.description),
      let row = try fileRow(transaction, tables),
      let info = try info(transaction.view, transaction.schema, SyncCache())
    else { return }
    let record = ClientRecord(client: ClientID(client), seededBy: info.record)
    try setIdentity(record, user: user, of: row, tables.file, transaction)
  }

  static func setIdentity(
    _ record: ClientRecord, user: String, of row: ObjectStore.ObjectKey, _ file: SyncTables.File,
    _ transaction: ObjectTransaction
  ) throws(StorageError) {
    let client = record.client.rawValue
    try transaction.setInt(Int64(bitPattern: client), file.client, of: row, in: file.table)
    try transaction.setString(user, file.user, of: row, in: file.table)
    // Another number than that of any record that is remembered.
    try transaction.setInt(Int64(bitPattern: client >> 16), file.version, of: row, in: file.table)
    try transaction.set(.data(record.row), file.record, of: row, in: file.table)
  }

  private static func fileRow(
    _ transaction: ObjectTransaction, _ tables: SyncTables
  ) throws(StorageError) -> ObjectStore.ObjectKey? {
    let table = try transaction.table(tables.file.table)
    return table.count > 0 ? try table.position(at: 0).key : nil
  }
}

/// For transactions on a synced file that change nothing but what is kept about sync.
public final class NothingToNote: CommitRecorder, Sendable {
  /// The one that there is.
  public static let shared = NothingToNote()

  /// Notes nothing.
  public func willCommit(_ transaction: ObjectTransaction) {}
}
