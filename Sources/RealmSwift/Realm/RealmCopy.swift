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
  /// that a new device begins with. Does nothing with other files.
  ///
  /// - Returns: whether it was one of a synced file.
  /// - Throws: `.invalidInput` if the copy is for sync and has something that is not uploaded; what
  ///   opening the file throws.
  @discardableResult
  static func separate(
    copyAt path: String, key: EncryptionKey?, forSync: Bool
  ) throws(StorageError) -> Bool {
    var options = DatabaseOptions()
    options.encryptionKey = key
    let system = RealmSystem.system(forFileAt: path)
    var looking = options
    looking.readOnly = true
    if try !isSynced(try Database.open(path: path, options: looking, system: system)) {
      return false
    }
    let copy = try Database.open(path: path, options: options, system: system)
    let transaction = try ObjectTransaction(try copy.beginWrite(), schemas: SchemaCache())
    defer { transaction.cancel() }
    if forSync {
      try SyncFile.makeSeed(transaction)
    } else {
      try SyncFile.forget(transaction)
    }
    _ = try transaction.commit()
    return true
  }

  private static func isSynced(_ copy: Database) throws(StorageError) -> Bool {
    let newest = try copy.pinNewest()
    if newest.root.isNone { return false }
    return try StoreRoot.schema(newest.root, in: newest.source).isSynced
  }
}

/// A file that is made beside where it is to be, so that whoever sees it there has the whole.
struct Draft {
  let path: String
  private let target: String
  private var second: String { path + ".separated" }

  init(of target: String) {
    self.target = target
    path = "\(target).draft-\(UUID().uuidString)"
  }

  /// Puts it where it is to be, unless there is a file.
  func put() throws { try Self.put(path, at: target) }

  /// Puts a copy of it there: a file that no database is open on, not even for a last moment on
  /// another thread, whose lock-file would be that of the other name.
  func putAnew() throws {
    try FileManager.default.copyItem(atPath: path, toPath: second)
    try Self.put(second, at: target)
  }

  /// Removes what is left of it under its own name.
  func remove() {
    for name in [path, path + ".lock", second] { try? FileManager.default.removeItem(atPath: name) }
  }

  private static func put(_ copy: String, at path: String) throws {
    let written = try FileHandle(forReadingFrom: URL(fileURLWithPath: copy))
    try written.synchronize()
    try written.close()
    do { try FileManager.default.linkItem(atPath: copy, toPath: path) } catch {
      // There are no such links on every kind of disk.
      try FileManager.default.moveItem(atPath: copy, toPath: path)
    }
  }
}
