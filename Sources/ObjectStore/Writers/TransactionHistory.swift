import Storage

/// What a transaction has done, for the history of its commit: put together from what each open
/// table has noted.
struct TransactionHistory {
  private let tables: OpenTables
  var schemaChanged = false
  /// What a recorder has asked for, if nothing but hidden tables has been changed since.
  var recorded: ChangeSet?

  init(tables: OpenTables) { self.tables = tables }

  /// What was done so far.
  func changes() -> ChangeSet {
    var changes = ChangeSet()
    changes.schemaChanged = schemaChanged
    for index in 0..<tables.count {
      guard let state = tables.stateIfOpen(index) else { continue }
      if let recorded, !tables.schema.layouts[index].isHidden {
        if let known = recorded.changes(in: state.pointee.key) { changes.tables.append(known) }
        continue
      }
      let table = state.pointee.history.changes(
        table: state.pointee.key, nextKey: state.pointee.nextKey)
      if !table.isEmpty { changes.tables.append(table) }
    }
    return changes
  }

  /// The objects of a table that this transaction has changed, and not made.
  func changedObjects(of table: TableKey) -> [ObjectKey] {
    let index = Int(table.rawValue)
    guard index < tables.count, let state = tables.stateIfOpen(index) else { return [] }
    let changes = state.pointee.history.changes(
      table: state.pointee.key, nextKey: state.pointee.nextKey)
    return changes.modifiedObjects.map { ObjectKey(rawValue: $0.rawValue) }
  }

  /// The same as `changes` in bytes.
  func encoded() -> [UInt8] { simplyEncoded() ?? changes().encoded() }

  /// The bytes where little happened: what most commits do takes no change set to write down. Nil
  /// where it does.
  private func simplyEncoded() -> [UInt8]? {
    if schemaChanged { return nil }
    var count = 0
    for index in 0..<tables.count {
      guard let state = tables.stateIfOpen(index) else { continue }
      if !state.pointee.history.isSimple { return nil }
      if !state.pointee.history.isEmpty(nextKey: state.pointee.nextKey) { count += 1 }
    }
    if count == 0 { return [] }
    var encoder = ByteEncoder(reserving: 2 + count * TableHistory.simpleSizeMax)
    encoder.append(0)
    encoder.append(count)
    for index in 0..<tables.count {
      guard let state = tables.stateIfOpen(index),
        !state.pointee.history.isEmpty(nextKey: state.pointee.nextKey)
      else { continue }
      state.pointee.history.encodeSimply(
        to: &encoder, table: state.pointee.key, nextKey: state.pointee.nextKey)
    }
    return encoder.bytes
  }
}
