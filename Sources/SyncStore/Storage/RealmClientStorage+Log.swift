import ObjectStore
import Storage
import SyncProtocol

// Bringing the states of objects up to date with the log.
extension RealmClientStorage {
  /// Brings the states up to date with the oldest part of the log, in a transaction of its own.
  /// False if there is nothing left to do.
  public func digest() throws(StorageError) -> Bool {
    try begin(digesting: objectsDigestedAtOnce)
    let isDone = try isLogEmpty()
    do throws(SyncProtocol.SyncError) { try commit() } catch {
      throw StorageError(.inputOutput, path: "", error.message.string)
    }
    return !isDone
  }

  private func isLogEmpty() throws(StorageError) -> Bool {
    let file = try layout.tables.file
    let table = try writes.table(file.table)
    return LogEnd(try table.data(file.writes, at: table.position(at: 0))).isEmpty
  }

  /// Brings the states up to date with the log, as the file was before the transaction, and takes
  /// what they say out of it: all, or the oldest entries.
  ///
  /// - Parameter limit: of the objects that are changed, more or less.
  func digestLog(objectsAtMost limit: Int = .max) throws(StorageError) {
    let tables = try layout.tables
    let file = try writes.table(tables.file.table)
    let position = try file.position(at: 0)
    let end = LogEnd(try file.data(tables.file.writes, at: position))
    if end.isEmpty { return noteEmptyLog() }
    var writes = LoggedWrites(objectsAtMost: limit)
    var isDone = false
    while writes.hasRoom, let page = try firstPage(tables.log) {
      let rest = writes.take(page.entries)
      if rest.isEmpty {
        try self.writes.deleteObject(page.key, in: tables.log.table)
      } else {
        try self.writes.setBytes(
          WriteLog.page(rest), tables.log.page, of: page.key, in: tables.log.table)
      }
    }
    if try self.writes.table(tables.log.table).count == 0 {
      guard let entries = WriteLog.entries(end.bytes, header: WriteLog.endHeader) else {
        throw .unsoundSync(file.source.path, "its log")
      }
      let rest = writes.take(entries)
      isDone = rest.isEmpty
      let left = isDone ? [] : WriteLog.bytes(end.newest) + WriteLog.page(rest)
      try self.writes.setBytes(
        left, tables.file.writes, of: position.key, in: tables.file.table)
    }
    try note(writes)
    if isDone { noteEmptyLog() }
  }

  private func firstPage(
    _ log: SyncTables.Log
  ) throws(StorageError) -> (key: ObjectStore.ObjectKey, entries: [LogEntry])? {
    let table = try writes.table(log.table)
    if table.count == 0 { return nil }
    let position = try table.position(at: 0)
    let bytes = try table.data(log.page, at: position)
    guard let entries = WriteLog.entries(bytes, header: WriteLog.pageHeader) else {
      throw .unsoundSync(table.source.path, "its log")
    }
    return (position.key, entries)
  }

  /// The program has changed its data already, so nothing but the states is changed.
  private func note(_ logged: LoggedWrites) throws(StorageError) {
    let wasRecording = isRecording
    isRecording = true
    defer {
      isRecording = wasRecording
      plainExists = nil
    }
    var core = ClientCore(storage: self)
    for (table, objects) in logged.tables {
      guard let known = try layout.classes[table],
        let before = try writes.baseView.table(table)
      else { continue }
      for (row, writes) in objects.sorted(by: { $0.key < $1.key }) {
        let key = ObjectStore.ObjectKey(rawValue: row)
        plainExists = writes.created == nil
        if known.primaryKey == nil {
          try note(writes, ofEmbedded: key, known, &core)
        } else if let id = try id(of: key, known, in: before) {
          rows[id] = key
          core.note(
            id, createdAt: writes.created,
            writes: try properties(writes, of: key, known, before, id))
          try note(writes.collections, of: known, .root, id, &core)
          core.note(id, writtenSince: writes.since)
        }
      }
    }
    if let failure { throw failure }
  }

  private func note(
    _ logged: LoggedWrites.Object, ofEmbedded row: ObjectStore.ObjectKey, _ known: SyncedClass,
    _ core: inout ClientCore<RealmClientStorage>
  ) throws(StorageError) {
    guard let (id, container) = try owner(of: row, in: known.table, isBefore: true),
      core.exists(id)
    else { return }
    for (column, time) in logged.columns {
      guard let name = known.names[column] else { continue }
      core.note(from: time)
      core.set(.property(name), of: container, in: id, to: .null, now: time)
    }
    core.note(from: nil)
    try note(logged.collections, of: known, container, id, &core)
    core.note(id, writtenSince: logged.since)
  }

  /// What was done to collections of an object, or an embedded one, in its order.
  private func note(
    _ entries: [LogEntry], of known: SyncedClass, _ container: ContainerID, _ id: ObjectID,
    _ core: inout ClientCore<RealmClientStorage>
  ) throws(StorageError) {
    if entries.isEmpty || !core.exists(id) { return }
    defer { core.note(from: nil) }
    var rest = entries[...]
    while let entry = rest.first {
      let together = try note(insertionsAtStartOf: rest, of: known, container, id, &core)
      if together > 0 {
        rest = rest.dropFirst(together)
        continue
      }
      rest = rest.dropFirst()
      core.note(from: entry.time)
      switch entry.write {
      case .creation, .property: break
      case .list(let column, let operations):
        guard let name = known.names[column],
          let list = state(of: id)?.collection(name, of: container)
        else { continue }
        let isSound = try core.note(
          operations, list, leadingTo: nil, id, declared: (name, container), now: entry.time)
        if !isSound { throw .unsoundSync(writes.source.path, "its log of a list") }
      case .cell(let column, let value, let isThere):
        guard let name = known.names[column],
          let collection = state(of: id)?.collection(name, of: container)
        else { continue }
        guard let property = known.properties[name] else { continue }
        if property.collection == .map {
          guard case .string(let key) = value else { continue }
          core.set(
            .key(Text(key)), of: collection, in: id, to: isThere ? .null : .absent,
            now: entry.time)
        } else if let member = try cellBefore(value) {
          let member = member.memberName(in: property)
          core.set(
            .member(member), of: collection, in: id, to: isThere ? .bool(true) : .absent,
            now: entry.time)
        }
      }
    }
  }

  /// Elements that were inserted into one list, commit after commit, which is what there is most
  /// of: noted together, unless the program's list lacks elements that the state has.
  ///
  /// - Returns: how many entries that were.
  private func note(
    insertionsAtStartOf entries: ArraySlice<LogEntry>, of known: SyncedClass,
    _ container: ContainerID, _ id: ObjectID, _ core: inout ClientCore<RealmClientStorage>
  ) throws(StorageError) -> Int {
    guard case .list(let column, _)? = entries.first?.write, let name = known.names[column],
      try entry(id).places.dangling.isEmpty,
      let list = state(of: id)?.collection(name, of: container)
    else { return 0 }
    var insertions: [PastInsertion] = []
    let together = entries.prefix { $0.insertions(into: column, &insertions) }.count
    guard together > 0, core.note(insertions, into: list, of: id) else { return 0 }
    return together
  }

  /// A value of the log as a cell has it: links lead to what was there before the transaction.
  private func cellBefore(_ value: StoredValue) throws(StorageError) -> CellValue? {
    guard case .link(let table, let row) = value else { return CellValue(value) }
    guard let known = try layout.classes[table], let before = try writes.baseView.table(table)
    else { return nil }
    return try id(of: row, known, in: before).map { .link($0) }
  }

  /// The properties that were written: of a new object those that do not have their defaults.
  private func properties(
    _ writes: LoggedWrites.Object, of key: ObjectStore.ObjectKey, _ known: SyncedClass,
    _ before: Table, _ id: ObjectID
  ) throws(StorageError) -> [(name: NameID, time: UInt64)] {
    var properties: [(name: NameID, time: UInt64)] = []
    if let created = writes.created, let position = try before.find(key) {
      for (name, property) in known.properties where !property.isCollection {
        let value = try before.value(of: property, at: position)
        if value.isIdentical(to: property.defaultValue) { continue }
        if case .link(let target, _) = value, try layout.classes[target]?.primaryKey == nil {
          continue
        }
        properties.append((name, created))
      }
    }
    for (column, time) in writes.columns {
      guard let name = known.names[column] else { continue }
      properties.append((name, time))
      switch known.properties[name]?.kind {
      case .object, .any:
        // It may have been a link to what is not there, which does not stand for it any more.
        try entry(id)
        entries[id]?.places.dangling.forget(.root, .property(name))
      default: break
      }
    }
    return properties
  }
}

extension LogEntry {
  /// Adds what was inserted into a list of the column. False, with nothing added, if something else
  /// was done.
  fileprivate func insertions(
    into list: ColumnKey, _ insertions: inout [PastInsertion]
  ) -> Bool {
    guard case .list(list, let operations) = write, operations.count == 1,
      case .insert(let index, let count)? = operations.first
    else { return false }
    insertions.append(PastInsertion(index: index, count: count, time: time))
    return true
  }
}
