import ObjectStore
import Platform
import Storage

/// The state behind `Realm`: one per configuration and scheduler, shared by all realms, objects and
/// collections there.
///
/// Invariants: everything but `shared`, `scheduler`, `isFrozen` and the refreshTrigger is touched
/// on the scheduler only; a frozen instance does not change after `init`. `readState.generation`
/// rises whenever what is read changes; nothing read before that may be used after it.
public final class _RealmInstance: @unchecked Sendable {
  // Sendable as explained above: confinement is checked at run time, which is what the library is
  // about.

  let shared: SharedRealm
  let configuration: Realm.Configuration
  let durability: Durability
  let scheduler: any Scheduler
  let isFrozen: Bool
  let readState: ReadStateReference
  let classes: [ClassInfo]

  /// The pinned version; nil after `invalidate()` until the next access.
  var snapshot: Snapshot?
  var writing: Writing? {
    didSet {
      unsafe readState.pointee.objects = writing.map { unsafe Unmanaged.passUnretained($0.objects) }
      readState.pointee.writeStart = writing?.startGeneration ?? .max
      if writing == nil { openWriteHold?.end() }
    }
  }
  /// What keeps this while a write is open that was begun by `beginWrite()`.
  weak var openWriteHold: OpenWriteHold?
  /// The turn to write, while observers are told something first; who writes meanwhile takes it.
  var reservedTransaction: WriteTransaction?
  /// How many versions this instance has made.
  var ownCommits: UInt64 = 0
  var schema: StoredSchema
  var autorefresh = true
  /// What links are added with while an object is being added.
  var updatePolicy = Realm.UpdatePolicy.error
  /// Whether embedded objects among the values that are given are copied: while `create` runs.
  var copiesValues = false
  /// Embedded objects that are being filled, and hold one the next.
  var fillingDepth = 0
  /// Embedded objects that are yet to be filled.
  var unfilled: [UnfilledObject] = []
  /// Dynamic embedded objects that are being filled, each because one before it holds it.
  var filledRows = CopiedLinks()
  var copiedLinks = CopiedLinks()
  /// Objects last seen at or before this generation are invalid.
  var invalidatedGeneration: UInt64 = 0
  var cancelled = CancelledWrites()
  /// Nil until the first observer.
  private(set) var notificationsIfUsed: RealmNotifications?
  /// Nil until the first asynchronous write.
  private(set) var asyncWritesIfUsed: RealmAsyncWrites?
  weak var frozenCopy: _RealmInstance?
  var predicateTemplates = PredicateTemplates()

  private(set) var bound: BoundClasses
  /// Those of cancelled writes, which accessors may still point into.
  private var abandonedBounds: [BoundClasses] = []
  /// The one that was asked for last.
  private var lastBinding: TableBinding?
  private var tables: CachedTables
  let refreshTrigger: RefreshTrigger

  var asyncWrites: RealmAsyncWrites {
    if let asyncWritesIfUsed { return asyncWritesIfUsed }
    let made = RealmAsyncWrites(self)
    asyncWritesIfUsed = made
    return made
  }

  var notifications: RealmNotifications {
    if let notificationsIfUsed { return notificationsIfUsed }
    let made = RealmNotifications(self)
    notificationsIfUsed = made
    return made
  }

  var hasObservers: Bool { notificationsIfUsed?.driver.hasObservers == true }

  /// A write transaction that is open.
  final class Writing {
    let objects: ObjectTransaction
    /// The generation at its start, and the first key that each table could hand out since.
    let startGeneration: UInt64
    var firstNewKeys: [TableKey: ObjectKey] {
      guard let first else { return [:] }
      return others.merging([first.table: first.key], uniquingKeysWith: min)
    }
    private var lastTable: TableKey?
    // Most transactions make objects of one class, and then the dictionary needs no memory.
    private var first: (table: TableKey, key: ObjectKey)?
    private var others: [TableKey: ObjectKey] = [:]
    /// For references that were made within it; nil if there are none.
    var outcome: WriteOutcome?
    /// The schema and the classes before the transaction gave the file classes of its own.
    fileprivate var earlier: (schema: StoredSchema, classes: BoundClasses)?
    /// Lists and dictionaries that are being written, each inside of the one before.
    var nestingDepth = 0
    /// Objects that are being added, and lead one to the next.
    var addingDepth = 0
    /// Objects that have their rows and are yet to be written.
    var unwritten: [UnwrittenObject] = []

    init(objects: ObjectTransaction, startGeneration: UInt64) {
      self.objects = objects
      self.startGeneration = startGeneration
    }

    func didCreate(_ key: ObjectKey, in table: TableKey) {
      if lastTable == table { return }
      lastTable = table
      guard let first else { return first = (table, key) }
      if first.table != table, others[table] == nil { others[table] = key }
    }

    /// Gives the transaction back, changes undone.
    func cancel() {
      outcome?.cancel(firstNewKeys: firstNewKeys)
      objects.cancel()
    }
  }

  /// - Parameter uncommitted: The schema, where it is not that of the version.
  init(
    shared: SharedRealm, configuration: Realm.Configuration, scheduler: any Scheduler,
    classes: [ClassInfo], snapshot: Snapshot, schema uncommitted: StoredSchema? = nil
  ) throws(StorageError) {
    self.shared = shared
    self.configuration = configuration
    durability = Durability(configuration)
    self.scheduler = scheduler
    refreshTrigger = RefreshTrigger(scheduler)
    executor = (scheduler as? ActorScheduler)?.executor
    self.classes = classes
    self.snapshot = snapshot
    isFrozen = scheduler.identity == .frozen
    if let uncommitted {
      schema = uncommitted
      bound = BoundClasses(schema, classes)
    } else {
      let stored = try shared.schemas.schema(snapshot.root, in: snapshot.source)
      schema = configuration.readOnly ? stored.adding(classes) : stored
      bound = shared.boundClasses.bound(schema, classes)
    }
    tables = CachedTables(count: schema.description.classes.count)
    readState = unsafe ReadStateReference(
      ReadState(thread: scheduler.thread, generation: 2, source: snapshot.source))
    unsafe readState.pointee.owner = Unmanaged.passUnretained(self)
    if isFrozen { loadAllTables() }
    refreshTrigger.owner.remember(self)
  }

  deinit {
    refreshTrigger.remove()
    writing?.cancel()
    reservedTransaction?.cancel()
    if let writes = asyncWritesIfUsed?.removeAll(), !writes.isEmpty {
      OrphanedWrites(
        writes: writes, shared: shared, configuration: configuration, scheduler: scheduler
      ).resume()
    }
    tables.deallocate()
    readState.deallocate()
  }

  // MARK: Confinement

  private let bornIn = ForkGuard.generation
  /// An actor's, which can be asked without going through the scheduler.
  private let executor: ExecutorWords?

  /// Stops the program when the caller is not where the realm belongs.
  @inline(__always)
  func checkThread() {
    let thread = readState.pointee.thread
    if thread == currentThread() || thread == ReadState.anyThread { return }
    checkScheduler()
  }

  @inline(never)
  private func checkScheduler() {
    if bornIn != ForkGuard.generation {
      throwRealmException(
        "A realm opened before fork() was used in the child; open it again there, after the fork.")
    }
    if let executor, executor.isCurrent { return }
    if !scheduler.isCurrent { throwRealmException(MisuseReason.incorrectThread) }
  }

  /// Whether this reads the same as the other one: for frozen instances the version decides.
  func isSame(as other: _RealmInstance) -> Bool {
    if self === other { return true }
    return isFrozen && other.isFrozen && shared === other.shared && version == other.version
  }

  // MARK: Schema

  /// The class's binding, nil if the realm does not know the class.
  func binding(for type: ObjectBase.Type) -> TableBinding? {
    if let lastBinding, lastBinding.info.type == type { return lastBinding }
    let found = bound.binding(for: type)
    // What is frozen may be read by several threads at once.
    if !isFrozen, found != nil { lastBinding = found }
    return found
  }

  func requiredBinding(for type: ObjectBase.Type) -> TableBinding {
    guard let binding = binding(for: type) else {
      let name = type.className()
      throwRealmException(
        """
        Object type '\(name)' is not managed by the Realm. If using a custom `objectTypes` array \
        in your configuration, add `\(name)` to the list of `objectTypes`.
        """)
    }
    return binding
  }

  /// The table's binding; a dynamic one if the program does not have the class.
  @inline(__always)
  func binding(for table: TableKey) -> TableBinding {
    bound.binding(for: table) ?? dynamicBinding(for: table)
  }

  /// Whether there is such a table in what is read.
  func hasTable(_ table: TableKey) -> Bool { schema.description.description(of: table) != nil }

  // MARK: Reading

  /// The version that is read.
  var version: UInt64 { snapshot?.version ?? 0 }

  var source: NodeSource { readState.knownSource }

  /// Pins the newest version again after `invalidate()`, and instead of one that has been ended
  /// because it is too old.
  func ensureReading() {
    if writing != nil { return }
    if let snapshot, snapshot.isExpired, !isFrozen { invalidate() }
    if snapshot == nil {
      engine { () throws(StorageError) in try move(to: try shared.database.pinNewest()) }
      if hasObservers { scheduleTurn() }
    }
  }

  /// The table as it is now. Valid until the generation changes.
  func table(of binding: TableBinding) -> Table {
    if !isFrozen { ensureReading() }
    if let table = tables.table(binding.table, readState.pointee.generation) { return table }
    let table = engine { () throws(StorageError) in
      if let writing { return try writing.objects.table(binding.table) }
      // A realm that is only read may lack tables.
      return try StoreRoot.table(binding.table, root: snapshot!.root, in: source)
        ?? Table(emptyWith: binding.table, in: source)
    }
    tables.remember(table, readState.pointee.generation)
    return table
  }

  /// So that several threads may read: nothing is looked up later.
  private func loadAllTables() {
    for case let binding? in bound.byTable { _ = table(of: binding) }
  }

  /// Moves to another version.
  func move(to newer: Snapshot) throws(StorageError) {
    let newSchema = try compatibleSchema(of: newer)
    snapshot = newer
    readState.pointee.source = newer.source
    readState.pointee.generation += 1
    if newSchema !== schema { takeOver(newSchema) }
  }

  /// After an open transaction has given the file classes of its own.
  func adoptSchema(of writing: Writing) {
    if writing.earlier == nil { writing.earlier = (schema, bound) }
    takeOver(writing.objects.schema)
  }

  /// Forgets the classes of a transaction that is cancelled.
  func restoreSchema(from writing: Writing) {
    guard let earlier = writing.earlier else { return }
    abandonedBounds.append(bound)
    (schema, bound) = earlier
    lastBinding = nil
    tables.deallocate()
    tables = CachedTables(count: schema.description.classes.count)
  }

  /// After another program has added classes or properties.
  func takeOver(_ newer: StoredSchema) {
    schema = newer
    bound = BoundClasses(newer, classes, earlier: bound)
    lastBinding = nil
    tables.deallocate()
    tables = CachedTables(count: schema.description.classes.count)
  }

  // MARK: Turns

  /// From any thread: lets the scheduler run a turn, unless one is already on its way.
  func scheduleTurn() { refreshTrigger.signal() }

  /// What happens at the start of a loop turn after a commit.
  func turn() { notifications.driver.turn() }
}
