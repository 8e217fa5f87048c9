import Dispatch
import Foundation
import Logging
import Platform

/// The apps of the server, each opened when it is first used.
final class AppRegistry: Sendable {
  private let options: ServerOptions
  private let logger: Logger
  private let issuer: TokenIssuer
  private let hosts = LockedValue<[AppName: AppHost]>([:])
  /// Apps that could not be opened, and when that was tried.
  private let failures = LockedValue<[AppName: (error: APIError, since: ContinuousClock.Instant)]>(
    [:])
  /// Whoever asks for an app that cannot be opened does not have it opened each time.
  private static let retry = Duration.seconds(5)
  /// Opening takes time, and happens once for each app.
  private let queue = DispatchQueue(label: "apps")

  init(options: ServerOptions, logger: Logger, issuer: TokenIssuer) {
    self.options = options
    self.logger = logger
    self.issuer = issuer
  }

  /// All that are open.
  var open: [AppHost] { hosts.withLock { Array($0.values) } }

  /// The names of apps that cannot be served: not opened, not read, or not stored.
  var broken: [String] {
    let unopened = failures.withLock { $0.keys.map(\.text) }
    return Set(open.filter(\.isBroken).map(\.name)).union(unopened).sorted()
  }

  /// Opens all apps that there are, so that it is known which ones cannot be.
  func openAll() async {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: options.appsPath)) ?? []
    for name in names.sorted().compactMap({ AppName($0) }) {
      // What cannot be opened is noted, and logged.
      _ = try? await host(name, mayMake: false)
    }
  }

  /// Whether there is such an app.
  func exists(_ name: AppName) -> Bool {
    FileManager.default.fileExists(atPath: options.appPath(name.text))
  }

  /// What the administrator has said of an app that exists, or may be made.
  func settings(_ name: AppName) throws -> AppSettings {
    guard exists(name) || options.isDevelopment else { throw APIError.noSuchApp }
    do { return try AppSettings(folder: options.appPath(name.text)) } catch {
      logger.error(
        "settings cannot be read", metadata: ["app": "\(name.text)", "error": "\(error)"])
      throw APIError(
        .internalServerError, "InternalServerError", "The app's settings cannot be read.")
    }
  }

  /// An app, opened; made, if apps are made on first use and `mayMake`.
  func host(_ name: AppName, mayMake: Bool) async throws -> AppHost {
    if let known = hosts.withLock({ $0[name] }) { return known }
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(with: Result { try self.openNow(name, mayMake: mayMake) })
      }
    }
  }

  private func openNow(_ name: AppName, mayMake: Bool) throws -> AppHost {
    if let known = hosts.withLock({ $0[name] }) { return known }
    let failed = failures.withLock { $0[name] }
    if let failed, ContinuousClock.now - failed.since < Self.retry { throw failed.error }
    do {
      let host = try makeHost(name, mayMake: mayMake)
      failures.withLock { $0[name] = nil }
      return host
    } catch let error as APIError {
      throw error
    } catch {
      logger.error(
        "an app cannot be opened; if its file is damaged restore a backup",
        metadata: ["app": "\(name.text)", "error": "\(error)"])
      let failure = APIError(
        .serviceUnavailable, "Unavailable", "The app's data cannot be read; try again later.")
      failures.withLock { $0[name] = (failure, .now) }
      throw failure
    }
  }

  private func makeHost(_ name: AppName, mayMake: Bool) throws -> AppHost {
    let folder = options.appPath(name.text)
    if !exists(name) {
      guard mayMake, options.isDevelopment else { throw APIError.noSuchApp }
      let known = (try? FileManager.default.contentsOfDirectory(atPath: options.appsPath)) ?? []
      guard known.count < options.limits.apps else {
        throw APIError(.forbidden, "TooManyApps", "The server makes no more apps by itself.")
      }
      try FileManager.default.makePrivateFolder(folder)
      logger.info("an app is made", metadata: ["app": "\(name.text)"])
    }
    let settings = try AppSettings(folder: folder)
    let issuer = issuer
    let data = KnownFile(folder + "/data.realm")
    try data.check()
    let host = try AppHost(
      name: name.text, path: data.path,
      isSchemaOpen: settings.isDevelopment ?? options.isDevelopment, limits: options.limits,
      logger: logger, metrics: AppMetrics(app: name.text)
    ) { token in
      guard let known = try? await issuer.check(token, .access), known.payload.app == name.text
      else { return nil }
      return VerifiedToken(
        user: known.account.id,
        expiry: UInt64(known.payload.exp.value.timeIntervalSince1970 * 1_000))
    }
    try data.noteMade()
    hosts.withLock { $0[name] = host }
    return host
  }

  /// Lets time pass in all apps.
  func tick() {
    for host in open { host.post(.tick) }
  }

  /// Waits until all that came before has been made durable.
  func drain() async {
    for host in open {
      await withCheckedContinuation { continuation in
        host.post(.barrier { continuation.resume() })
      }
    }
  }
}
