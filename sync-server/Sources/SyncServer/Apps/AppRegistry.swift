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
  /// Opening takes time, and happens once for each app.
  private let queue = DispatchQueue(label: "apps")

  init(options: ServerOptions, logger: Logger, issuer: TokenIssuer) {
    self.options = options
    self.logger = logger
    self.issuer = issuer
  }

  /// All that are open.
  var open: [AppHost] { hosts.withLock { Array($0.values) } }

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
    let folder = options.appPath(name.text)
    if !exists(name) {
      guard mayMake, options.isDevelopment else { throw APIError.noSuchApp }
      let known = (try? FileManager.default.contentsOfDirectory(atPath: options.appsPath)) ?? []
      guard known.count < options.limits.apps else {
        throw APIError(.forbidden, "TooManyApps", "The server makes no more apps by itself.")
      }
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      logger.info("an app is made", metadata: ["app": "\(name.text)"])
    }
    let settings = try AppSettings(folder: folder)
    let issuer = issuer
    let host = try AppHost(
      name: name.text, path: folder + "/data.realm",
      isSchemaOpen: settings.isDevelopment ?? options.isDevelopment, limits: options.limits,
      logger: logger, metrics: AppMetrics(app: name.text)
    ) { token in
      guard let known = try? await issuer.check(token, .access), known.payload.app == name.text
      else { return nil }
      return VerifiedToken(
        user: known.account.id,
        expiry: UInt64(known.payload.exp.value.timeIntervalSince1970 * 1_000))
    }
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
