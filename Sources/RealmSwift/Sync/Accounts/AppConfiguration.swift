#if Sync
  import Foundation

  /// Where an app's server is, and how it is spoken to.
  public final class AppConfiguration: Sendable {
    /// The server's URL. Nil is `$HOLDFAST_SERVER`, or port 9090 of this machine.
    public let baseURL: String?
    /// How long a request may take, in milliseconds.
    public let defaultRequestTimeoutMS: UInt
    /// Whether sessions were to share a connection. There for source compatibility: each has its
    /// own, and a wish for another way is logged.
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

    /// What was asked for and has no effect.
    var ignoredOptions: [String] {
      var ignored = syncTimeouts.ignoredOptions
      if enableSessionMultiplexing { ignored.append("enableSessionMultiplexing") }
      return ignored
    }

    var resolvedURL: String {
      baseURL ?? ProcessInfo.processInfo.environment["HOLDFAST_SERVER"] ?? "http://127.0.0.1:9090"
    }
  }

  /// How long connections of sync may take and rest. All in milliseconds.
  public final class SyncTimeoutOptions: Sendable {
    /// How long making a connection may take.
    public let connectTimeout: UInt
    /// How long connections were to stay after the last session. There for source compatibility:
    /// one ends with its file, which other programs may want to have for themselves then. Another
    /// value than the default is logged.
    public let connectionLingerTime: UInt
    /// How often the server is asked whether it is there.
    public let pingKeepalivePeriod: UInt
    /// How long it may be silent then.
    public let pongKeepaliveTimeout: UInt
    /// After how long a reconnection was to begin from the start. There for source compatibility:
    /// each one goes on from where the file is, and sends at once, however long there was none.
    /// Another value than the default is logged.
    public let fastReconnectLimit: UInt

    private static let defaultLingerTime: UInt = 30_000
    private static let defaultReconnectLimit: UInt = 60_000

    /// What was asked for and has no effect.
    var ignoredOptions: [String] {
      var ignored: [String] = []
      if connectionLingerTime != Self.defaultLingerTime { ignored.append("connectionLingerTime") }
      if fastReconnectLimit != Self.defaultReconnectLimit { ignored.append("fastReconnectLimit") }
      return ignored
    }

    /// Options from their parts.
    public init(
      connectTimeout: UInt = 120_000, connectionLingerTime: UInt? = nil,
      pingKeepalivePeriod: UInt = 60_000, pongKeepaliveTimeout: UInt = 120_000,
      fastReconnectLimit: UInt? = nil
    ) {
      self.connectTimeout = connectTimeout
      self.connectionLingerTime = connectionLingerTime ?? Self.defaultLingerTime
      self.pingKeepalivePeriod = pingKeepalivePeriod
      self.pongKeepaliveTimeout = pongKeepaliveTimeout
      self.fastReconnectLimit = fastReconnectLimit ?? Self.defaultReconnectLimit
    }
  }

  extension UInt {
    /// The milliseconds of an option. Some thirty years are as good as any longer time, and can be
    /// added.
    var asTimeout: Int { Int(Swift.min(self, 1 << 40)) }
  }
#endif
