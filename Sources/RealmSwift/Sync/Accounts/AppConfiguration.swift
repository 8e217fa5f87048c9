#if Sync
  import Foundation

  /// Where an app's server is, and how it is spoken to.
  public final class AppConfiguration: Sendable {
    /// The server's URL. Nil is `$HOLDFAST_SERVER`, or port 9090 of this machine.
    public let baseURL: String?
    /// How long a request may take, in milliseconds.
    public let defaultRequestTimeoutMS: UInt
    /// The app's sessions have a connection each; there for source compatibility.
    public let enableSessionMultiplexing: Bool
    /// How connections of sync are kept.
    public let syncTimeouts: SyncTimeoutOptions

    /// A configuration from its parts.
    public init(
      baseURL: String? = nil, defaultRequestTimeoutMS: UInt? = nil,
      enableSessionMultiplexing: Bool? = nil, syncTimeouts: SyncTimeoutOptions? = nil
    ) {
      self.baseURL = baseURL
      self.defaultRequestTimeoutMS = defaultRequestTimeoutMS ?? 60_000
      self.enableSessionMultiplexing = enableSessionMultiplexing ?? false
      self.syncTimeouts = syncTimeouts ?? SyncTimeoutOptions()
    }

    var resolvedURL: String {
      baseURL ?? ProcessInfo.processInfo.environment["HOLDFAST_SERVER"] ?? "http://127.0.0.1:9090"
    }
  }

  /// How long connections of sync may take and rest. All in milliseconds.
  public final class SyncTimeoutOptions: Sendable {
    /// How long making a connection may take.
    public let connectTimeout: UInt
    /// There for source compatibility: a connection lives as long as its file is open.
    public let connectionLingerTime: UInt
    /// How often the server is asked whether it is there.
    public let pingKeepalivePeriod: UInt
    /// How long it may be silent then.
    public let pongKeepaliveTimeout: UInt
    /// There for source compatibility.
    public let fastReconnectLimit: UInt

    /// Options from their parts.
    public init(
      connectTimeout: UInt = 120_000, connectionLingerTime: UInt = 30_000,
      pingKeepalivePeriod: UInt = 60_000, pongKeepaliveTimeout: UInt = 120_000,
      fastReconnectLimit: UInt = 60_000
    ) {
      self.connectTimeout = connectTimeout
      self.connectionLingerTime = connectionLingerTime
      self.pingKeepalivePeriod = pingKeepalivePeriod
      self.pongKeepaliveTimeout = pongKeepaliveTimeout
      self.fastReconnectLimit = fastReconnectLimit
    }
  }
#endif
