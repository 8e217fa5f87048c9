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
  /// Whether the session is to rest.
  public var isSuspended = false
  /// Raised by who wants the agent to connect anew.
  public var reconnects: Int64 = 0
  /// Raised for each error, so that the same one counts again.
  public var errors: Int64 = 0
  /// The newest error's code, and its message.
  public var errorCode: Int64 = 0
  /// What happened, for people.
  public var errorMessage = ""
  /// The objects that the error is about, a line each: why, and `SyncFile.name`.
  public var errorObjects = ""
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
  /// When each subscription was made and changed, for the sessions alone.
  public var subscriptionDates = ""

  /// Before anything happened.
  public init() {}
}

/// The table of the one status.
enum SessionTable {
  private typealias Field<Value> = (
    name: String, path: any WritableKeyPath<SessionStatus, Value> & Sendable
  )

  private static let numbers: [Field<Int64>] = [
    ("agentEpoch", \.agentEpoch), ("reconnects", \.reconnects), ("errors", \.errors),
    ("errorCode", \.errorCode), ("failedQuery", \.failedQuery), ("downloads", \.downloads),
    ("downloadsWanted", \.downloadsWanted),
    ("objectsToCome", \.objectsToCome), ("failedConnections", \.failedConnections),
  ]
  private static let texts: [Field<String>] = [
    ("errorMessage", \.errorMessage), ("errorObjects", \.errorObjects),
    ("failedConnectionMessage", \.failedConnectionMessage),
    ("failedQueryMessage", \.failedQueryMessage),
    ("subscriptionDates", \.subscriptionDates),
  ]

  static let description = ClassDescription(
    name: SyncClass.session.className,
    properties: (["connection"] + numbers.map(\.name)).map {
      PropertyDescription(name: $0, kind: .int)
    } + [PropertyDescription(name: "suspended", kind: .bool)]
      + texts.map { PropertyDescription(name: $0.name, kind: .string) })

  static func read(_ view: StoreView) throws(StorageError) -> SessionStatus {
    var status = SessionStatus()
    guard let known = view.schema.description(of: SyncClass.session.className),
      let table = try view.table(known.tableKey), table.count > 0
    else { return status }
    let position = try table.position(at: 0)
    status.connection =
      SessionStatus.Connection(rawValue: try table.int(known.column("connection"), at: position))
      ?? .disconnected
    status.isSuspended = try table.bool(known.column("suspended"), at: position)
    for (name, path) in numbers {
      status[keyPath: path] = try table.int(known.column(name), at: position)
    }
    for (name, path) in texts {
      status[keyPath: path] = try table.string(known.column(name), at: position)
    }
    return status
  }

  /// Writes what differs.
  static func write(
    _ status: SessionStatus, to transaction: ObjectTransaction
  ) throws(StorageError) {
    let before = try read(transaction.view)
    guard let known = transaction.schema.description.description(of: SyncClass.session.className)
    else { return }
    let table = try transaction.table(known.tableKey)
    let key =
      table.count > 0
      ? try table.position(at: 0).key : try transaction.createObject(in: known.tableKey)
    if before.connection != status.connection {
      try transaction.setInt(
        status.connection.rawValue, known.column("connection"), of: key, in: known.tableKey)
    }
    if before.isSuspended != status.isSuspended {
      try transaction.setBool(
        status.isSuspended, known.column("suspended"), of: key, in: known.tableKey)
    }
    for (name, path) in numbers where before[keyPath: path] != status[keyPath: path] {
      try transaction.setInt(
        status[keyPath: path], known.column(name), of: key, in: known.tableKey)
    }
    for (name, path) in texts where before[keyPath: path] != status[keyPath: path] {
      try transaction.setString(
        status[keyPath: path], known.column(name), of: key, in: known.tableKey)
    }
  }
}
