import ObjectStore
import Storage
import SyncProtocol

/// The state of one app in a Holdfast file: objects with their stamps and client files in tables of
/// the server's own, and the objects' values in tables of the app's classes.
///
/// What has been committed is read from a pinned version, so that an open transaction and other
/// processes do no harm. Confined to the executor of its app.
final class AppStorage: ServerStorage {
  let database: Database
  private let schemas = SchemaCache()
  private(set) var snapshot: Snapshot
  private(set) var stored: ServerHead
  private(set) var hidden: HiddenTables
  private(set) var schema: SchemaDescription
  private(set) var real: RealSchema
  private var queries = QueryCache()
  private var interests = InterestIndex()
  /// Connected clients whom something may concern that was committed since they were last taken.
  private var concerned: Set<ClientID> = []
  /// Clients whose queries have to be evaluated anew.
  private var unsettled: Set<ClientID> = []
  private var recent = RecentChanges()
  /// Steps of what a client file holds that are in storage, for when to write it anew.
  private var heldSteps: [ClientID: HeldSteps] = [:]

  /// How many rows the queries of one request, and those of a commit, may look at, about.
  private let queryRows: Int
  private var allowance: QueryAllowance
  /// What failed since this was last taken.
  private var failure: StorageError?

  private struct HeldSteps {
    var rows = 0
    var bytes = 0
    var wholeBytes = 0
  }

  /// Opens an app's file, and makes it with a new history if there is none. A backup begins a new
  /// history, too.
  ///
  /// - Parameters:
  ///   - isReadOnly: nothing is made or begun.
  ///   - queryRows: how many rows the queries of one request may look at.
  init(
    path: String, isReadOnly: Bool = false, queryRows: Int = .max >> 2
  ) throws(StorageError) {
    self.queryRows = queryRows
    allowance = QueryAllowance(rows: queryRows)
    var options = DatabaseOptions()
    options.durability = .full
    options.readOnly = isReadOnly
    options.label = "sync-server"
    database = try Database.open(path: path, options: options)
    var newest = try database.pinNewest()
    var found = try schemas.schema(newest.root, in: newest.source).description
    if HiddenTables(found) == nil, !isReadOnly {
      newest = try Self.create(ServerHead(epoch: Self.newEpoch()), database, schemas)
      found = try schemas.schema(newest.root, in: newest.source).description
    }
    guard let tables = HiddenTables(found) else {
      throw StorageError(.schemaMismatch, path: path, "the file is not one of the sync server")
    }
    snapshot = newest
    hidden = tables
    schema = found
    stored = try Self.readHead(tables, newest)
    real = RealSchema(found, stored.schema, stored.names)
    recent = RecentChanges(after: stored.version)
    if !isReadOnly, try tables.isBackup(newest) { try beginHistory() }
  }

  private func beginHistory() throws(StorageError) {
    let transaction = try ObjectTransaction(database.beginWrite(), schemas: schemas)
    defer { transaction.cancel() }
    var head = stored
    head.epoch = Self.newEpoch()
    try hidden.putHead(head, isSchemaNew: false, in: transaction)
    try hidden.setBackup(false, in: transaction)
    let next = try transaction.commit()
    snapshot.release()
    snapshot = next
    stored = head
  }

  /// Marks a copy of an app's file, so that the server that opens it begins a new history.
  static func markAsBackup(path: String) throws(StorageError) {
    let storage = try AppStorage(path: path)
    let transaction = try ObjectTransaction(storage.database.beginWrite(), schemas: storage.schemas)
    defer { transaction.cancel() }
    try storage.hidden.setBackup(true, in: transaction)
    try transaction.commit().release()
  }

  /// Names a new history.
  static func newEpoch() -> UInt64 { UInt64.random(in: 1...UInt64.max) }

  private static func create(
    _ head: ServerHead, _ database: Database, _ schemas: SchemaCache
  ) throws(StorageError) -> Snapshot {
    let transaction = try ObjectTransaction(database.beginWrite(), schemas: schemas)
    defer { transaction.cancel() }
    try transaction.apply(SchemaDescription(classes: HiddenTables.classes))
    guard let hidden = HiddenTables(transaction.schema.description) else {
      preconditionFailure("classes that were just added are missing")
    }
    try hidden.putHead(head, isSchemaNew: true, in: transaction)
    return try transaction.commit()
  }

  private static func readHead(
    _ hidden: HiddenTables, _ snapshot: Snapshot
  ) throws(StorageError) -> ServerHead {
    guard let rows = try hidden.headRows(snapshot) else {
      throw StorageError(.corrupt, path: snapshot.database.path, "the head of the app is missing")
    }
    do { return try ServerHead(row: rows.head + rows.schema) } catch {
      throw StorageError(
        .corrupt, path: snapshot.database.path, "the head of the app cannot be read: \(error)")
    }
  }

  /// What was committed, for queries.
  private var view: StoreView {
    StoreView(source: snapshot.source, root: snapshot.root, schema: schema)
  }

  // MARK: Reading

  func head() throws(SyncError) -> ServerHead { stored }

  func object(_ id: ObjectID) throws(SyncError) -> ServerObject? {
    try reading { () throws(StorageError) in try storedObject(id) }
  }

  private func storedObject(_ id: ObjectID) throws(StorageError) -> ServerObject? {
    guard let bytes = try hidden.objectRow(id, snapshot) else { return nil }
    do { return try ServerObject(row: bytes, names: stored.names) } catch {
      throw StorageError(.corrupt, path: database.path, "the row of \(id) cannot be read: \(error)")
    }
  }

  func objects(changedAfter version: ServerVersion) throws(SyncError) -> [ObjectID] {
    if let known = recent.objects(after: version) { return known }
    return try reading { () throws(StorageError) in try hidden.objects(after: version, snapshot) }
  }

  func objects(
    changedAfter version: ServerVersion, concerning client: ClientFile
  ) throws(SyncError) -> [ObjectID] {
    if let known = recent.objects(after: version, concerning: client.id) { return known }
    return try objects(changedAfter: version)
  }

  func deadObjects(upTo version: ServerVersion) throws(SyncError) -> [ObjectID] {
    try reading { () throws(StorageError) in
      try hidden.deadObjects(upTo: version, snapshot)
    }
  }

  func objectsWithMarks() throws(SyncError) -> [ObjectID] {
    try reading { () throws(StorageError) in try hidden.objectsWithMarks(snapshot) }
  }

  func clientFiles() throws(SyncError) -> [ClientFile] {
    try reading { () throws(StorageError) in
      var files: [ClientFile] = []
      for (row, held) in try hidden.clientRows(snapshot) {
        do {
          files.append(try ClientFile(row: row, held: held, names: stored.names))
        } catch {
          throw StorageError(
            .corrupt, path: database.path, "the row of a client file cannot be read: \(error)")
        }
      }
      return files
    }
  }

  private func reading<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(SyncError) -> Result {
    do throws(StorageError) { return try body() } catch {
      failure = error
      throw SyncError(error)
    }
  }

  /// What failed since this was last asked for.
  func takeFailure() -> StorageError? {
    defer { failure = nil }
    return failure
  }

  // MARK: Subscriptions

  private func prepare(_ subscription: Subscription) -> Result<PreparedQuery, QueryError> {
    queries.prepare(subscription, schema, stored.names) { [real, stored, view] name, key in
      guard let type = stored.names.find(Text(name)), let known = real[type],
        let property = known.key,
        let row = try? view.table(known.table)?.find(primaryKey: key, property)
      else { return nil }
      return .link(known.table, row)
    }
  }

  /// What is asked for next may look at so many rows anew.
  func renewAllowance() { allowance = QueryAllowance(rows: queryRows) }

  /// - Throws: `.beyondLimit` if the query looks at too many rows.
  private func evaluating<Result>(
    _ subscription: Subscription, _ body: () throws(StorageError) -> Result
  ) throws(SyncError) -> Result {
    do throws(StorageError) { return try body() } catch {
      if error.code == .beyondLimit {
        throw SyncError(.beyondLimit, subscription.tooCostly)
      }
      failure = error
      throw SyncError(error)
    }
  }

  func objects(selectedBy subscription: Subscription) throws(SyncError) -> [ObjectID] {
    guard let prepared = try? prepare(subscription).get(), let type = real[prepared.type],
      let key = type.key
    else { return [] }
    return try evaluating(subscription) { () throws(StorageError) in
      guard let table = try view.table(type.table) else { return [] }
      allowance.add(objects: table.count)
      var found: [ObjectID] = []
      for row in try prepared.query.evaluate(view, rows: &allowance.rows) {
        guard let position = try table.find(row),
          let id = ObjectID(
            type: prepared.type, stored: try table.value(of: key, at: position), key)
        else { continue }
        found.append(id)
      }
      return found
    }
  }

  func selects(
    _ subscription: Subscription, _ id: ObjectID, _ object: ServerObject
  ) throws(SyncError) -> Bool {
    guard let prepared = try? prepare(subscription).get(), prepared.type == id.type else {
      return false
    }
    if prepared.selectsAll { return true }
    if let term = prepared.term, let property = prepared.termProperty {
      let value = self.value(of: property, id, object)
      guard term.values.contains(where: { $0.isIdentical(to: value) }) else { return false }
      if prepared.isTerm { return true }
    }
    return try evaluating(subscription) { () throws(StorageError) in
      guard let found = try row(of: id, view) else { return false }
      return try prepared.query.matches(found.row, view, rows: &allowance.rows)
    }
  }

  private func value(
    of property: PropertyDescription, _ id: ObjectID, _ object: ServerObject
  ) -> StoredValue {
    if property.isPrimaryKey { return id.key.stored(for: property, in: id) ?? .null }
    guard let name = stored.names.find(Text(property.name)) else { return property.defaultValue }
    return object.property(name)?.stored(for: property) ?? property.defaultValue
  }

  /// Queries that look against the direction of links are evaluated anew instead.
  func objects(
    dependingOn changed: [ObjectID], under subscriptions: [Subscription]
  ) throws(SyncError) -> [ObjectID] {
    var distance = 0
    var types: Set<NameID> = []
    for subscription in subscriptions {
      guard let prepared = try? prepare(subscription).get(), prepared.reach.distance > 0 else {
        continue
      }
      distance = max(distance, prepared.reach.distance)
      types.insert(prepared.type)
    }
    if distance == 0 || changed.isEmpty { return [] }
    let dependents = Dependents(schema: real, hidden: hidden, snapshot: snapshot, view: view)
    return try reading { () throws(StorageError) in
      Array(try dependents.find(changed, distance: distance, types: types))
    }
  }

  func problem(of subscription: Subscription) -> Text? {
    switch prepare(subscription) {
    case .success(let prepared):
      // What may look at far more rows than there are objects is tried.
      guard prepared.isCostly else { return nil }
      do { _ = try objects(selectedBy: subscription) } catch {
        // If something cannot be read that is no fault of the query.
        return error.code == .beyondLimit ? error.message : nil
      }
      return nil
    case .failure(let error): return Text(String(error.reason.prefix(500)))
    }
  }

  /// Whether the key is of the kind that the class has: else there is no place for the object.
  func allows(_ change: ObjectChange, by user: Text, to object: ServerObject?) -> Bool {
    guard let type = real[change.id.type], let key = type.key else { return true }
    return change.id.key.stored(for: key, in: change.id) != nil
  }

  func isSimplest(_ member: CellValue, inSetOf property: PropertyType) -> Bool {
    member.isSimplest(inSetOf: property)
  }

  /// Where an object's row is.
  func row(of id: ObjectID) throws(StorageError) -> RowKey? { try row(of: id, view)?.row }

  private func row(
    of id: ObjectID, _ view: StoreView
  ) throws(StorageError) -> (type: RealSchema.RealClass, row: RowKey)? {
    guard let type = real[id.type], let property = type.key,
      let key = id.key.stored(for: property, in: id), let table = try view.table(type.table),
      let row = try table.find(primaryKey: key, property)
    else { return nil }
    return (type, row)
  }

  // MARK: Who is concerned

  /// A client is connected, and wants to see this; or is gone.
  func follow(_ client: ClientID, _ subscriptions: [Subscription]?) {
    guard let subscriptions else {
      recent.follow(client, after: nil)
      return interests.remove(client)
    }
    let prepared = subscriptions.compactMap { subscription in
      (try? prepare(subscription).get()).map { (text: subscription.query, query: $0) }
    }
    interests.set(client, prepared)
    let isSelective = prepared.count == subscriptions.count && interests.isSelective(client)
    recent.follow(client, after: isSelective ? stored.version : nil)
  }

  /// Whether what a connected client sees cannot be found from what has changed.
  func looksBack(_ client: ClientID) -> Bool { interests.lookingBack.contains(client) }

  /// The clients whom commits may concern, and those whose queries have to be evaluated anew.
  func takeConcerned() -> (concerned: Set<ClientID>, unsettled: Set<ClientID>) {
    defer {
      concerned = []
      unsettled = []
    }
    return (concerned, unsettled)
  }

  /// Notes whom objects concern as they are in a version, and adds for each object who that is,
  /// but for clients that see all objects of its class.
  private func noteConcerned(
    _ changes: ServerChanges, _ view: StoreView, _ found: inout [ObjectID: Set<ClientID>]
  ) throws(StorageError) {
    var rows = queryRows
    var types: Set<NameID> = []
    for id in changes.objects.keys {
      guard let (type, row) = try row(of: id, view) else { continue }
      types.insert(id.type)
      let clients = try interests.find(type, id.type, row, view, rows: &rows)
      if clients.isEmpty { continue }
      concerned.formUnion(clients)
      found[id, default: []].formUnion(clients)
    }
    for type in types { concerned.formUnion(interests.all(of: type)) }
  }

  // MARK: Writing

  func commit(_ changes: ServerChanges) throws(SyncError) {
    do throws(StorageError) {
      var found = changes.writers
      // What an object was decides who loses sight of it.
      try noteConcerned(changes, view, &found)
      let transaction = try beginWrite()
      defer { transaction.cancel() }
      let isSchemaNew = changes.head.schema != stored.schema
      if isSchemaNew {
        try transaction.apply(RealSchema.wanted(changes.head.schema), areSynced: true)
      }
      let schema = RealSchema(
        transaction.schema.description, changes.head.schema, changes.head.names)
      let steps = try write(changes, transaction)
      try project(changes, transaction, schema)
      // Collections that are values have classes of their own, which come with the first of them.
      let description = transaction.schema.description
      let next = try transaction.commit()
      snapshot.release()
      snapshot = next
      stored = changes.head
      real = schema
      if self.schema != description { queries.removeAll() }
      self.schema = description
      heldSteps.merge(steps) { $1 }
      if !changes.objects.isEmpty {
        concerned.formUnion(interests.following)
        unsettled.formUnion(interests.lookingBack)
      }
      do throws(StorageError) { try noteConcerned(changes, view, &found) } catch {
        // The commit stands: whoever comes next looks into the file.
        recent = RecentChanges(after: stored.version)
        throw error
      }
      recent.add(
        changes.objects.compactMap { id, object in object.map { (id, $0.version) } },
        concerning: found)
    } catch {
      failure = error
      throw SyncError(error)
    }
  }

  /// Begins to write upon what this server has written last. Another program may have written the
  /// file since, as compaction does, but not another server, whose changes this one does not know.
  ///
  /// - Throws: `.inUse` if there is another server, which has `server.lock` no longer in its way.
  private func beginWrite() throws(StorageError) -> ObjectTransaction {
    let transaction = try ObjectTransaction(database.beginWrite(), schemas: schemas)
    if transaction.baseVersion == snapshot.version { return transaction }
    do throws(StorageError) {
      // Nobody else writes now: it is what the transaction begins with.
      let base = try database.pinNewest()
      defer { base.release() }
      if try Self.readHead(hidden, base) == stored { return transaction }
      throw StorageError(
        .inUse, path: database.path,
        "another sync-server has written to the app's file: stop one of the two. This one stores"
          + " nothing more until it is started again.")
    } catch {
      transaction.cancel()
      throw error
    }
  }

  private func project(
    _ changes: ServerChanges, _ transaction: ObjectTransaction, _ schema: RealSchema
  ) throws(StorageError) {
    var projection = Projection(schema: schema, hidden: hidden, transaction: transaction) {
      [self] (id) throws(StorageError) in
      if let changed = changes.objects[id] { return changed }
      return try storedObject(id)
    }
    var list: [Projection.Change] = []
    list.reserveCapacity(changes.objects.count)
    for (id, object) in changes.objects {
      list.append(
        Projection.Change(id: id, object: object, known: try hidden.version(of: id, snapshot)))
    }
    try projection.write(list)
  }

  private func write(
    _ changes: ServerChanges, _ transaction: ObjectTransaction
  ) throws(StorageError) -> [ClientID: HeldSteps] {
    let names = changes.head.names
    let isSchemaNew =
      changes.head.schema != stored.schema || names.texts.count != stored.names.texts.count
    try hidden.putHead(changes.head, isSchemaNew: isSchemaNew, in: transaction)
    for (id, object) in changes.objects {
      if let object {
        try hidden.putObject(object, id, names: names, in: transaction)
      } else {
        try hidden.removeObject(id, in: transaction)
      }
    }
    var changed: [ClientID: HeldSteps] = [:]
    for (id, file) in changes.clientFiles {
      guard let file else {
        try hidden.removeClient(id, in: transaction)
        changed[id] = HeldSteps()
        continue
      }
      try hidden.putClient(id, file.row(names: names, isWhole: false), in: transaction)
      let known = heldSteps[id] ?? HeldSteps()
      let isDue = known.rows > 16 && known.bytes > known.wholeBytes
      guard let step = file.heldStep(names: names, isWhole: isDue) else { continue }
      try hidden.putHeld(id, step, in: transaction)
      let size = step.bytes.count
      changed[id] =
        step.isWhole
        ? HeldSteps(wholeBytes: size)
        : HeldSteps(
          rows: known.rows + 1, bytes: known.bytes + size, wholeBytes: known.wholeBytes)
    }
    return changed
  }
}

extension SyncError {
  /// What a client is told of a failure of the file: whether to come again later, no more.
  init(_ error: StorageError) {
    switch error.code {
    case .outOfDiskSpace, .tooManyVersions, .poisoned, .inputOutput, .inUse:
      self.init(.unavailable, "The server cannot store anything now; come again later.")
    default: self.init(.storage, "The server cannot read its storage.")
    }
  }
}
