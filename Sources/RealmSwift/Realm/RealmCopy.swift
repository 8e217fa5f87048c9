import ObjectStore
import Storage
import SyncStore

/// Writes copies of the file of a realm.
struct RealmCopy {
  private let instance: _RealmInstance

  init(of instance: _RealmInstance) { self.instance = instance }

  /// Writes the version that the realm is at to a new file, node by node: with the changes so far
  /// of a write transaction that is open, without free space and history.
  func write(to path: String, key: EncryptionKey?) throws(StorageError) {
    if let writing = instance.writing {
      try writing.objects.writeCopy(to: path, key: key)
    } else if let snapshot = instance.snapshot {
      _ = try instance.shared.database.writeCompactCopy(
        of: snapshot.root, in: snapshot.source, to: path, key: key)
    }
    if instance.schema.isSynced { try forgetSync(inCopyAt: path, key: key) }
  }

  /// Two files must not be one to the server: a copy is local, or begins anew.
  private func forgetSync(
    inCopyAt path: String, key: EncryptionKey?
  ) throws(StorageError) {
    var options = DatabaseOptions()
    options.encryptionKey = key
    let copy = try Database.open(
      path: path, options: options, system: RealmSystem.system(forFileAt: path))
    let transaction = try ObjectTransaction(try copy.beginWrite(), schemas: SchemaCache())
    do throws(StorageError) {
      try SyncFile.forget(transaction)
      _ = try transaction.commit()
    } catch {
      transaction.cancel()
      throw error
    }
  }
}
