import Storage

/// What a transaction has done, for the history of its commit: put together from what each open
/// table has noted. It holds nothing but the tables, so it is made wherever it is needed.
struct TransactionHistory {
  let tables: OpenTables

  /// What was done so far.
  ///
  /// - Parameter recorded: the same before a recorder changed hidden tables and nothing else.
  func changes(keeping recorded: ChangeSet? = nil) -> ChangeSet {
    var changes = ChangeSet()
    changes.schemaChanged = tables.schemaChanged
    for index in 0..<tables.tableCount {
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
    guard index < tables.tableCount, let state = tables.stateIfOpen(index) else { return [] }
    let changes = state.pointee.history.changes(
      table: state.pointee.key, nextKey: state.pointee.nextKey)
    return changes.modifiedObjects.map { ObjectKey(rawValue: $0.rawValue) }
  }

  /// The same as `changes` in bytes.
  func encoded(keeping recorded: ChangeSet? = nil) -> [UInt8] {
    simplyEncoded() ?? changes(keeping: recorded).encoded()
  }

  /// The bytes where little happened: what most commits do takes no change set to write down. Nil
  /// where it does.
  private func simplyEncoded() -> [UInt8]? {
    if tables.schemaChanged { return nil }
    var count = 0
    for index in 0..<tables.tableCount {
      guard let state = tables.stateIfOpen(index) else { continue }
      if !state.pointee.history.isSimple { return nil }
      if !state.pointee.history.isEmpty(nextKey: state.pointee.nextKey) { count += 1 }
    }
    if count == 0 { return [] }
    var encoder = ByteEncoder(reserving: 2 + count * TableHistory.simpleSizeMax)
    encoder.append(0)
    encoder.append(count)
    for index in 0..<tables.tableCount {
      guard let state = tables.stateIfOpen(index),
        !state.pointee.history.isEmpty(nextKey: state.pointee.nextKey)
      else { continue }
      state.pointee.history.encodeSimply(
        to: &encoder, table: state.pointee.key, nextKey: state.pointee.nextKey)
    }
    return encoder.bytes
  }
}
