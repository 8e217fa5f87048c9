import ObjectStore
import Storage
import SyncProtocol

// What most commits take: an entry of the log.
extension ChangeRecorder {
  /// Notes changes in the log. False, with nothing noted, if they are not such that it can.
  func log(
    _ changes: ChangeSet, in transaction: ObjectTransaction
  ) throws(StorageError) -> Bool {
    guard !changes.schemaChanged, let rules = cache.logRules(transaction.schema) else {
      return false
    }
    let file = rules.tables.file
    let table = try transaction.table(file.table)
    guard table.count > 0 else { return false }
    let position = try table.position(at: 0)
    var end = LogEnd(try table.data(file.writes, at: position))
    var clock = HybridClock(latest: UInt64(bitPattern: try table.int(file.clock, at: position)))
    clock.receive(end.newest)
    let now = milliseconds()
    let version = try table.int(file.version, at: position)
    let ahead = try millisecondsAhead(version, rules.tables, transaction)
    let time = clock.nextCommit(milliseconds: now - min(now, ahead))
    let newest = end.isEmpty ? nil : end.newest
    guard let part = try rules.part(of: changes, in: transaction, at: time, after: newest) else {
      return false
    }
    if part.bytes.isEmpty { return true }
    if cache.wantsNewWriter(version: version),
      try !RealmClientStorage.renewWriter(isLogged: !end.isEmpty, transaction, file, cache)
    {
      return false
    }
    if end.hasRoom(for: part) {
      end.append(part)
    } else {
      try spill(&end, part, rules.tables.log, transaction)
    }
    try transaction.setBytes(end.bytes, file.writes, of: position.key, in: file.table)
    return true
  }

  private func millisecondsAhead(
    _ version: Int64, _ tables: SyncTables, _ transaction: ObjectTransaction
  ) throws(StorageError) -> UInt64 {
    if let known = cache.millisecondsAhead(version: version) { return known }
    let read = try RealmClientStorage.record(transaction.view, tables, cache)
    return read?.record.millisecondsAhead ?? 0
  }

  /// Moves the end of the log to its last page, or a new one, and so what is new if it is much.
  private func spill(
    _ end: inout LogEnd, _ part: LogPart, _ log: SyncTables.Log,
    _ transaction: ObjectTransaction
  ) throws(StorageError) {
    if end.hasEntries { try append(end.page, log, transaction) }
    end.clear(at: part.base)
    if end.hasRoom(for: part) { return end.append(part) }
    try append(WriteLog.bytes(part.base) + part.bytes, log, transaction)
    end.clear(at: part.last)
  }

  /// - Parameter new: entries, behind the time of the newest write before.
  private func append(
    _ new: [UInt8], _ log: SyncTables.Log, _ transaction: ObjectTransaction
  ) throws(StorageError) {
    let table = try transaction.table(log.table)
    if table.count > 0 {
      let last = try table.position(at: table.count - 1)
      let known = try table.data(log.page, at: last)
      if known.count + new.count <= WriteLog.pageBytesMax {
        return try transaction.setBytes(
          known + new[WriteLog.pageHeader...], log.page, of: last.key, in: log.table)
      }
    }
    let key = try transaction.createObject(in: log.table)
    try transaction.setBytes(new, log.page, of: key, in: log.table)
  }
}

extension ObjectTransaction {
  /// Data that is no part of a node.
  func setBytes(
    _ bytes: [UInt8], _ column: ColumnKey, of object: ObjectStore.ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let failure = unsafe bytes.withUnsafeBytes { bytes -> StorageError? in
      do throws(StorageError) {
        try unsafe setBytes(bytes, column, of: object, in: table)
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
  }
}
