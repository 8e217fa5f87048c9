/// What clients may take of the server.
public struct ServerLimits: Sendable, Hashable {
  /// Connections of all apps.
  public var connections = 10_000
  /// Connections of one user to one app.
  public var connectionsPerUser = 64
  /// Connections from one address to all apps.
  public var connectionsPerAddress = 8_000
  /// Client files of one user of an app; of more, those go that were away longest.
  public var filesPerUser = 1_000
  /// Bytes of the queries of one client file.
  public var subscriptionBytes = 256 << 10
  /// Rows that the queries of one request may look at, besides some for each object of their class.
  public var queryRows = 5_000_000
  /// Log-ins and registrations from one address in a minute.
  public var loginsPerMinute = 600
  /// Frames that one connection may send in a second; faster ones are read more slowly.
  public var framesPerSecond = 2_000
  /// Bytes of a connection that were read and not taken; beyond that no more are read.
  public var unreadBytes = 4 << 20
  /// Bytes of a connection that were sent and have not left; beyond that nothing more is made.
  public var unsentBytes = 4 << 20
  /// Bytes of downloads that are ready and have not been sent, of all connections of an app; beyond
  /// that no others are made.
  public var preparedBytes = 256 << 20
  /// For how long a client may take one slice of a download while others wait for its room.
  public var sliceMilliseconds = 60_000
  /// Bytes of batches in parts, of all connections of an app.
  public var pendingBytes = 512 << 20
  /// How long a client may take to say who it is and what it has.
  public var handshakeMilliseconds: UInt64 = 15_000
  /// How long connections may take to end when the server shuts down, in seconds.
  public var shutdownSeconds: Double = 10
  /// How often a connection is asked for a sign of life, and closed if none came since last time.
  public var pingSeconds: Int64 = 30
  /// For how long marks of what was removed are kept for clients that are away.
  public var horizonMilliseconds: UInt64 = 30 * 24 * 3_600_000
  /// How often such marks are looked for.
  public var trimIntervalMilliseconds: UInt64 = 600_000
  /// How often time passes for the apps; each twelfth time a connection's token is checked again.
  public var tickMilliseconds = 5_000
  /// Apps that are made on first use.
  public var apps = 100
  /// Bytes of the body of a request.
  public var requestBytes = 64 << 10
  /// Failed log-ins of one name, or from one address, before others have to wait.
  public var failedLogins = 10
  /// For how long failed log-ins count.
  public var failedLoginSeconds: Double = 300

  /// The limits of a server that nobody has configured.
  public init() {}
}
