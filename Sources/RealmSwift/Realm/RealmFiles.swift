public import Foundation
import ObjectStore
import Storage

// The files of a realm: the data and the lock-file beside it.

extension Realm {
  /// Whether the configuration's file exists.
  public static func fileExists(for configuration: Configuration) -> Bool {
    FileManager.default.fileExists(atPath: configuration.path)
  }

  /// Deletes the configuration's files.
  ///
  /// - Returns: whether there was a realm.
  /// - Throws: `Realm.Error.alreadyOpen` while this process or another one has it open; what the
  ///   file system gives.
  public static func deleteFiles(for configuration: Configuration) throws -> Bool {
    let path = configuration.path
    SharedRealm.waitForComputations(path)
    if SharedRealm.isOpen(path) {
      throw RLMError(
        .alreadyOpen, "All Realms at path '\(path)' must be closed before deleting it.", path: path)
    }
    return try rethrowingStorageErrors { () throws(StorageError) in
      try Database.delete(path: path, system: RealmSystem.system(forFileAt: path))
    }
  }

  /// Brings a file to the configuration's schema, with its migration block if it has one, and
  /// closes it. Opening the realm does the same.
  ///
  /// - Throws: `Realm.Error.alreadyOpen` while this process has it open; what opening throws.
  public static func performMigration(
    for configuration: Configuration = .defaultConfiguration
  ) throws {
    SharedRealm.waitForComputations(configuration.path)
    if SharedRealm.isOpen(configuration.path) {
      throw RLMError(
        .alreadyOpen, "Cannot migrate Realms that are already open.", path: configuration.path)
    }
    _ = try Realm(configuration: configuration)
  }

  /// Writes a compact copy of the present version to a new file, which is a local one.
  ///
  /// - Parameter encryptionKey: 64 bytes to encrypt the copy with, whatever this realm has; without
  ///   one it is not encrypted.
  /// - Throws: `Realm.Error.fileExists` if there is a file already.
  public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
    var configuration = self.configuration
    configuration.fileURL = fileURL
    configuration.encryptionKey = encryptionKey
    #if Sync
      configuration.syncConfiguration = nil
    #endif
    try writeCopy(configuration: configuration)
  }

  /// Writes a compact copy of the present version to the configuration's file, with everything that
  /// it holds, also classes that this realm's configuration does not name. Within a write
  /// transaction the copy has what was changed so far. If the configuration has another schema
  /// version, the copy is migrated to it; it is encrypted with the configuration's key, if that has
  /// one.
  ///
  /// A copy of a synchronised realm is a local file if the configuration has no
  /// `syncConfiguration`, and else one that new devices can begin with, as their `seedFilePath` or
  /// in its place: whoever opens it makes it a file of their own, which has the objects and
  /// subscriptions at once, is migrated then if need be, and is brought up to date when the server
  /// is reached. A copy of a local realm that is opened to be synchronised is uploaded with all
  /// that is in it.
  ///
  /// - Throws: `Realm.Error.fileExists` if there is a file already; `.invalidInput` if the copy
  ///   of a synchronised realm is to be synchronised and not all is uploaded, or within a write
  ///   transaction.
  public func writeCopy(configuration: Configuration) throws {
    instance.checkThread()
    instance.ensureReading()
    let path = configuration.path
    if FileManager.default.fileExists(atPath: path) {
      throw RLMError(.fileExists, "The file '\(path)' exists already.", path: path)
    }
    try rethrowingStorageErrors { () throws(StorageError) in
      try RealmCopy(of: instance).write(
        to: path, key: configuration.engineKey, forSync: configuration.syncUser != nil)
    }
    // Whoever opens a copy for other devices makes it their own.
    let isForDevices = instance.schema.isSynced && configuration.syncUser != nil
    if configuration.schemaVersion != self.configuration.schemaVersion, !isForDevices {
      try Realm.performMigration(for: configuration)
    }
  }
}

/// The schema version of the file.
///
/// - Parameter encryptionKey: the file's, if it is encrypted.
/// - Throws: `Realm.Error.invalidDatabase` if there is none, or if the key is another, `.fail` if
///   nothing was stored in it.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
  var options = DatabaseOptions()
  options.readOnly = true
  options.mustExist = true
  options.encryptionKey =
    Realm.Configuration(
      fileURL: fileURL, encryptionKey: encryptionKey
    ).engineKey
  let version = try rethrowingStorageErrors { () throws(StorageError) -> UInt64? in
    let database: Database
    do throws(StorageError) {
      database = try Database.open(
        path: fileURL.path, options: options, system: RealmSystem.system(forFileAt: fileURL.path))
    } catch {
      if error.code != .fileNotFound { throw error }
      throw StorageError(
        .notADatabase, path: error.path, "there is no file whose schema version could be read",
        cause: error.cause)
    }
    let snapshot = try database.pinNewest()
    if snapshot.root.isNone { return nil }
    return try StoreRoot.schema(snapshot.root, in: snapshot.source).version
  }
  guard let version else {
    throw RLMError(
      .fail, "Cannot open an uninitialized realm in read-only mode", path: fileURL.path)
  }
  return version
}
