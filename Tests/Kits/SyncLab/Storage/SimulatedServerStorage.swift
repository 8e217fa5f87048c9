import SyncProtocol

/// The server's disk in memory. Objects are kept as the bytes of their rows, so that every commit
/// shows whether they survive being written and read.
public struct SimulatedServerStorage: ServerStorage, Sendable {
  private struct Row: Sendable {
    var bytes: [UInt8]
    var version: ServerVersion
    var isAlive: Bool
  }

  /// Changes after a version that concern a client.
  private struct Concern: Sendable {
    var start: ServerVersion
    var versions: [ObjectID: ServerVersion] = [:]
  }

  private struct Contents: Sendable {
    var head: ServerHead
    var rows: [ObjectID: Row] = [:]
    var files: [ClientID: ClientFile] = [:]
  }

  private var stored: ServerHead
  private var rows: [ObjectID: Row] = [:]
  private var files: [ClientID: ClientFile] = [:]
  /// What concerns each client, as far as this server knows.
  private var concerns: [ClientID: Concern] = [:]
  /// What a crash leaves, if that is less than what was committed.
  private var durable: Contents?
  /// The last commit before a crash does not survive it, which is a defect.
  var losesCommits = false
  /// Items of an owner that a user may not see.
  var hiddenOwners: [Text: Int64] = [:]
  /// What users may not see they may not change.
  package var locksHidden = false
  /// The next commit fails.
  var failsNextCommit = false
  /// Objects that cannot be read.
  public var unreadable: Set<ObjectID> = []
  /// How many objects commits have written.
  public private(set) var objectsWritten = 0

  public init(epoch: UInt64) { stored = ServerHead(epoch: epoch) }

  /// A backup that was restored has a history of its own.
  public mutating func startNewEpoch(_ epoch: UInt64) {
    stored.epoch = epoch
    concerns = [:]
  }

  /// What a server finds that starts anew: what was written of the head and of client files, and
  /// read again.
  mutating func reopen() throws(WireError) {
    if let durable { (stored, rows, files) = (durable.head, durable.rows, durable.files) }
    durable = nil
    concerns = [:]
    stored = try ServerHead(row: stored.row)
    for (id, file) in files {
      files[id] = try ClientFile(row: file.row(names: stored.names), names: stored.names)
    }
  }

  public func head() throws(SyncError) -> ServerHead { stored }

  public func object(_ id: ObjectID) throws(SyncError) -> ServerObject? {
    guard let row = rows[id] else { return nil }
    if unreadable.contains(id) { throw SyncError(.storage, "a row is damaged") }
    do {
      return try ServerObject(row: row.bytes, names: stored.names)
    } catch {
      throw SyncError(.storage, "a row could not be read")
    }
  }

  public func objects(changedAfter version: ServerVersion) throws(SyncError) -> [ObjectID] {
    sorted { $0.version > version }
  }

  /// Just those that concern the client, if all of them are known.
  public func objects(
    changedAfter version: ServerVersion, concerning client: ClientFile
  ) throws(SyncError) -> [ObjectID] {
    guard let concern = concerns[client.id], version >= concern.start,
      !client.subscriptions.contains(where: Self.followsLink)
    else { return try objects(changedAfter: version) }
    return concern.versions.filter { $0.value > version }.keys.sorted { $0.order < $1.order }
  }

  /// Notes whom a commit concerns: who selects an object before or after it, and who has written
  /// it.
  private mutating func noteConcerns(_ changes: ServerChanges) throws(SyncError) {
    for (client, file) in changes.clientFiles {
      // With another query set that begins anew.
      if file?.subscriptions != files[client]?.subscriptions { concerns[client] = nil }
    }
    let clients = files.merging(changes.clientFiles.compactMapValues { $0 }) { $1 }
    for client in clients.keys where concerns[client] == nil {
      concerns[client] = Concern(start: stored.version)
    }
    for (id, object) in changes.objects {
      guard let object, object.version > stored.version else { continue }
      let states = [try self.object(id), object].compactMap { $0 }
      for (client, file) in clients {
        let isSeen = states.contains { state in
          state.generation.isAlive
            && file.subscriptions.contains { subscription in
              changes.head.names[id.type] == subscription.type && selects(subscription, id, state)
            }
        }
        guard isSeen || changes.writers[id]?.contains(client) == true else { continue }
        concerns[client]?.versions[id] = object.version
      }
    }
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

  public func deadObjects(upTo version: ServerVersion) throws(SyncError) -> [ObjectID] {
    sorted { !$0.isAlive && $0.version <= version }
  }

  public func objectsWithMarks() throws(SyncError) -> [ObjectID] { sorted { $0.isAlive } }

  public func clientFiles() throws(SyncError) -> [ClientFile] { Array(files.values) }

  private func sorted(_ isWanted: (Row) -> Bool) -> [ObjectID] {
    rows.filter { isWanted($0.value) }.keys.sorted { $0.order < $1.order }
  }

  /// `owner == N`, `link.owner == N`, `PROPERTY < N`, or all.
  public func selects(
    _ subscription: Subscription, _ id: ObjectID, _ object: ServerObject
  ) -> Bool {
    guard let owner = Self.owner(in: subscription) else { return true }
    let words = subscription.query.string.split(separator: " ")
    if words.count == 3, words[1] == "<" {
      guard let name = stored.names.find(Text(String(words[0]))),
        case .int(let number)? = object.property(name)
      else { return 0 < owner }
      return number < owner
    }
    guard Self.followsLink(subscription) else { return self.owner(of: object) == .int(owner) }
    guard let link = stored.names.find("link"), case .link(let target)? = object.property(link),
      let other = try? self.object(target), other.generation.isAlive
    else { return false }
    return self.owner(of: other) == .int(owner)
  }

  private func owner(of object: ServerObject) -> CellValue? {
    stored.names.find("owner").flatMap { object.property($0) }
  }

  static func followsLink(_ subscription: Subscription) -> Bool {
    subscription.query.string.hasPrefix("link.")
  }

  public func shows(_ id: ObjectID, _ object: ServerObject, to user: Text) -> Bool {
    guard let hidden = hiddenOwners[user] else { return true }
    return owner(of: object) != .int(hidden)
  }

  /// By looking at all objects; a server asks its index of backlinks.
  public func objects(
    dependingOn changed: [ObjectID], under subscriptions: [Subscription]
  ) throws(SyncError) -> [ObjectID] {
    guard subscriptions.contains(where: Self.followsLink), let link = stored.names.find("link")
    else { return [] }
    let targets = Set(changed)
    var found: [ObjectID] = []
    for id in sorted({ $0.isAlive }) {
      guard case .link(let target)? = try object(id)?.property(link), targets.contains(target)
      else { continue }
      found.append(id)
    }
    return found
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
    if locksHidden, let object, !shows(change.id, object, to: user) { return false }
    return !change.containers.contains { container in
      container.id == .root
        && container.registers.contains { $0.value == .int(LabClasses.unlucky) }
    }
  }

  public mutating func commit(_ changes: ServerChanges) throws(SyncError) {
    if failsNextCommit {
      failsNextCommit = false
      throw SyncError(.storage, "no room")
    }
    try noteConcerns(changes)
    if losesCommits { durable = Contents(head: stored, rows: rows, files: files) }
    stored = changes.head
    objectsWritten += changes.objects.count
    for (id, object) in changes.objects {
      rows[id] = object.map {
        Row(
          bytes: $0.row(names: stored.names), version: $0.version,
          isAlive: $0.generation.isAlive)
      }
    }
    for (id, file) in changes.clientFiles { files[id] = file }
  }
}
