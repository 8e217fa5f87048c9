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
    try requireClosed(path, "must be closed before deleting it")
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
    try requireClosed(configuration.path, "must be closed before migrating it")
    _ = try Realm(configuration: configuration)
  }

  private static func requireClosed(_ path: String, _ demand: String) throws {
    SharedRealm.waitForComputations(path)
    if SharedRealm.isOpen(path) {
      throw RLMError(.alreadyOpen, "All Realms at path '\(path)' \(demand).", path: path)
    }
  }

  /// Writes a compact copy of the present version to a new file.
  ///
  /// - Throws: `Realm.Error.fileExists` if there is a file already.
  public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
    if encryptionKey != nil {
      throw RLMError(
        .invalidInput, "Encryption is not available yet; write the copy without a key.",
        path: fileURL.path)
    }
    var configuration = self.configuration
    configuration.fileURL = fileURL
    try writeCopy(configuration: configuration)
  }

  /// Writes a compact copy of the present version to the configuration's file, with everything that
  /// it holds, also classes that this realm's configuration does not name. Within a write
  /// transaction the copy has what was changed so far. If the configuration has another schema
  /// version, the copy is migrated to it.
  ///
  /// - Throws: `Realm.Error.fileExists` if there is a file already.
  public func writeCopy(configuration: Configuration) throws {
    instance.checkThread()
    instance.ensureReading()
    let path = configuration.path
    if FileManager.default.fileExists(atPath: path) {
      throw RLMError(.fileExists, "The file '\(path)' exists already.", path: path)
    }
    try rethrowingStorageErrors { () throws(StorageError) in try instance.writeCopy(to: path) }
    if configuration.schemaVersion != self.configuration.schemaVersion {
      try Realm.performMigration(for: configuration)
    }
  }
}

/// The schema version of the file.
///
/// - Throws: `Realm.Error.fileNotFound` if there is none.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
  var options = DatabaseOptions()
  options.readOnly = true
  options.mustExist = true
  return try rethrowingStorageErrors { () throws(StorageError) in
    let database = try Database.open(path: fileURL.path, options: options)
    let snapshot = try database.pinNewest()
    return try StoreRoot.schema(snapshot.root, in: snapshot.source).version
  }
}
