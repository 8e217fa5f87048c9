import ArgumentParser
import Configuration
import Foundation
import Logging
import Metrics
import ServiceLifecycle
import SyncServer
import SystemPackage

/// Runs the server.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the server.",
    discussion: """
      What is not given as an option is taken from the environment (SYNC_SERVER_PORT, \
      SYNC_SERVER_TLS_KEY, SYNC_SERVER_LIMITS_CONNECTIONS ...), then from the file of --config, in \
      JSON ({"port": 443, "tls": {"key": "..."}, "limits": {"connections": 5000}}).
      """)

  @Option(help: "The folder of all data; made if it is not there. Or SYNC_SERVER_DATA.")
  var data: String?

  @Option(help: "The address to listen at; 127.0.0.1 if nothing is said.")
  var host: String?

  @Option(help: "The port to listen at; 0 for any that is free; 9090 if nothing is said.")
  var port: Int?

  @Option(help: "The file of the certificate chain, in PEM; turns TLS on.")
  var certificate: String?

  @Option(help: "The file of the certificate's private key, in PEM.")
  var key: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Whether apps are made on first use, and clients may extend their schema.")
  var development: Bool?

  @Option(help: "A file with what is not given here, in JSON.")
  var config: String?

  @Option(help: "A file that the port is written to.")
  var portFile: String?

  @Option(
    help: ArgumentHelp(
      "An open descriptor that the port is written to when the server listens, as 1.",
      discussion: "Who starts the server reads a line from a pipe."))
  var portDescriptor: Int32?

  @Option(help: "What is logged: trace, debug, info, notice, warning, error or critical.")
  var log: Logger.Level = .info

  func run() async throws {
    let options = try await options()
    let metrics = PrometheusMetrics()
    MetricsSystem.bootstrap(metrics)
    var logger = Logger(label: "sync-server")
    logger.logLevel = log
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [Server(options: options, logger: logger, metrics: metrics)],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
  }

  private func options() async throws -> ServerOptions {
    let environment = ConfigReader(provider: EnvironmentVariablesProvider())
      .scoped(to: "sync.server")
    guard let data = data ?? environment.string(forKey: "data"), !data.isEmpty else {
      throw ValidationError("Say where the data is: --data FOLDER, or SYNC_SERVER_DATA.")
    }
    var options = ServerOptions(data: data)
    if let config = config ?? environment.string(forKey: "config") {
      _ = try AdministratorFile.text(config)
      let file = try await FileProvider<JSONSnapshot>(filePath: FilePath(config))
      options.apply(ConfigReader(provider: file))
    }
    options.apply(environment)
    options.host = host ?? options.host
    options.port = port ?? options.port
    options.portFile = portFile ?? options.portFile
    options.portDescriptor = portDescriptor
    options.notifySocket = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]
    options.certificate = certificate ?? options.certificate
    options.key = key ?? options.key
    options.isDevelopment = development ?? options.isDevelopment
    guard (0...Int(UInt16.max)).contains(options.port) else {
      throw ValidationError("A port is between 0 and \(UInt16.max).")
    }
    guard (options.certificate == nil) == (options.key == nil) else {
      throw ValidationError("TLS takes both a certificate and its key.")
    }
    return options
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
