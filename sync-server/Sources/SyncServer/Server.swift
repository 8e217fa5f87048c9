import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import Metrics
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Storage

/// The sync server as a service: everything behind one port.
public struct Server: Service {
  private let options: ServerOptions
  private let logger: Logger
  private let metrics: PrometheusMetrics

  /// A server that is not running yet.
  public init(options: ServerOptions, logger: Logger, metrics: PrometheusMetrics) {
    self.options = options
    self.logger = logger
    self.metrics = metrics
  }

  /// Runs until the task is cancelled or asked to shut down gracefully.
  public func run() async throws {
    let folder = try DataFolder(options)
    for path in folder.openSecrets {
      logger.warning(
        "a secret can be read by others; chmod 600 makes it the server's alone",
        metadata: ["file": "\(path)"])
    }
    let accounts = try AccountStore(path: options.accountsPath)
    try KnownFile(options.accountsPath).noteMade()
    let issuer = await TokenIssuer(
      key: folder.signingKey, accounts: accounts, accessSeconds: options.accessTokenSeconds)
    let apps = AppRegistry(options: options, logger: logger, issuer: issuer)
    await apps.openAll()
    let authenticator = Authenticator(
      accounts: accounts, issuer: issuer,
      attempts: LoginGuard(
        limit: options.limits.failedLogins, seconds: options.limits.failedLoginSeconds),
      refreshSeconds: options.refreshTokenSeconds)
    let router = Router(context: APIContext.self)
    router.add(middleware: ErrorMiddleware())
    AccountRoutes(
      accounts: accounts, apps: apps, authenticator: authenticator, issuer: issuer,
      rate: LoginRate(perMinute: options.limits.loginsPerMinute),
      requestBytes: options.limits.requestBytes
    ).add(to: router)
    HealthRoutes(apps: apps, metrics: metrics, adminToken: folder.adminToken).add(to: router)
    let logger = logger
    let announcement = Announcement(
      portFile: options.portFile, portDescriptor: options.portDescriptor,
      notifySocket: options.notifySocket)
    let open = OpenChannels()
    let application = Application(
      router: router, server: try builder(apps, open),
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: options.port), serverName: "sync-server",
        backlog: 1_024,
        availableConnectionsDelegate: MaximumAvailableConnections(options.limits.connections)),
      services: [Ticker(apps: apps, milliseconds: options.limits.tickMilliseconds)],
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        logger.notice("listening", metadata: ["port": "\(port)"])
        do { try announcement.listening(at: port) } catch {
          logger.error("nobody learns of the port", metadata: ["error": "\(error)"])
        }
      },
      logger: logger)
    try await withGracefulShutdownHandler {
      try await application.run()
    } onGracefulShutdown: {
      try? announcement.stopping()
      limitShutdown(open)
    }
    await apps.drain()
    folder.release()
  }

  /// Connections that do not end in time must not keep the server from ending.
  private func limitShutdown(_ open: OpenChannels) {
    let limit = TimeAmount.milliseconds(Int64(options.limits.shutdownSeconds * 1_000))
    let logger = logger
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: limit) {
      let count = open.closeAll()
      guard count > 0 else { return }
      logger.warning("connections did not end in time", metadata: ["count": "\(count)"])
    }
  }

  private func builder(_ apps: AppRegistry, _ open: OpenChannels) throws -> HTTPServerBuilder {
    let limits = options.limits
    let addresses = AddressCounts(limit: limits.connectionsPerAddress)
    let plain = HTTPServerBuilder { responder in
      SyncChannel(
        responder: responder, apps: apps, limits: limits, addresses: addresses, open: open)
    }
    guard let certificate = options.certificate, let key = options.key else { return plain }
    let chain: [NIOSSLCertificate]
    let secret: NIOSSLPrivateKey
    do { chain = try NIOSSLCertificate.fromPEMFile(certificate) } catch {
      throw DataFolder.Unusable(description: "\(certificate) is no certificate chain in PEM")
    }
    do { secret = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
      throw DataFolder.Unusable(description: "\(key) is no private key in PEM")
    }
    let configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
    return try .tls(plain, tlsConfiguration: configuration)
  }
}

/// Lets time pass in the apps.
private struct Ticker: Service {
  let apps: AppRegistry
  let milliseconds: Int

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: .milliseconds(max(1, milliseconds)))) != nil { apps.tick() }
    }
  }
}
