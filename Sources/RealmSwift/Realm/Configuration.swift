import Platform
public import Foundation
import Storage
import Synchronization

/// Changes what a file holds to what a newer schema wants: called with the migration and the
/// schema version of the file.
public typealias MigrationBlock =
  @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64)
  -> Void

extension Realm {
  /// Which file a realm opens, and how.
  @frozen public struct Configuration: Sendable {
    /// The largest schema version.
    static let schemaVersionMax = UInt64.max - 1

    private var location: Location

    /// Where the data is.
    @usableFromInline
    enum Location: Hashable, Sendable {
      case file(URL)
      case inMemory(String)
    }

    /// What writing the file survives. Every level keeps the file consistent whatever happens.
    public enum Durability: Hashable, Sendable, CaseIterable {
      /// A commit returns once it is on the disk, with a second flush for disks that cannot be
      /// trusted to have written what checksums prove.
      case strict
      /// A commit returns once it is on the disk: power loss loses nothing that was committed.
      case full
      /// A commit is seen by everybody at once and is on the disk a little later, several sharing a
      /// flush; power loss may lose the last of them.
      case grouped
      /// A commit is seen by everybody at once and flushed in the background, half a second later
      /// at the most on an idle disk. It survives the process's death at once; power loss may take
      /// what has not been flushed.
      case relaxed
    }

    /// - Parameters:
    ///   - fileURL: The database file, made if it does not exist.
    ///   - inMemoryIdentifier: Instead of a file: data that goes when nobody has it open any more.
    ///   - encryptionKey: 64 bytes.
    ///   - readOnly: Whether writing is refused; works on read-only directories.
    ///   - schemaVersion: The program's number for its schema; it only rises.
    ///   - migrationBlock: Called when the file's schema version is lower.
    ///   - deleteRealmIfMigrationNeeded: Whether a file of another schema is replaced by an empty
    ///     one.
    ///   - shouldCompactOnLaunch: Asked with the file's size and the bytes used in it, when it is
    ///     opened by nobody else.
    ///   - objectTypes: The classes that the realm stores; nil for all of the program.
    ///   - seedFilePath: A file that is copied to `fileURL` if there is none yet.
    public init(
      fileURL: URL? = Configuration.defaultFileURL,
      inMemoryIdentifier: String? = nil,
      encryptionKey: Data? = nil,
      readOnly: Bool = false,
      schemaVersion: UInt64 = 0,
      migrationBlock: MigrationBlock? = nil,
      deleteRealmIfMigrationNeeded: Bool = false,
      shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)? = nil,
      objectTypes: [ObjectBase.Type]? = nil,
      seedFilePath: URL? = nil
    ) {
      if let inMemoryIdentifier {
        location = .inMemory(checked(identifier: inMemoryIdentifier))
      } else {
        location = .file(checked(url: fileURL ?? Configuration.defaultFileURL))
      }
      engineKey = Self.checkedKey(encryptionKey)
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.objectTypes = objectTypes
      self.seedFilePath = seedFilePath
      self.readOnly = readOnly
      self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      checkSchemaVersion()
    }

    /// What `try Realm()` opens. It may be set at any time, from any thread.
    public static var defaultConfiguration: Configuration {
      get { current.withLock { $0 } }
      set { current.withLock { $0 = newValue } }
    }

    private static let current = LockedValue(Configuration())

    /// The database file, nil for data in memory. Setting it to a file clears
    /// `inMemoryIdentifier`.
    public var fileURL: URL? {
      get {
        guard case .file(let url) = location else { return nil }
        return url
      }
      set {
        if let newValue { location = .file(checked(url: newValue)) }
      }
    }

    /// The name of data in memory, nil for a file. Setting it to a name clears `fileURL`.
    public var inMemoryIdentifier: String? {
      get {
        guard case .inMemory(let identifier) = location else { return nil }
        return identifier
      }
      set {
        if let newValue { location = .inMemory(checked(identifier: newValue)) }
      }
    }

    /// 64 bytes to encrypt the file with, or nil.
    public var encryptionKey: Data? {
      get { engineKey.map { unsafe $0.bytes.withUnsafeBytes { unsafe Data($0) } } }
      set { engineKey = Self.checkedKey(newValue) }
    }

    /// The key as the engine takes it. It is kept where no core dump has it.
    private(set) var engineKey: EncryptionKey?

    /// Whether writing is refused. To open a realm with that and `deleteRealmIfMigrationNeeded` or
    /// `shouldCompactOnLaunch`, which write, is a misuse.
    public var readOnly: Bool

    /// The program's number for its schema; it only rises.
    public var schemaVersion: UInt64 {
      didSet { checkSchemaVersion() }
    }

    /// Called when the file's schema version is lower than `schemaVersion`, in the transaction that
    /// brings the file to the new schema. Without a block the file is brought there all the same.
    public var migrationBlock: MigrationBlock?

    /// Called while a migration goes through the objects of a class, about a hundred times for each
    /// class, on the thread that opens the realm.
    public var migrationProgressHandler: (@Sendable (Realm.MigrationProgress) -> Void)?

    /// Whether a file whose schema, or schema version, is another one is replaced by an empty one
    /// instead of migrated.
    public var deleteRealmIfMigrationNeeded: Bool

    /// Asked with the file's size and the bytes used in it whether to compact it before opening.
    public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?

    /// The classes that the realm stores; nil for all of the program.
    public var objectTypes: [ObjectBase.Type]?

    /// How many versions may be held at once before a commit is refused with an error; nil for any
    /// number.
    public var maximumNumberOfActiveVersions: UInt?

    /// Seconds after which a reader, in any process, that still keeps an old version is told about
    /// through `slowReaderHandler`; nil for never. Old versions make the file grow.
    public var slowReaderAge: TimeInterval?

    /// Bytes that a reader, in any process, may alone keep from being used again before it is told
    /// about through `slowReaderHandler`; nil for any number.
    public var slowReaderRetainedBytes: Int?

    /// Called once for each slow reader, on a background thread, in a process that writes.
    public var slowReaderHandler: (@Sendable (Realm.SlowReader) -> Void)?

    /// Seconds after which a reader, in any process, that still keeps an old version is ended; nil
    /// for never. A live realm is invalidated when it is next refreshed, queried or written to, and
    /// goes on with the newest version; what needs the old one throws `Realm.Error.readerTooOld`.
    /// What was read before is never wrong. A frozen realm keeps its version for as long as it
    /// exists, and so does a process that does not respond: `slowReaderHandler` names them.
    public var maximumReaderAge: TimeInterval?

    /// A file that is copied to `fileURL` if there is none yet.
    public var seedFilePath: URL?

    /// What a commit survives.
    public var durability = Durability.full

    #if Sync
      /// Which user synchronises the file; nil for a file that is not synchronised.
      public var syncConfiguration: SyncConfiguration?
    #endif
  }
}

extension Realm.Configuration: Equatable, CustomStringConvertible {
  /// Compares what decides which data is opened: file or identifier, key, `readOnly`, and the
  /// schema version.
  public static func == (left: Self, right: Self) -> Bool {
    left.location == right.location && left.engineKey == right.engineKey
      && left.readOnly == right.readOnly && left.schemaVersion == right.schemaVersion
  }

  /// What is set, for people to read. An encryption key is not shown.
  public var description: String {
    var fields: [(String, Any?)] = [
      ("fileURL", fileURL), ("inMemoryIdentifier", inMemoryIdentifier),
      ("encryptionKey", engineKey.map { _ in "(set)" }), ("readOnly", readOnly),
      ("schemaVersion", schemaVersion), ("migrationBlock", migrationBlock.map { _ in "(set)" }),
      ("deleteRealmIfMigrationNeeded", deleteRealmIfMigrationNeeded),
      ("shouldCompactOnLaunch", shouldCompactOnLaunch.map { _ in "(set)" }),
    ]
    fields += [
      ("objectTypes", objectTypes), ("seedFilePath", seedFilePath),
      ("maximumNumberOfActiveVersions", maximumNumberOfActiveVersions), ("durability", durability),
      ("slowReaderAge", slowReaderAge), ("slowReaderRetainedBytes", slowReaderRetainedBytes),
      ("slowReaderHandler", slowReaderHandler.map { _ in "(set)" }),
      ("maximumReaderAge", maximumReaderAge),
      ("migrationProgressHandler", migrationProgressHandler.map { _ in "(set)" }),
    ]
    let lines = fields.map { name, value in "\t\(name) = \(value.map { "\($0)" } ?? "nil");\n" }
    return "Realm.Configuration {\n" + lines.joined() + "}"
  }
}

// MARK: - Checks

extension Realm.Configuration {
  fileprivate static func checkedKey(_ key: Data?) -> EncryptionKey? {
    guard let key else { return nil }
    guard let checked = EncryptionKey(key) else {
      throwRealmException("Encryption key must be exactly 64 bytes long")
    }
    return checked
  }

  private func checkSchemaVersion() {
    if schemaVersion > Self.schemaVersionMax {
      throwRealmException("Cannot set schema version to RLMNotVersioned.")
    }
  }

  /// What opening a realm checks.
  func checkCanBeOpened() {
    guard readOnly else { return }
    if deleteRealmIfMigrationNeeded {
      throwRealmException("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
    }
    if shouldCompactOnLaunch != nil {
      throwRealmException("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.")
    }
  }
}

private func checked(url: URL) -> URL {
  if !url.isFileURL {
    throwRealmException("A Realm's URL must be a file URL, not '\(url)'.")
  }
  if url.path.isEmpty {
    throwRealmException("Realm path must not be empty")
  }
  return url
}

private func checked(identifier: String) -> String {
  if identifier.isEmpty {
    throwRealmException("In-memory identifier must not be empty")
  }
  return identifier
}
