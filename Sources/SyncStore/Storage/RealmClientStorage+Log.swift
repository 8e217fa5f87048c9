import ObjectStore
import Storage
import SyncProtocol

// Bringing the states of objects up to date with the log.
extension RealmClientStorage {
  /// Objects of which one transaction of `digest` changes the states at the most, so that others
  /// that want to write do not wait long for it.
  private static var objectsOfOneTransaction: Int { 500 }

  /// Brings the states up to date with the oldest part of the log, in a transaction of its own.
  /// False if there is nothing left to do.
  public func digest() throws(StorageError) -> Bool {
    try begin(digesting: Self.objectsOfOneTransaction)
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
    if end.isEmpty { return }
    var writes = LoggedWrites(objectsAtMost: limit)
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
      let left = rest.isEmpty ? [] : WriteLog.bytes(end.newest) + WriteLog.page(rest)
      try self.writes.setBytes(
        left, tables.file.writes, of: position.key, in: tables.file.table)
    }
    try note(writes)
  }

  private func firstPage(
    _ log: SyncTables.Log
  ) throws(StorageError) -> (key: ObjectStore.ObjectKey, entries: [WriteLog.Entry])? {
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
      guard let known = try layout.classes[table], known.primaryKey != nil,
        let before = try writes.baseView.table(table)
      else { continue }
      for (row, writes) in objects.sorted(by: { $0.key < $1.key }) {
        let key = ObjectStore.ObjectKey(rawValue: row)
        guard let id = try id(of: key, known, in: before) else { continue }
        rows[id] = key
        plainExists = writes.created == nil
        core.note(
          id, createdAt: writes.created,
          writes: try properties(writes, of: key, known, before, id))
      }
    }
    if let failure { throw failure }
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
      if entries[id]?.places.dangling.isEmpty == false || known.properties[name]?.kind == .object {
        try entry(id)
        entries[id]?.places.forget(.root, .property(name))
      }
    }
    return properties
  }
}

/// What the log says, by object: the newest write of each property.
struct LoggedWrites {
  struct Object {
    var created: UInt64?
    var columns: [(ColumnKey, UInt64)] = []

    mutating func write(_ column: ColumnKey, at time: UInt64) {
      if let known = columns.firstIndex(where: { $0.0 == column }) {
        columns[known].1 = time
      } else {
        columns.append((column, time))
      }
    }
  }

  private(set) var tables: [TableKey: [Int64: Object]] = [:]
  private var room: Int

  init(objectsAtMost limit: Int) { room = limit }

  var hasRoom: Bool { room > 0 }

  /// Takes as many as there is room for; gives back the others.
  mutating func take(_ entries: [WriteLog.Entry]) -> [WriteLog.Entry] {
    for (index, entry) in entries.enumerated() {
      var objects = entry.objects
      while let row = objects.first {
        if room <= 0 {
          var rest = Array(entries[index...])
          rest[0].objects = objects
          return rest
        }
        take(row, entry)
        objects = objects.dropFirst()
      }
    }
    return []
  }

  private mutating func take(_ row: Int64, _ entry: WriteLog.Entry) {
    if tables[entry.table]?[row] == nil { room -= 1 }
    if let column = entry.column {
      tables[entry.table, default: [:]][row, default: Object()].write(column, at: entry.time)
    } else {
      tables[entry.table, default: [:]][row, default: Object()].created = entry.time
    }
  }
}
