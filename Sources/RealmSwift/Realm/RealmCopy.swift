import Foundation
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
    if !instance.schema.isSynced { return try copy(to: path, key) }
    if instance.writing != nil, forSync {
      // What it has changed is not noted yet, and not uploaded.
      throw StorageError(
        .invalidInput, path: path,
        "a synchronised file cannot be copied for other devices within a write transaction")
    }
    // Nobody is to find a copy that is the same to the server as this file.
    let draft = Draft(of: path)
    defer { draft.remove() }
    do throws(StorageError) {
      try copy(to: draft.path, key)
      try Self.separate(copyAt: draft.path, key: key, forSync: forSync)
    } catch {
      throw StorageError(error.code, path: path, error.message, cause: error.cause)
    }
    do { try draft.putAnew() } catch {
      throw StorageError(
        .inputOutput, path: path, "the copy could not be put there: \(error.localizedDescription)")
    }
  }

  private func copy(to path: String, _ key: EncryptionKey?) throws(StorageError) {
    if let writing = instance.writing {
      try writing.objects.writeCopy(to: path, key: key)
    } else if let snapshot = instance.snapshot {
      _ = try instance.shared.database.writeCompactCopy(
        of: snapshot.root, in: snapshot.source, to: path, key: key)
    }
  }

  /// Two files must not be one to the server: a copy of a synced file becomes a local one, or one
  /// that a new device begins with.
  ///
  /// - Throws: `.invalidInput` if the copy is for sync and has something that is not uploaded; what
  ///   opening the file throws.
  static func separate(
    copyAt path: String, key: EncryptionKey?, forSync: Bool
  ) throws(StorageError) {
    let copy = try open(path, key, readOnly: false)
    let transaction = try ObjectTransaction(try copy.beginWrite(), schemas: SchemaCache())
    defer { transaction.cancel() }
    if forSync {
      try SyncFile.makeSeed(transaction)
    } else {
      try SyncFile.forget(transaction)
    }
    _ = try transaction.commit()
  }

  /// Whether a file is a synced one.
  static func isSynced(fileAt path: String, key: EncryptionKey?) throws(StorageError) -> Bool {
    let newest = try open(path, key, readOnly: true).pinNewest()
    if newest.root.isNone { return false }
    return try StoreRoot.schema(newest.root, in: newest.source).isSynced
  }

  private static func open(
    _ path: String, _ key: EncryptionKey?, readOnly: Bool
  ) throws(StorageError) -> Database {
    var options = DatabaseOptions()
    options.encryptionKey = key
    options.readOnly = readOnly
    return try Database.open(
      path: path, options: options, system: RealmSystem.system(forFileAt: path))
  }
}
