import ObjectStore
import Storage
import SyncProtocol

// Files that new devices begin with. A seed has the objects of a synced file and the states that go
// with them, so that the server's containers and elements are known for what they are, but it is no
// client: whoever opens it first to write to it makes it one, which starts over. What the server
// has not, or not any more, goes then; nothing in a seed counts as written by the device.

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
    let record = ClientRecord(client: .none, seededBy: info.record)
    try setIdentity(record, user: "", of: row, tables.file, transaction)
    try change(transaction) { status in
      let dates = status.subscriptionDates
      status = SessionStatus()
      status.subscriptionDates = dates
    }
    transaction.recorder = NothingToNote.shared
  }

  /// Whether opening the file has to make it someone's.
  ///
  /// - Parameter user: who opens it to synchronise it; nil: nobody does.
  public static func needsIdentity(
    _ view: StoreView, _ schema: StoredSchema, user: String?
  ) throws(StorageError) -> Bool {
    guard let tables = SyncTables(schema.description),
      let table = try view.table(tables.file.table), table.count > 0
    else { return false }
    let position = try table.position(at: 0)
    if try table.int(tables.file.client, at: position) == 0 { return true }
    if user == nil { return false }
    return try table.string(tables.file.user, at: position).isEmpty
  }

  /// Makes a seed a client of its own. It becomes that when somebody opens it to write to it: what
  /// a program writes before the file is synchronised is noted under that name. It has a user from
  /// when it is opened to be synchronised.
  ///
  /// - Parameter client: a random number, which names the file from now on.
  public static func identify(
    _ transaction: ObjectTransaction, client: UInt64, user: String?
  ) throws(StorageError) {
    guard try needsIdentity(transaction.view, transaction.schema, user: user),
      let tables = SyncTables(transaction.schema.description),
      let row = try fileRow(transaction, tables),
      let info = try info(transaction.view, transaction.schema, SyncCache())
    else { return }
    if info.record.client != .none {
      return try transaction.setString(
        user ?? "", tables.file.user, of: row, in: tables.file.table)
    }
    let record = ClientRecord(client: ClientID(client), seededBy: info.record)
    try setIdentity(record, user: user ?? "", of: row, tables.file, transaction)
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
