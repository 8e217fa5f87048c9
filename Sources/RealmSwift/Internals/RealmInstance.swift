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
  let opened: Realm.OpenedConfiguration
  let scheduler: any Scheduler
  let isFrozen: Bool
  let readState: ReadStateReference
  let classes: [ClassInfo]

  /// The pinned version; nil after `invalidate()` until the next access.
  var snapshot: Snapshot?
  var writing: OpenWrite? {
    didSet {
      unsafe readState.pointee.objects = writing.map { unsafe Unmanaged.passUnretained($0.objects) }
      readState.pointee.writeStart = writing?.startGeneration ?? .max
      if writing == nil { openWriteHold?.end() }
    }
  }
  /// What keeps this while a write is open that was begun by `beginWrite()`.
  weak var openWriteHold: OpenWriteHold?
  var keptTurn = KeptTurn()
  /// How many versions this instance has made.
  var ownCommits: UInt64 = 0
  var autorefresh = true
  /// What links are added with while an object is being added.
  var updatePolicy = Realm.UpdatePolicy.error
  /// Whether embedded objects among the values that are given are copied: while `create` runs.
  var copiesValues = false
  var copiedLinks = CopiedLinks()
  /// Objects last seen at or before this generation are invalid.
  var invalidatedGeneration: UInt64 = 0
  var cancelled = CancelledWrites()
  /// Nil until an object is made.
  private(set) var deferredIfUsed: DeferredObjects?
  /// Nil until the first observer.
  private(set) var notificationsIfUsed: RealmNotifications?
  /// Nil until the first asynchronous write.
  private(set) var asyncWritesIfUsed: RealmAsyncWrites?
  weak var frozenCopy: _RealmInstance?
  var predicateTemplates = PredicateTemplates()
  let nestedPlaces = NestedPlaces()

  private var schemaInUse: SchemaInUse
  /// The binding that was asked for last; by itself, since each object that is added asks.
  private var lastBinding: TableBinding?
  let refreshTrigger: RefreshTrigger

  var asyncWrites: RealmAsyncWrites {
    if let asyncWritesIfUsed { return asyncWritesIfUsed }
    let made = RealmAsyncWrites(self)
    asyncWritesIfUsed = made
    return made
  }

  var deferred: DeferredObjects {
    if let deferredIfUsed { return deferredIfUsed }
    let made = DeferredObjects()
    deferredIfUsed = made
    return made
  }

  var notifications: RealmNotifications {
    if let notificationsIfUsed { return notificationsIfUsed }
    let made = RealmNotifications(self)
    notificationsIfUsed = made
    return made
  }

  var hasObservers: Bool { notificationsIfUsed?.driver.hasObservers == true }

  /// - Parameter uncommitted: The schema, where it is not that of the version.
  init(
    shared: SharedRealm, opened: Realm.OpenedConfiguration, scheduler: any Scheduler,
    classes: [ClassInfo], snapshot: Snapshot, schema uncommitted: StoredSchema? = nil
  ) throws(StorageError) {
    self.shared = shared
    self.opened = opened
    self.scheduler = scheduler
    refreshTrigger = RefreshTrigger(scheduler)
    executor = (scheduler as? ActorScheduler)?.executor
    self.classes = classes
    self.snapshot = snapshot
    isFrozen = scheduler.identity == .frozen
    if let uncommitted {
      schemaInUse = SchemaInUse(BoundClasses(uncommitted, classes))
    } else {
      let stored = try shared.schemas.schema(snapshot.root, in: snapshot.source)
      let wanted = opened.value.readOnly ? stored.adding(classes) : stored
      schemaInUse = SchemaInUse(shared.boundClasses.bound(wanted, classes))
    }
    readState = unsafe ReadStateReference(
      ReadState(thread: scheduler.thread, generation: 2, source: snapshot.source))
    unsafe readState.pointee.owner = Unmanaged.passUnretained(self)
    if isFrozen { loadAllTables() }
    refreshTrigger.owner.remember(self)
  }

  deinit {
    refreshTrigger.remove()
    writing?.cancel()
    keptTurn.cancel()
    if let writes = asyncWritesIfUsed?.removeAll(), !writes.isEmpty {
      OrphanedWrites(
        writes: writes, shared: shared, configuration: configuration, scheduler: scheduler
      ).resume()
    }
    schemaInUse.deallocate()
    readState.deallocate()
  }

  var configuration: Realm.Configuration { opened.value }

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

  var schema: StoredSchema { schemaInUse.schema }
  var bound: BoundClasses { schemaInUse.bound }
  var abandonedSchemaCount: Int { schemaInUse.abandoned.count }

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
  var version: Version { snapshot?.version ?? .zero }

  var source: NodeSource { readState.knownSource }

  /// The version, or the write transaction's state, as queries see it.
  var view: StoreView {
    ensureReading()
    if let writing {
      engine { () throws(StorageError) in try writing.objects.finishFilling() }
      return writing.objects.view
    }
    return StoreView(source: source, root: snapshot!.root, schema: schema.description)
  }

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
    if let table = schemaInUse.tables.table(binding.table, readState.pointee.generation) {
      return table
    }
    let table = engine { () throws(StorageError) in
      if let writing { return try writing.objects.table(binding.table) }
      // A realm that is only read may lack tables.
      return try StoreRoot.table(binding.table, root: snapshot!.root, in: source)
        ?? Table(emptyWith: binding.table, in: source)
    }
    schemaInUse.tables.remember(table, readState.pointee.generation)
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

  /// The schema of a version that the realm is about to move to.
  ///
  /// - Throws: `.schemaMismatch` if it has no place any more for what the program's classes have.
  func compatibleSchema(of newer: Snapshot) throws(StorageError) -> StoredSchema {
    let stored = try shared.schemas.schema(newer.root, in: newer.source)
    if stored === schema { return stored }
    let wanted = configuration.readOnly ? stored.adding(classes) : stored
    try SchemaCompatibility(schema: schema, classes: classes, path: shared.path)
      .check(wanted.description)
    return wanted
  }

  /// After an open transaction has given the file classes of its own.
  func adoptSchema(of writing: OpenWrite) {
    if writing.earlier == nil { writing.earlier = bound }
    takeOver(writing.objects.schema)
  }

  /// Forgets the classes of a transaction that is cancelled.
  func restoreSchema(from writing: OpenWrite) {
    guard let earlier = writing.earlier else { return }
    use(schemaInUse.restored(to: earlier))
    lastBinding = nil
  }

  /// After another program has added classes or properties.
  func takeOver(_ newer: StoredSchema) {
    use(schemaInUse.takingOver(newer))
    lastBinding = nil
  }

  /// Making the next one runs initialisers of the program's classes, so only what is in use now is
  /// given back.
  private func use(_ next: SchemaInUse) {
    let last = schemaInUse
    schemaInUse = next
    last.deallocate()
  }

  // MARK: Turns

  /// From any thread: lets the scheduler run a turn, unless one is already on its way.
  func scheduleTurn() { refreshTrigger.signal() }

  /// What happens at the start of a loop turn after a commit.
  func turn() { notifications.driver.turn() }
}
