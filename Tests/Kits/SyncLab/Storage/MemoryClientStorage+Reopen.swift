import SyncProtocol

extension MemoryClientStorage {
  /// What another process finds that opens the file: what was written of states, and read again.
  mutating func reopen() throws(WireError) {
    var contents = durable
    contents.record = try ClientRecord(row: contents.record.row)
    let names = contents.record.names
    for (id, state) in contents.states {
      contents.states[id] = try ClientObject(row: state.row(names: names), names: names)
    }
    durable = contents
  }
}
