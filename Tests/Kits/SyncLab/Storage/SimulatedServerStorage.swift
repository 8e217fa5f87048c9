import SyncProtocol

/// The server's disk in memory. Objects are kept as the bytes of their rows, so that every commit
/// shows whether they survive being written and read.
public struct SimulatedServerStorage: ServerStorage, Sendable {
  private struct Row: Sendable {
    var bytes: [UInt8]
    var version: Version
    var isAlive: Bool
  }

  private var stored: ServerHead
  private var rows: [ObjectID: Row] = [:]
  private var files: [ClientID: ClientFile] = [:]
  /// The next commit fails.
  var failsNextCommit = false

  public init(epoch: UInt64) { stored = ServerHead(epoch: epoch) }

  /// A backup that was restored has a history of its own.
  mutating func startNewEpoch(_ epoch: UInt64) { stored.epoch = epoch }

  /// What a server finds that starts anew: what was written of the head and of client files, and
  /// read again.
  mutating func reopen() throws(WireError) {
    stored = try ServerHead(row: stored.row)
    for (id, file) in files {
      files[id] = try ClientFile(row: file.row(names: stored.names), names: stored.names)
    }
  }

  public func head() throws(SyncError) -> ServerHead { stored }

  public func object(_ id: ObjectID) throws(SyncError) -> ServerObject? {
    guard let row = rows[id] else { return nil }
    do {
      return try ServerObject(row: row.bytes, names: stored.names)
    } catch {
      throw SyncError(.storage, "a row could not be read")
    }
  }

  public func objects(changedAfter version: Version) throws(SyncError) -> [ObjectID] {
    sorted { $0.version > version }
  }

  public func objects(selectedBy subscription: Subscription) throws(SyncError) -> [ObjectID] {
    guard let type = stored.names.find(subscription.type) else { return [] }
    var selected: [ObjectID] = []
    for id in sorted({ $0.isAlive }) where id.type == type {
      guard let object = try object(id), selects(subscription, id, object) else { continue }
      selected.append(id)
    }
    return selected
  }

  public func deadObjects(upTo version: Version) throws(SyncError) -> [ObjectID] {
    sorted { !$0.isAlive && $0.version <= version }
  }

  public func objectsWithMarks() throws(SyncError) -> [ObjectID] { sorted { $0.isAlive } }

  public func clientFiles() throws(SyncError) -> [ClientFile] { Array(files.values) }

  private func sorted(_ isWanted: (Row) -> Bool) -> [ObjectID] {
    rows.filter { isWanted($0.value) }.keys.sorted { $0.order < $1.order }
  }

  /// `owner == N`, or all.
  public func selects(
    _ subscription: Subscription, _ id: ObjectID, _ object: ServerObject
  ) -> Bool {
    guard let owner = Self.owner(in: subscription) else { return true }
    guard let property = stored.names.find("owner") else { return false }
    return object.property(property) == .int(owner)
  }

  static func owner(in subscription: Subscription) -> Int64? {
    subscription.query.string.split(separator: " ").last.flatMap { Int64($0) }
  }

  public func problem(of subscription: Subscription) -> Text? {
    subscription.query.string == "nonsense" ? "That is no query." : nil
  }

  /// A write of the unlucky number is not allowed.
  public func allows(
    _ change: ObjectChange, by user: Text, to object: ServerObject?
  ) -> Bool {
    !change.containers.contains { container in
      container.id == .root
        && container.registers.contains { $0.value == .int(LabClasses.unlucky) }
    }
  }

  public mutating func commit(_ changes: ServerChanges) throws(SyncError) {
    if failsNextCommit {
      failsNextCommit = false
      throw SyncError(.storage, "no room")
    }
    stored = changes.head
    for (id, object) in changes.objects {
      rows[id] = object.map {
        Row(
          bytes: $0.row(names: stored.names), version: $0.version,
          isAlive: $0.generation.isAlive)
      }
    }
    files.merge(changes.clientFiles) { $1 }
  }
}
