import Platform
import Foundation
import ObjectStore
import Storage
import Synchronization

typealias StorageFailure = StorageError

// Opening realms: one instance per configuration and scheduler, and a schema in the file that holds
// everything that the program wants.

enum RealmOpening {
  private struct Key: Hashable {
    let path: String
    let readOnly: Bool
    let scheduler: SchedulerIdentity
    /// A child made by fork() has to open for itself what its parent had open.
    let process = ForkGuard.generation
  }

  /// The instances, which nobody holds here, not even for a moment in which their own thread might
  /// let go of them.
  private static let known = LockedValue<[Key: RefreshTrigger]>([:])

  /// The instance for the configuration there, opening the file if need be.
  static func instance(
    _ configuration: Realm.Configuration, _ scheduler: any Scheduler
  ) throws(RLMError) -> _RealmInstance {
    let key = Key(
      path: configuration.path, readOnly: configuration.readOnly, scheduler: scheduler.identity)
    if let instance = known.withLock({ $0[key]?.owner.object }), instance.scheduler.exists {
      try checkCompatible(instance, configuration)
      if let larger = try enlarged(configuration, beyond: instance) {
        return try open(larger, scheduler, key, insteadOf: instance)
      }
      // A queue's realm may be asked for elsewhere, while the queue uses it.
      if instance.scheduler.isCurrent { instance.ensureReading() }
      return instance
    }
    return try open(configuration, scheduler, key)
  }

  /// A configuration with the classes that an instance lacks, besides its own; nil if it has all
  /// that are wanted.
  private static func enlarged(
    _ configuration: Realm.Configuration, beyond instance: _RealmInstance
  ) throws(RLMError) -> Realm.Configuration? {
    let (own, wanted) = (instance.configuration.objectTypes, configuration.objectTypes)
    if own == nil, wanted == nil { return nil }
    if let own, let wanted, own.elementsEqual(wanted, by: { $0 === $1 }) { return nil }
    let classes = try RealmSchema.classes(of: configuration)
    let known = Set(instance.classes.map { ObjectIdentifier($0) })
    if classes.allSatisfy({ known.contains(ObjectIdentifier($0)) }) { return nil }
    if instance.scheduler.isCurrent, instance.isInWriteTransaction {
      throw RLMError(
        .fail, "A Realm cannot be opened with more classes while it is in a write transaction.",
        path: configuration.path)
    }
    let names = Set(classes.map(\.name))
    var larger = configuration
    larger.objectTypes =
      classes.map(\.type) + instance.classes.filter { !names.contains($0.name) }.map(\.type)
    return larger
  }

  /// - Parameter smaller: an instance of the same place that lacks classes.
  private static func open(
    _ configuration: Realm.Configuration, _ scheduler: any Scheduler, _ key: Key,
    insteadOf smaller: _RealmInstance? = nil
  ) throws(RLMError) -> _RealmInstance {
    let instance = try openLogged(configuration, scheduler, path: key.path)
    let winner = known.withLock { known -> _RealmInstance in
      if let earlier = known[key]?.owner.object, earlier !== smaller, earlier.scheduler.exists {
        return earlier
      }
      known = known.filter { !$0.value.isOver }
      known[key] = instance.refreshTrigger
      return instance
    }
    if winner === instance { startListening(instance) }
    return winner
  }

  private static func startListening(_ instance: _RealmInstance) {
    // From here on a turn may run.
    let version = instance.version
    instance.shared.register(instance)
    // Whoever has committed since its version was pinned may not have known of it.
    if instance.shared.database.newestVersion > version { instance.scheduleTurn() }
  }

  /// Whether there is an instance for the configuration there already. From any thread.
  static func isOpen(_ configuration: Realm.Configuration, _ scheduler: any Scheduler) -> Bool {
    let key = Key(
      path: configuration.path, readOnly: configuration.readOnly, scheduler: scheduler.identity)
    return known.withLock { $0[key]?.isOver == false }
  }

  /// Does what opening the file takes, on any thread. As long as the result is held, opening it
  /// somewhere is quick.
  static func prepare(_ configuration: Realm.Configuration) throws(RLMError) -> _RealmInstance {
    try openLogged(configuration, FrozenScheduler.shared, path: configuration.path)
  }

  private static func checkCompatible(
    _ instance: _RealmInstance, _ configuration: Realm.Configuration
  ) throws(RLMError) {
    try rethrowingStorageErrors { () throws(StorageError) in
      try instance.shared.open(withSchemaVersion: configuration.schemaVersion)
      #if Sync
        // The user may have been removed and have logged in again.
        try instance.shared.startSync(configuration)
      #endif
    }
    if instance.configuration.engineKey != configuration.engineKey {
      throw RLMError(
        .alreadyOpen,
        "Realm at path '\(instance.shared.path)' already opened with different encryption key.",
        path: instance.shared.path)
    }
  }

  private static func openLogged(
    _ configuration: Realm.Configuration, _ scheduler: any Scheduler, path: String
  ) throws(RLMError) -> _RealmInstance {
    do throws(RLMError) {
      let instance = try open(configuration, scheduler, path: path)
      Logger.shared.log(.detail) { "Opened '\(path)' at version \(instance.version)" }
      return instance
    } catch {
      Logger.shared.log(.error) { "Could not open '\(path)': \(error)" }
      throw error
    }
  }

  private static func open(
    _ configuration: Realm.Configuration, _ scheduler: any Scheduler, path: String
  ) throws(RLMError) -> _RealmInstance {
    configuration.checkCanBeOpened()
    RuntimeLayouts.check(discovery: configuration.objectTypes == nil)
    let classes = try RealmSchema.classes(of: configuration)
    #if Sync
      try SyncOpening.checkKeys(configuration, classes)
    #endif
    if !configuration.readOnly { try prepareFile(configuration, path: path) }
    let options = options(of: configuration)
    return try rethrowingStorageErrors { () throws(StorageError) in
      if configuration.deleteRealmIfMigrationNeeded, !SharedRealm.isOpen(path) {
        try deleteIfMigrationNeeded(configuration, path, options, classes)
      }
      return try openFile(configuration, scheduler, path, options, classes)
    }
  }

  private static func openFile(
    _ configuration: Realm.Configuration, _ scheduler: any Scheduler, _ path: String,
    _ options: DatabaseOptions, _ classes: [ClassInfo]
  ) throws(StorageError) -> _RealmInstance {
    let isFirst = !SharedRealm.isOpen(path)
    let shared = try SharedRealm.forFile(at: path, options: options)
    try shared.open(withSchemaVersion: configuration.schemaVersion)
    if scheduler.canInvoke { try shared.listen() }
    if isFirst { try compactIfWanted(shared.database, configuration) }
    let instance = try _RealmInstance(
      shared: shared, opened: Realm.OpenedConfiguration(configuration), scheduler: scheduler,
      classes: classes, snapshot: try SchemaUpdate(shared, configuration, classes).snapshot())
    #if Sync
      try SyncOpening.begin(instance, isFirst: isFirst)
    #endif
    return instance
  }

  /// Deletes a file of another schema that no other process has open. One that is in use is emptied
  /// in a transaction instead.
  private static func deleteIfMigrationNeeded(
    _ configuration: Realm.Configuration, _ path: String, _ options: DatabaseOptions,
    _ classes: [ClassInfo]
  ) throws(StorageError) {
    let system = RealmSystem.system(forFileAt: path)
    guard system.fileExists(path: path) else { return }
    do {
      let shared = try SharedRealm.forFile(at: path, options: options)
      if try !SchemaUpdate(shared, configuration, classes).needsReset() { return }
    }
    Logger.shared.log(.warn) { "Replaces '\(path)', which has another schema, by an empty file" }
    do throws(StorageError) { _ = try Database.delete(path: path, system: system) } catch {
      if error.code != .inUse { throw error }
    }
  }

  /// Asks `shouldCompactOnLaunch` and does what it says. Compaction is online: others may have the
  /// file open, and what they pin stays.
  private static func compactIfWanted(
    _ database: Database, _ configuration: Realm.Configuration
  ) throws(StorageError) {
    guard let shouldCompact = configuration.shouldCompactOnLaunch else { return }
    let usage = try database.spaceUsage()
    guard shouldCompact(Int(usage.totalBytes), Int(usage.usedBytes)) else { return }
    Logger.shared.log(.info) {
      "Compacts '\(configuration.path)': \(usage.usedBytes) of \(usage.totalBytes) bytes in use"
    }
    // What pinned versions of other processes hold back is not waited for.
    _ = try database.compact()
  }

  private static func options(of configuration: Realm.Configuration) -> DatabaseOptions {
    var options = DatabaseOptions()
    options.encryptionKey = configuration.engineKey
    options.readOnly = configuration.readOnly
    options.durability = Durability(configuration)
    options.activeVersionsMax = UInt64(configuration.maximumNumberOfActiveVersions ?? 0)
    unsafe options.mergeHistory = ChangeSet.mergeEncoded
    options.label = ProcessInfo.processInfo.processName
    options.slowReaderAgeMilliseconds = milliseconds(configuration.slowReaderAge)
    options.slowReaderRetainedBytes = configuration.slowReaderRetainedBytes.map {
      UInt64(clamping: $0)
    }
    if let handler = configuration.slowReaderHandler {
      options.whenReaderIsSlow = { reader in handler(Realm.SlowReader(reader)) }
    }
    options.readerAgeMaxMilliseconds = milliseconds(configuration.maximumReaderAge)
    return options
  }

  private static func milliseconds(_ seconds: TimeInterval?) -> Int? {
    seconds.map { Int(max(0, min($0, 1e9)) * 1000) }
  }

  private static func prepareFile(
    _ configuration: Realm.Configuration, path: String
  ) throws(RLMError) {
    try configuration.createDefaultDirectory()
    try SeedFile.copy(for: configuration, to: path)
  }
}

extension Durability {
  /// What commits of realms with that configuration survive.
  init(_ configuration: Realm.Configuration) {
    if configuration.inMemoryIdentifier != nil {
      self = .inMemory
      return
    }
    switch configuration.durability {
    case .strict: self = .strict
    case .full: self = .full
    case .grouped: self = .grouped
    case .relaxed: self = .relaxed
    }
  }
}
