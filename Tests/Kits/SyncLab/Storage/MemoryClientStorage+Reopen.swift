import SyncProtocol

extension MemoryClientStorage {
  /// What another process finds that opens the file: what was written of states, and read again.
  mutating func reopen() throws(WireError) {
    durable.record = try ClientRecord(row: durable.record.row)
    let names = durable.record.names
    for (id, state) in durable.states {
      durable.states[id] = try ClientObject(row: state.row(names: names), names: names)
    }
    working = durable
  }
}
