import Foundation
import RealmSwift
import SyncModels
import SyncServerKit
import Testing

/// A device: a user's file of its own.
struct Device {
  let configuration: Realm.Configuration
  private let directory: URL

  /// - Parameter seed: what the file begins with.
  init(
    _ user: User, seed: URL? = nil,
    initialSubscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void = {
      $0.append(QuerySubscription<Dog>(name: "all"))
    }
  ) {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "holdfast-sync-\(UUID().uuidString)", isDirectory: true)
    try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: initialSubscriptions)
    configuration.fileURL = directory.appendingPathComponent("dogs.realm")
    configuration.objectTypes = [Dog.self, Collar.self]
    configuration.seedFilePath = seed
    self.configuration = configuration
  }

  /// The same file; opening it does not wait for a server that is out of reach.
  func impatient(_ user: User) -> Realm.Configuration {
    var impatient = configuration
    impatient.syncConfiguration =
      user.flexibleSyncConfiguration(
        cancelAsyncOpenOnNonFatalErrors: true,
        initialSubscriptions: { $0.append(QuerySubscription<Dog>(name: "all")) }
      ).syncConfiguration
    return impatient
  }

  func remove() { try? FileManager.default.removeItem(at: directory) }
}

/// A device, on a server of its own, that is connected and has downloaded what there is: nothing.
@MainActor
struct OneDevice {
  let server: TestServer
  let app: App
  let user: User
  let device: Device
  let realm: Realm
  let session: SyncSession

  private init(_ server: TestServer, _ app: App, _ user: User, _ device: Device) async throws {
    self.server = server
    self.app = app
    self.user = user
    self.device = device
    realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    session = try #require(realm.syncSession)
  }

  /// Lends it to a test, and takes its file away in the end.
  static func with(_ body: @MainActor (OneDevice) async throws -> Void) async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let user = try await app.login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    try await body(OneDevice(server, app, user, device))
  }
}

/// Two devices of one user, on a server of their own.
@MainActor
struct TwoDevices {
  let server: TestServer
  let app: App
  let user: User
  let left: Device
  let right: Device

  private init(
    hasAccount: Bool, rightSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)?
  ) async throws {
    server = try TestServer()
    app = makeApp(server)
    user = try await hasAccount ? makeAccount(app) : app.login(credentials: .anonymous)
    left = Device(user)
    if let rightSubscriptions {
      right = Device(user, initialSubscriptions: rightSubscriptions)
    } else {
      right = Device(user)
    }
  }

  /// Lends them to a test, and takes their files away in the end.
  ///
  /// - Parameters:
  ///   - hasAccount: whether other processes can be the user, too.
  ///   - rightSubscriptions: what the second device wants at first; nil: all.
  static func with(
    hasAccount: Bool = false,
    rightSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)? = nil,
    _ body: @MainActor (TwoDevices) async throws -> Void
  ) async throws {
    let devices = try await TwoDevices(
      hasAccount: hasAccount, rightSubscriptions: rightSubscriptions)
    defer {
      devices.left.remove()
      devices.right.remove()
    }
    try await body(devices)
  }

  /// Lends the realm of the first device to a test.
  static func withLeftRealm(_ body: @MainActor (Realm) throws -> Void) async throws {
    try await with { devices in
      try body(try await Realm(configuration: devices.left.configuration))
    }
  }

  /// Makes the file of the first device, with its subscriptions and what the server has; another
  /// process can have the agent's role when this has closed it. Returns how many dogs it has.
  @discardableResult
  func makeLeftFile() async throws -> Int {
    let realm = try await Realm(configuration: left.configuration, downloadBeforeOpen: .always)
    return realm.objects(Dog.self).count
  }
}

/// An app on a server, whose name no other test has.
func makeApp(_ server: TestServer) -> App {
  App(id: "app-\(UUID().uuidString)", configuration: AppConfiguration(baseURL: server.url))
}

/// The same app as another process has it: what both know of each other's users is what is kept of
/// them.
func makeAppElsewhere(_ app: App, _ server: TestServer) -> App {
  let url = server.url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
  return App(id: app.appId, configuration: AppConfiguration(baseURL: url))
}

/// A user who other processes are, too, by an account.
func makeAccount(_ app: App) async throws -> User {
  try await app.emailPasswordAuth.registerUser(email: "a@b.c", password: "secret")
  return try await logIn(app)
}

/// The user of `makeAccount`, once more.
@discardableResult
func logIn(_ app: App) async throws -> User {
  try await app.login(credentials: .emailPassword(email: "a@b.c", password: "secret"))
}

/// The errors that the app's handler is given from now on.
func errors(of app: App) -> AsyncStream<any Error> {
  let (errors, more) = AsyncStream<any Error>.makeStream()
  app.syncManager.errorHandler = { error, _ in more.yield(error) }
  return errors
}

/// Waits until the realm's objects are as they should be.
@MainActor
func waits(
  _ realm: Realm, seconds: Double = 20, until condition: @escaping (Realm) -> Bool
) async -> Bool {
  let end = Date(timeIntervalSinceNow: seconds)
  for await _ in changes(of: realm) {
    if condition(realm) { return true }
    if Date() > end { return false }
  }
  return false
}

/// An element at once, after each change, and each second.
@MainActor
private func changes(of realm: Realm) -> AsyncStream<Void> {
  AsyncStream { continuation in
    let token = realm.observe { _, _ in continuation.yield() }
    let ticks = Task {
      while !Task.isCancelled {
        continuation.yield()
        try? await Task.sleep(for: .seconds(1))
      }
    }
    continuation.onTermination = { _ in
      ticks.cancel()
      Task { @MainActor in token.invalidate() }
    }
  }
}
