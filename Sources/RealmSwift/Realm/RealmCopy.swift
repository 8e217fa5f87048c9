import ObjectStore
import Storage
import SyncStore

/// Writes copies of the file of a realm.
struct RealmCopy {
  private let instance: _RealmInstance

  init(of instance: _RealmInstance) { self.instance = instance }

  /// Writes the version that the realm is at to a new file, node by node: with the changes so far
  /// of a write transaction that is open, without free space and history.
  ///
  /// - Parameter forSync: whether the copy of a synced file is to be one that devices begin with.
  func write(to path: String, key: EncryptionKey?, forSync: Bool) throws(StorageError) {
    let isSynced = instance.schema.isSynced
    if let writing = instance.writing {
      if isSynced, forSync {
        // What it has changed is not noted yet, and not uploaded.
        throw StorageError(
          .invalidInput, path: path,
          "a synchronised file cannot be copied for other devices within a write transaction")
      }
      try writing.objects.writeCopy(to: path, key: key)
    } else if let snapshot = instance.snapshot {
      _ = try instance.shared.database.writeCompactCopy(
        of: snapshot.root, in: snapshot.source, to: path, key: key)
    }
    if isSynced { try Self.separate(copyAt: path, key: key, forSync: forSync) }
  }

  /// Two files must not be one to the server: a copy of a synced file becomes a local one, or one
  /// that a new device begins with. One that cannot is deleted. Does nothing with other files.
  ///
  /// - Returns: whether it was one of a synced file.
  /// - Throws: `.invalidInput` if the copy is for sync and has something that is not uploaded; what
  ///   opening the file throws.
  @discardableResult
  static func separate(
    copyAt path: String, key: EncryptionKey?, forSync: Bool
  ) throws(StorageError) -> Bool {
    let system = RealmSystem.system(forFileAt: path)
    var options = DatabaseOptions()
    options.encryptionKey = key
    do throws(StorageError) {
      let copy = try Database.open(path: path, options: options, system: system)
      if try !isSynced(copy) { return false }
      let transaction = try ObjectTransaction(try copy.beginWrite(), schemas: SchemaCache())
      defer { transaction.cancel() }
      if forSync {
        try SyncFile.makeSeed(transaction)
      } else {
        try SyncFile.forget(transaction)
      }
      _ = try transaction.commit()
      return true
    } catch {
      _ = try? Database.delete(path: path, system: system)
      throw error
    }
  }

  private static func isSynced(_ copy: Database) throws(StorageError) -> Bool {
    let newest = try copy.pinNewest()
    if newest.root.isNone { return false }
    return try StoreRoot.schema(newest.root, in: newest.source).isSynced
  }
}
