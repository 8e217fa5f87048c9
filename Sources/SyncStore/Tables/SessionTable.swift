import ObjectStore
import Storage

/// What the agent says to the sessions of all processes, and they to it, in the file: so every
/// process sees it, and learns of changes as it learns of any commit.
public struct SessionStatus: Hashable, Sendable {
  /// Where a connection may stand.
  public enum Connection: Int64, Hashable, Sendable {
    case disconnected = 0
    case connecting = 1
    case connected = 2
  }

  /// Where the connection stands.
  public var connection = Connection.disconnected
  /// How often an agent has begun: a status of an earlier one is out of date.
  public var agentEpoch: Int64 = 0
  /// The session of the file (`Database.session`) for which synchronisation is to rest. When all
  /// processes have closed the file, it goes on with the next one that opens it.
  public var suspendedSession: Int64 = 0
  /// Raised by who wants the agent to connect anew.
  public var reconnects: Int64 = 0
  /// Raised for each error, so that the same one counts again.
  public var errors: Int64 = 0
  /// The newest errors, as `SessionError` has them.
  var errorLog = ""
  /// The query set that the server could not take, and why.
  public var failedQuery: Int64 = 0
  /// Why the server could not take it.
  public var failedQueryMessage = ""
  /// Raised by who wants to know when all that the server has now has come.
  public var downloadsWanted: Int64 = 0
  /// The newest such wish that is fulfilled.
  public var downloads: Int64 = 0
  /// Objects of the download under way that are still to come.
  public var objectsToCome: Int64 = 0
  /// Raised for each connection that could not be made, or that ended too early.
  public var failedConnections: Int64 = 0
  /// Why the newest of those was.
  public var failedConnectionMessage = ""
  /// Raised by who wants to know when all that was written until then is acknowledged.
  public var uploadsWanted: Int64 = 0
  /// The newest such wish that is fulfilled.
  public var uploads: Int64 = 0
  /// When each subscription was made and changed, for the sessions alone.
  public var subscriptionDates = ""

  /// Before anything happened.
  public init() {}

  /// Whether synchronisation is to rest now.
  public func isSuspended(in database: Database) -> Bool {
    suspendedSession == Int64(bitPattern: database.session)
  }
}

/// The table of the one status.
enum SessionTable {
  private typealias Field<Value> = (
    name: String, path: any WritableKeyPath<SessionStatus, Value> & Sendable
  )

  private static let numbers: [Field<Int64>] = [
    ("agentEpoch", \.agentEpoch), ("reconnects", \.reconnects), ("errors", \.errors),
    ("failedQuery", \.failedQuery), ("downloads", \.downloads),
    ("downloadsWanted", \.downloadsWanted), ("uploads", \.uploads),
    ("uploadsWanted", \.uploadsWanted), ("objectsToCome", \.objectsToCome),
    ("failedConnections", \.failedConnections), ("suspendedSession", \.suspendedSession),
  ]
  private static let texts: [Field<String>] = [
    ("errorLog", \.errorLog), ("failedConnectionMessage", \.failedConnectionMessage),
    ("failedQueryMessage", \.failedQueryMessage),
    ("subscriptionDates", \.subscriptionDates),
  ]

  static let description = ClassDescription(
    name: SyncClass.session.className,
    properties: (["connection"] + numbers.map(\.name)).map {
      PropertyDescription(name: $0, kind: .int)
    }
      + texts.map { PropertyDescription(name: $0.name, kind: .string) })

  /// Where the fields of the status are.
  struct Layout: Sendable {
    let table: TableKey
    fileprivate let connection: ColumnKey
    fileprivate let numbers, texts: [ColumnKey]

    /// Nil for a file that is not synced.
    init?(_ schema: SchemaDescription) {
      guard let known = schema.description(of: SyncClass.session.className) else { return nil }
      table = known.tableKey
      connection = known.column("connection")
      numbers = SessionTable.numbers.map { known.column($0.name) }
      texts = SessionTable.texts.map { known.column($0.name) }
    }
  }

  static func read(_ view: StoreView, _ layout: Layout) throws(StorageError) -> SessionStatus {
    var status = SessionStatus()
    guard let table = try view.table(layout.table), table.count > 0 else { return status }
    let position = try table.position(at: 0)
    status.connection =
      SessionStatus.Connection(rawValue: try table.int(layout.connection, at: position))
      ?? .disconnected
    for (index, field) in numbers.enumerated() {
      let number = try table.int(layout.numbers[index], at: position)
      if number != 0 { status[keyPath: field.path] = number }
    }
    for (index, field) in texts.enumerated() {
      let text = try table.string(layout.texts[index], at: position)
      if !text.isEmpty { status[keyPath: field.path] = text }
    }
    return status
  }

  /// Writes what differs.
  static func write(
    _ status: SessionStatus, instead before: SessionStatus, _ layout: Layout,
    to transaction: ObjectTransaction
  ) throws(StorageError) {
    let table = try transaction.table(layout.table)
    let key =
      table.count > 0
      ? try table.position(at: 0).key : try transaction.createObject(in: layout.table)
    if before.connection != status.connection {
      try transaction.setInt(
        status.connection.rawValue, layout.connection, of: key, in: layout.table)
    }
    for (index, field) in numbers.enumerated()
    where before[keyPath: field.path] != status[keyPath: field.path] {
      try transaction.setInt(
        status[keyPath: field.path], layout.numbers[index], of: key, in: layout.table)
    }
    for (index, field) in texts.enumerated()
    where before[keyPath: field.path] != status[keyPath: field.path] {
      try transaction.setString(
        status[keyPath: field.path], layout.texts[index], of: key, in: layout.table)
    }
  }
}
