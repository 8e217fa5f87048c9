#if Sync
  import NIOCore
  import NIOPosix
  import NIOSSL

  /// Why a connection could not be made, or a request failed.
  public struct TransportError: Error, Hashable, Sendable {
    /// Words for people.
    public let message: String
    /// With which status the server answered, if it did.
    public let status: Int?

    init(message: String, status: Int? = nil) {
      self.message = message
      self.status = status
    }
  }

  extension SyncLoop {
    /// A connection to a server, encrypted if its URL says so.
    func connect(
      to endpoint: Endpoint, timeoutMilliseconds: Int,
      _ initialize: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
      let bootstrap = ClientBootstrap(group: group)
        .connectTimeout(.milliseconds(Int64(timeoutMilliseconds)))
        .channelOption(.socketOption(.so_keepalive), value: 1)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            if endpoint.isSecure {
              let context = try NIOSSLContext(configuration: .makeClientConfiguration())
              try channel.pipeline.syncOperations.addHandler(
                try NIOSSLClientHandler(
                  context: context,
                  serverHostname: endpoint.isAddress ? nil : endpoint.host))
            }
            try initialize(channel)
          }
        }
      return bootstrap.connect(host: endpoint.host, port: endpoint.port)
    }
  }

  extension Endpoint {
    /// Addresses are not names that a certificate could be asked for by.
    fileprivate var isAddress: Bool {
      host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
    }
  }
#endif
