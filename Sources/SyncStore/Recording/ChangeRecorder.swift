import ObjectStore
import Storage
import SyncProtocol

/// Notes in a transaction of the program which cells it has written: from the history that the
/// commit carries anyway, and where that does not tell enough, by comparing with the version
/// before.
///
/// The values stay where they are: what is noted is that they are dirty, and since when. Where
/// that is all that there is to say, it goes to a log, which the agent reads later (`WriteLog`).
public final class ChangeRecorder: CommitRecorder, Sendable {
  let cache: SyncCache
  let milliseconds: @Sendable () -> UInt64

  /// - Parameter milliseconds: of the machine's clock, since 1970.
  public init(cache: SyncCache, milliseconds: @escaping @Sendable () -> UInt64) {
    self.cache = cache
    self.milliseconds = milliseconds
  }

  /// Called once all changes were made, before they are committed.
  public func willCommit(_ transaction: ObjectTransaction) throws(StorageError) {
    let changes = transaction.changes()
    if try log(changes, in: transaction) { return transaction.keep(changes) }
    let schema = transaction.schema.description
    let concerned = changes.tables.filter { changed in
      guard let description = schema.description(of: changed.table) else { return false }
      return description.isSynced || description.isNestedCollection
    }
    if concerned.isEmpty { return }
    let storage = try RealmClientStorage(cache: cache, recordingIn: transaction)
    try storage.digestLog()
    var recording = Recording(storage, now: milliseconds())
    try recording.note(concerned)
    try storage.finish()
  }
}

/// What is noted of one transaction.
struct Recording {
  let storage: RealmClientStorage
  var core: ClientCore<RealmClientStorage>
  let now: UInt64
  /// Objects that the transaction has deleted, by their rows before.
  var deleted: Set<Row> = []

  struct Row: Hashable {
    var table: TableKey
    var row: ObjectStore.ObjectKey
  }

  init(_ storage: RealmClientStorage, now: UInt64) {
    self.storage = storage
    self.now = now
    core = ClientCore(storage: storage)
    core.beginCommit()
  }

  var writes: ObjectTransaction { storage.writes }

  mutating func note(_ tables: [TableChanges]) throws(StorageError) {
    let classes = try storage.layout.classes
    for changes in tables {
      guard let known = classes[changes.table], known.primaryKey != nil else { continue }
      try noteDeletions(changes.deletions, of: known)
    }
    for changes in tables {
      guard let known = classes[changes.table], known.primaryKey != nil else { continue }
      try noteInsertions(changes.insertions, of: known)
    }
    for changes in tables { try noteModifications(changes) }
  }

  // MARK: Objects

  private mutating func noteDeletions(
    _ keys: KeySet, of known: SyncedClass
  ) throws(StorageError) {
    if keys.isEmpty { return }
    guard let before = try writes.baseView.table(known.table) else { return }
    for key in keys {
      deleted.insert(Row(table: known.table, row: key))
      guard let id = try storage.id(of: key, known, in: before) else { continue }
      storage.plainExists = true
      if core.exists(id) { core.delete(id, now: now) }
      storage.plainExists = nil
    }
  }

  /// Notes all objects of the file as if they had just been made.
  mutating func noteEverything() throws(StorageError) {
    for known in try storage.layout.classes.all where known.primaryKey != nil {
      try noteInsertions(try writes.table(known.table).allKeys(), of: known)
    }
  }

  private mutating func noteInsertions(
    _ keys: some Sequence<ObjectStore.ObjectKey>, of known: SyncedClass
  ) throws(StorageError) {
    for key in keys {
      guard let id = try storage.id(of: key, known) else { continue }
      storage.plainExists = false
      if !core.exists(id) { core.create(id, now: now) }
      storage.plainExists = nil
      storage.rows[id] = key
      try noteContents(of: key, known, .root, id)
    }
  }

  /// Notes all that a new object has, or a new embedded one.
  private mutating func noteContents(
    of row: ObjectStore.ObjectKey, _ known: SyncedClass, _ container: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    for (name, property) in known.properties.sorted(by: { $0.key < $1.key }) {
      let table = try writes.table(known.table)
      guard let position = try table.find(row) else { return }
      if property.isCollection {
        let collection = ContainerID(declaredBy: name, in: container)
        try noteElements(of: property, row, known.table, collection, id)
      } else {
        let value = try table.value(of: property, at: position)
        if value.isIdentical(to: property.defaultValue) { continue }
        try noteValue(value, .property(name), of: container, id)
      }
    }
  }

  /// Notes all elements of a collection that is new.
  mutating func noteElements(
    of property: PropertyDescription, _ row: ObjectStore.ObjectKey, _ table: TableKey,
    _ collection: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    switch property.collection {
    case .none: break
    case .list:
      let values = try writes.list(property.columnKey, of: row, in: table).allValues()
      for (index, value) in values.enumerated() {
        try noteInsertion(of: value, at: index, collection, id)
      }
    case .set:
      for value in try writes.list(property.columnKey, of: row, in: table).allValues() {
        try noteMember(value, isThere: true, property, collection, id)
      }
    case .map:
      let map = try writes.map(property, of: row, in: table)
      let keys = try map.keys.allValues()
      let values = try map.values.allValues()
      for (key, value) in zip(keys, values) {
        guard case .string(let key) = key else { continue }
        try noteValue(value, .key(Text(key)), of: collection, id)
      }
    }
  }

  // MARK: Cells

  /// Notes a property, or a value of a map, with all that is in it if it is a container.
  mutating func noteValue(
    _ value: StoredValue, _ slot: Slot, of container: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    guard let cell = try storage.cell(value) else { return }
    if cell.container != nil, case .link(let table, let row) = value {
      storage.recordedRow = (table, row)
    }
    core.set(slot, of: container, in: id, to: cell, now: now)
    guard cell.container != nil, case .link(let table, let row) = value,
      let made = storage.state(of: id)?.container(at: slot, of: container)
    else { return }
    try noteMade(made, row, table, id)
  }

  /// Notes what is in a container that has a row of its own.
  mutating func noteMade(
    _ made: ContainerID, _ row: ObjectStore.ObjectKey, _ table: TableKey, _ id: ObjectID
  ) throws(StorageError) {
    if let known = try storage.layout.classes[table] {
      try noteContents(of: row, known, made, id)
    } else if let nested = writes.schema.description.description(of: table) {
      try noteElements(of: nested.properties[0], row, table, made, id)
    }
  }

  mutating func noteInsertion(
    of value: StoredValue, at index: Int, _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    let cell = try storage.cell(value) ?? .null
    if cell.container != nil, case .link(let table, let row) = value {
      storage.recordedRow = (table, row)
    }
    core.insert(cell, at: index, of: list, in: id, now: now)
    try noteItem(value, cell, at: index, list, id)
  }

  /// What is in an element that is a container.
  mutating func noteItem(
    _ value: StoredValue, _ cell: CellValue, at index: Int, _ list: ContainerID, _ id: ObjectID
  ) throws(StorageError) {
    guard cell.container != nil, case .link(let table, let row) = value,
      let state = storage.state(of: id),
      let made = state.container(at: .item(state.elements(of: list)[index]), of: list)
    else { return }
    try noteMade(made, row, table, id)
  }

  mutating func noteMember(
    _ value: StoredValue, isThere: Bool, _ property: PropertyDescription, _ set: ContainerID,
    _ id: ObjectID
  ) throws(StorageError) {
    guard let name = try storage.cell(value)?.memberName(in: property) else { return }
    core.set(.member(name), of: set, in: id, to: isThere ? .bool(true) : .absent, now: now)
  }
}
