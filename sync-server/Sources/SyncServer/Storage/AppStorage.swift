import ObjectStore
import Storage
import SyncProtocol

/// The state of one app in a Holdfast file.
///
/// What has been committed is read from a pinned version, so that an open transaction and other
/// processes do no harm. Confined to the executor of its app.
final class AppStorage: ServerStorage {
  let database: Database
  private let schemas = SchemaCache()
  private(set) var snapshot: Snapshot
  private var stored: ServerHead
  private var schema: SchemaDescription
  private var hidden: HiddenTables
  /// Steps of what a client file holds that are in storage, for when to write it anew.
  private var heldSteps: [ClientID: HeldSteps] = [:]

  private struct HeldSteps {
    var rows = 0
    var bytes = 0
    var wholeBytes = 0
  }

  /// Opens an app's file, and makes it with a new history if there is none.
  init(path: String) throws(StorageError) {
    var options = DatabaseOptions()
    options.durability = .full
    options.label = "sync-server"
    database = try Database.open(path: path, options: options)
    snapshot = try database.pinNewest()
    var random = SystemRandomNumberGenerator()
    stored = ServerHead(epoch: random.next(upperBound: UInt64.max) + 1)
    schema = try schemas.schema(snapshot.root, in: snapshot.source).description
    if HiddenTables(schema) == nil {
      snapshot = try Self.create(stored, database, schemas)
      schema = try schemas.schema(snapshot.root, in: snapshot.source).description
    }
    guard let hidden = HiddenTables(schema) else {
      throw StorageError(.schemaMismatch, path: path, "the file is not one of the sync server")
    }
    self.hidden = hidden
    stored = try Self.readHead(hidden, snapshot)
  }

  private static func create(
    _ head: ServerHead, _ database: Database, _ schemas: SchemaCache
  ) throws(StorageError) -> Snapshot {
    let transaction = try ObjectTransaction(database.beginWrite(), schemas: schemas)
    defer { transaction.cancel() }
    try transaction.apply(SchemaDescription(classes: HiddenTables.classes))
    guard let hidden = HiddenTables(transaction.schema.description) else {
      preconditionFailure("classes that were just added are missing")
    }
    try hidden.putHead(head, in: transaction)
    return try transaction.commit()
  }

  private static func readHead(
    _ hidden: HiddenTables, _ snapshot: Snapshot
  ) throws(StorageError) -> ServerHead {
    guard let bytes = try hidden.headRow(snapshot) else {
      throw StorageError(.corrupt, path: snapshot.database.path, "the head of the app is missing")
    }
    do { return try ServerHead(row: bytes) } catch {
      throw StorageError(
        .corrupt, path: snapshot.database.path, "the head of the app cannot be read: \(error)")
    }
  }

  // MARK: Reading

  func head() throws(SyncError) -> ServerHead { stored }

  func object(_ id: ObjectID) throws(SyncError) -> ServerObject? {
    try reading { () throws(StorageError) in
      guard let bytes = try hidden.objectRow(id, snapshot) else { return nil }
      do { return try ServerObject(row: bytes, names: stored.names) } catch {
        throw StorageError(
          .corrupt, path: database.path, "the row of \(id) cannot be read: \(error)")
      }
    }
  }

  func objects(changedAfter version: Version) throws(SyncError) -> [ObjectID] {
    try reading { () throws(StorageError) in
      try hidden.objects(after: version, snapshot)
    }
  }

  func deadObjects(upTo version: Version) throws(SyncError) -> [ObjectID] {
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

  // MARK: Subscriptions

  func objects(selectedBy subscription: Subscription) throws(SyncError) -> [ObjectID] {
    guard let type = stored.names.find(subscription.type) else { return [] }
    return try reading { () throws(StorageError) in
      try hidden.livingObjects(of: type, snapshot)
    }
  }

  func selects(
    _ subscription: Subscription, _ id: ObjectID, _ object: ServerObject
  ) -> Bool {
    true
  }

  func problem(of subscription: Subscription) -> Text? {
    if stored.schema.classes[subscription.type] == nil { return "There is no such class." }
    return subscription.query.string.isEmpty ? nil : "There are no queries yet."
  }

  func allows(_ change: ObjectChange, by user: Text, to object: ServerObject?) -> Bool { true }

  // MARK: Writing

  func commit(_ changes: ServerChanges) throws(SyncError) {
    do throws(StorageError) {
      let transaction = try ObjectTransaction(database.beginWrite(), schemas: schemas)
      defer { transaction.cancel() }
      let steps = try write(changes, transaction)
      let next = try transaction.commit()
      snapshot.release()
      snapshot = next
      stored = changes.head
      heldSteps.merge(steps) { $1 }
    } catch {
      throw SyncError(error)
    }
  }

  private func write(
    _ changes: ServerChanges, _ transaction: ObjectTransaction
  ) throws(StorageError) -> [ClientID: HeldSteps] {
    let names = changes.head.names
    try hidden.putHead(changes.head, in: transaction)
    for (id, object) in changes.objects {
      if let object {
        try hidden.putObject(object, id, names: names, in: transaction)
      } else {
        try hidden.removeObject(id, in: transaction)
      }
    }
    var changed: [ClientID: HeldSteps] = [:]
    for (id, file) in changes.clientFiles {
      try hidden.putClient(id, file.row(names: names), in: transaction)
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

  private func reading<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(SyncError) -> Result {
    do throws(StorageError) { return try body() } catch { throw SyncError(error) }
  }
}

extension SyncError {
  /// What a client is told of a failure of the file: whether to come again later, no more.
  init(_ error: StorageError) {
    switch error.code {
    case .outOfDiskSpace, .tooManyVersions, .poisoned, .inputOutput:
      self.init(.unavailable, "The server cannot store anything now; come again later.")
    default: self.init(.storage, "The server cannot read its storage.")
    }
  }
}
