import SyncProtocol

/// A server's disk in memory, which understands queries of one equality.
struct MemoryStorage: ServerStorage {
  private var stored: ServerHead
  private var rows: [ObjectID: (bytes: [UInt8], version: ServerVersion, isAlive: Bool)] = [:]
  private var files: [ClientID: ClientFile] = [:]

  init(epoch: UInt64) { stored = ServerHead(epoch: epoch) }

  func head() throws(SyncError) -> ServerHead { stored }

  func object(_ id: ObjectID) throws(SyncError) -> ServerObject? {
    guard let row = rows[id] else { return nil }
    do {
      return try ServerObject(row: row.bytes, names: stored.names)
    } catch {
      throw SyncError(.storage, "a row could not be read")
    }
  }

  func objects(changedAfter version: ServerVersion) throws(SyncError) -> [ObjectID] {
    rows.filter { $0.value.version > version }.map(\.key)
  }

  func objects(selectedBy subscription: Subscription) throws(SyncError) -> [ObjectID] {
    var selected: [ObjectID] = []
    for (id, row) in rows
    where row.isAlive && stored.names[id.type] == subscription.type {
      if let object = try object(id), selects(subscription, id, object) { selected.append(id) }
    }
    return selected
  }

  func deadObjects(upTo version: ServerVersion) throws(SyncError) -> [ObjectID] {
    rows.filter { !$0.value.isAlive && $0.value.version <= version }.map(\.key)
  }

  func objectsWithMarks() throws(SyncError) -> [ObjectID] {
    rows.filter { $0.value.isAlive }.map(\.key)
  }

  func clientFiles() throws(SyncError) -> [ClientFile] { Array(files.values) }

  func selects(_ subscription: Subscription, _ id: ObjectID, _ object: ServerObject) -> Bool {
    guard subscription.query != "", let (name, text) = Self.equality(subscription) else {
      return true
    }
    guard let property = stored.names.find(Text(name)) else { return false }
    return object.property(property) == .string(Text(text))
  }

  /// `(name == "text")`.
  private static func equality(_ subscription: Subscription) -> (String, String)? {
    let parts = subscription.query.string.split(separator: "\"")
    guard parts.count >= 2 else { return nil }
    let words = parts[0].split { " (".contains($0) }
    guard words.count == 2, words[1] == "==" else { return nil }
    return (String(words[0]), String(parts[1]))
  }

  func problem(of subscription: Subscription) -> Text? {
    subscription.query == "" || Self.equality(subscription) != nil
      ? nil : Text("'\(subscription.query.string)' is no query of this server.")
  }

  /// What is called "forbidden" is.
  func allows(_ change: ObjectChange, by user: Text, to object: ServerObject?) -> Bool {
    !change.containers.contains { container in
      container.registers.contains { $0.value == .string("forbidden") }
    }
  }

  mutating func commit(_ changes: ServerChanges) throws(SyncError) {
    stored = changes.head
    for (id, object) in changes.objects {
      rows[id] = object.map {
        ($0.row(names: stored.names), $0.version, $0.generation.isAlive)
      }
    }
    for (id, file) in changes.clientFiles { files[id] = file }
  }

  mutating func startNewEpoch(_ epoch: UInt64) { stored.epoch = epoch }
}
