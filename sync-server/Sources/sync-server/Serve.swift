import ArgumentParser
import Logging
import Metrics
import ServiceLifecycle
import SyncServer

/// Runs the server.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Run the server.")

  @Option(help: "The folder of all data; made if it is not there.")
  var data: String

  @Option(help: "The address to listen at.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen at; 0 for any that is free.")
  var port = 9090

  @Option(help: "A file that the port is written to.")
  var portFile: String?

  func run() async throws {
    let metrics = PrometheusMetrics()
    MetricsSystem.bootstrap(metrics)
    let logger = Logger(label: "sync-server")
    var options = ServerOptions(data: data)
    options.host = host
    options.port = port
    options.portFile = portFile
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [Server(options: options, logger: logger, metrics: metrics)],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    try await group.run()
  }
}
