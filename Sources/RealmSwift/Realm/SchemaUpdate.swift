import ObjectStore
import Storage
import SyncStore

/// Brings a file to the schema that a configuration wants, in one transaction, or says why it
/// cannot be opened with it.
struct SchemaUpdate {
  let shared: SharedRealm
  let configuration: Realm.Configuration
  let classes: [ClassInfo]
  private let wanted: SchemaDescription

  init(_ shared: SharedRealm, _ configuration: Realm.Configuration, _ classes: [ClassInfo]) {
    self.shared = shared
    self.configuration = configuration
    self.classes = classes
    wanted = RealmSchema.description(of: classes, version: configuration.schemaVersion)
  }

  private enum Step {
    case nothing
    /// Classes and indexes come, the latter also go.
    case add
    case migrate
    /// `deleteRealmIfMigrationNeeded`.
    case reset
  }

  /// The newest version, which has what is wanted.
  func snapshot() throws(StorageError) -> Snapshot {
    let newest = try shared.database.pinNewest()
    let stored = try shared.schemas.schema(newest.root, in: newest.source).description
    let isNew = newest.root.isNone
    if configuration.readOnly {
      if !isNew { try checkCanBeRead(stored) }
      return newest
    }
    if case .nothing = try step(from: stored, isNew: isNew) { return newest }
    newest.release()
    return try write()
  }

  private func write() throws(StorageError) -> Snapshot {
    let objects = try ObjectTransaction(
      try shared.database.beginWrite(), schemas: shared.schemas)
    do throws(StorageError) {
      // Another process may have been quicker.
      let stored = objects.schema.description
      switch try step(from: stored, isNew: objects.view.root.isNone) {
      case .nothing: break
      case .add: try objects.apply(wanted)
      case .reset:
        try objects.reset()
        try objects.apply(wanted)
      case .migrate:
        try migrate(objects, from: stored.version)
        if stored.isSynced { try checkKeys(of: objects) }
      }
      try updateSync(objects, from: stored)
      let snapshot = try objects.commit(author: shared.ownListener)
      shared.announceCommit()
      return snapshot
    } catch {
      objects.cancel()
      throw error
    }
  }

  /// Makes the file a synced one if the configuration wants that, and notes what a synced file
  /// lacks when the program's classes have become more.
  private func updateSync(
    _ objects: ObjectTransaction, from stored: SchemaDescription
  ) throws(StorageError) {
    if objects.schema.isSynced {
      try SyncFile.upgrade(objects)
      try SyncFile.identify(
        objects, client: .random(in: 1...UInt64.max), user: configuration.syncUser)
      objects.recorder = shared.recorder
      if objects.schema.description.syncedClasses != stored.syncedClasses {
        try SyncFile.noteNewClasses(objects, since: stored, shared.syncCache)
      }
    } else if let user = configuration.syncUser {
      try SyncFile.prepare(
        objects, client: .random(in: 1...UInt64.max), user: user, shared.syncCache,
        milliseconds: SharedRealm.milliseconds())
      objects.recorder = shared.recorder
    }
  }

  /// Whether the file is to be synced and is not, or lacks what this version keeps in a synced one.
  private func needsSync(_ stored: SchemaDescription) throws(StorageError) -> Bool {
    if stored.lacksSyncTables { return true }
    if !stored.isSynced { return configuration.syncUser != nil }
    // Of a copy for other devices.
    return try shared.database.withNewest { (source, root) throws(StorageError) in
      let schema = try shared.schemas.schema(root, in: source)
      return try SyncFile.needsIdentity(
        StoreView(source: source, root: root, schema: schema.description), schema,
        user: configuration.syncUser)
    }
  }

  // MARK: What is to be done

  /// Whether `deleteRealmIfMigrationNeeded` means a new beginning.
  func needsReset() throws(StorageError) -> Bool {
    let newest = try shared.database.pinNewest()
    defer { newest.release() }
    if newest.root.isNone { return false }
    return needsReset(try StoreRoot.schema(newest.root, in: newest.source))
  }

  private func needsReset(_ stored: SchemaDescription) -> Bool {
    stored.version != wanted.version || !refused(stored, differences(from: stored)).isEmpty
  }

  /// What the file has not as it is wanted. A synced file has what other programs know as well, of
  /// this device or others, and keeps it.
  private func differences(from stored: SchemaDescription) -> [SchemaDifference] {
    let all = stored.differences(to: wanted)
    return stored.isSynced ? all.filter { !$0.isRemoval } : all
  }

  /// Which of the differences need a migration. The classes of a synced file grow without one.
  private func refused(
    _ stored: SchemaDescription, _ differences: [SchemaDifference]
  ) -> [SchemaDifference] {
    differences.filter { $0.needsMigration && !(stored.isSynced && $0.isAddition) }
  }

  private func step(
    from stored: SchemaDescription, isNew: Bool
  ) throws(StorageError) -> Step {
    if isNew {
      if !wanted.classes.isEmpty || wanted.version != 0 { return .add }
      return try needsSync(stored) ? .add : .nothing
    }
    let differences = differences(from: stored)
    if stored.version == wanted.version, differences.isEmpty {
      return try needsSync(stored) ? .add : .nothing
    }
    if configuration.deleteRealmIfMigrationNeeded, needsReset(stored) { return .reset }
    if stored.version > wanted.version {
      throw mismatch(
        "Provided schema version \(wanted.version) is less than last set version "
          + "\(stored.version).")
    }
    if stored.isSynced { try checkKeys(differences) }
    if stored.version < wanted.version { return .migrate }
    let refused = refused(stored, differences)
    if refused.isEmpty { return .add }
    throw mismatch(Self.list("Migration is required due to the following errors:", refused))
  }

  /// The keys of a synced file's objects are their names, for the server and for what waits to be
  /// sent to it.
  private func checkKeys(_ differences: [SchemaDifference]) throws(StorageError) {
    let changed = differences.filter(\.changesPrimaryKey)
    if changed.isEmpty { return }
    throw mismatch(
      Self.list(
        "The primary keys of a synchronized file's classes cannot be changed; give the class "
          + "another name, or delete the file and let the server send its objects again:", changed))
  }

  /// An object of a synced file keeps its key, too, which a migration's block can set.
  private func checkKeys(of objects: ObjectTransaction) throws(StorageError) {
    for changes in objects.changes().tables {
      guard let description = objects.schema.description.description(of: changes.table),
        let key = description.primaryKey,
        let before = try objects.baseView.table(changes.table)
      else { continue }
      let now = try objects.table(changes.table)
      for object in changes.objects(modifiedIn: key.columnKey) {
        guard let old = try before.find(object), let new = try now.find(object) else { continue }
        let value = try before.value(of: key, at: old)
        if value == (try now.value(of: key, at: new)) { continue }
        throw mismatch(
          "The primary keys of a synchronized file's objects cannot be changed: the migration sets "
            + "'\(description.name).\(key.name)' of '\(value)'; create another object and delete "
            + "this one instead.")
      }
    }
  }

  private func checkCanBeRead(_ stored: SchemaDescription) throws(StorageError) {
    if stored.version != wanted.version {
      throw mismatch(
        "Provided schema version \(wanted.version) does not equal last set version "
          + "\(stored.version).")
    }
    let refused = stored.differences(to: wanted).filter(\.preventsReading)
    if !refused.isEmpty {
      throw mismatch(
        Self.list(
          "The following changes cannot be made in read-only schema mode:", refused))
    }
  }

  private func mismatch(_ message: String) -> StorageError {
    StorageError(.schemaMismatch, path: shared.path, message)
  }

  static func list(_ start: String, _ differences: [SchemaDifference]) -> String {
    differences.reduce(start) { "\($0)\n- \($1.sentence)" }
  }

  // MARK: Migrating

  private func migrate(
    _ objects: ObjectTransaction, from version: UInt64
  ) throws(StorageError) {
    // Nobody else can commit now: the newest version is the one that the transaction builds on.
    let base = try shared.database.pinNewest()
    try objects.beginMigration(to: wanted)
    var removed: Set<String> = []
    if let block = configuration.migrationBlock {
      let opened = Realm.OpenedConfiguration(configuration)
      let old = try _RealmInstance(
        shared: shared, opened: opened, scheduler: FrozenScheduler.shared, classes: [],
        snapshot: try base.duplicate())
      let new = try _RealmInstance(
        shared: shared, opened: opened, scheduler: ThreadScheduler(), classes: classes,
        snapshot: base, schema: objects.schema)
      new.beginMigration(objects)
      let migration = Migration(from: old, to: new)
      block(migration, version)
      removed = migration.removedClasses
      new.endMigration()
    }
    try objects.finishMigration(to: wanted, removing: removed)
  }
}
