#if Sync
  import Foundation
  import Platform
  import SyncTransport

  /// An app on a server: its users, and the files that they synchronise.
  ///
  ///     let app = App(id: "shelf", configuration: AppConfiguration(baseURL:
  /// "https://example.com"))
  ///     let user = try await app.login(credentials: .anonymous)
  ///     let realm = try await Realm(configuration: user.flexibleSyncConfiguration())
  ///
  /// All apps with the same identifier and server in a process are one.
  public final class App: Sendable {
    /// The app's identifier on the server.
    public let appId: String
    /// Where the server is.
    public let configuration: AppConfiguration
    /// What all of the app's sessions have in common.
    public var syncManager: SyncManager { shared.manager }
    /// Registers accounts.
    public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(app: self) }

    let shared: SharedApp

    /// An app on the server of the default configuration.
    public convenience init(id: String) { self.init(id: id, configuration: nil) }

    /// An app on the configuration's server.
    public init(id: String, configuration: AppConfiguration?) {
      appId = id
      let configuration = configuration ?? AppConfiguration()
      self.configuration = configuration
      guard let endpoint = Endpoint(configuration.resolvedURL) else {
        throwRealmException("'\(configuration.resolvedURL)' is not the URL of a server.")
      }
      shared = SharedApp.of(id, configuration, endpoint)
      for option in configuration.ignoredOptions {
        Logger.shared.log(.warn) { "sync: the option '\(option)' has no effect" }
      }
    }

    var endpoint: Endpoint { shared.requests.endpoint }
    var requests: AppRequests { shared.requests }
    var path: String { "/api/app/\(appId)" }

    // MARK: Users

    /// Who logged in last, or was switched to, and has not logged out.
    public var currentUser: User? { shared.users(of: self).last { $0.isLoggedIn } }

    /// All users that have logged in on this machine, by their identifiers.
    public var allUsers: [String: User] {
      Dictionary(
        shared.users(of: self).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Makes a user who is logged in the current one.
    @discardableResult
    public func `switch`(to user: User) -> User {
      if !user.isLoggedIn {
        throwRealmException("User is no longer valid or is logged out; log in again first.")
      }
      shared.makeCurrent(user)
      return user
    }

    private struct LogIn: Decodable {
      var user_id: String
      var access_token: String
      var refresh_token: String
    }

    /// Logs a user in, who is the current one from then on.
    ///
    /// - Throws: `AppError`.
    public func login(credentials: Credentials) async throws -> User {
      let answer = try await requests.send(
        "POST", "\(path)/auth/login", credentials.fields
      ).decoded(LogIn.self)
      return try shared.loggedIn(
        self, answer.user_id, answer.access_token, answer.refresh_token, credentials.provider)
    }

    /// Logs a user in. `completion` is called on some thread.
    public func login(
      credentials: Credentials, _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
    ) {
      finishing(completion) { try await self.login(credentials: credentials) }
    }
  }

  /// Calls a completion with what a task comes to.
  func finishing<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
    _ body: @escaping @Sendable () async throws -> Value
  ) {
    Task {
      do { completion(.success(try await body())) } catch { completion(.failure(error)) }
    }
  }

  /// Calls a completion with the error of a task, if it has one.
  func finishing(
    _ completion: @escaping @Sendable ((any Error)?) -> Void,
    _ body: @escaping @Sendable () async throws -> Void
  ) {
    Task {
      do {
        try await body()
        completion(nil)
      } catch { completion(error) }
    }
  }

  /// What is behind all `App` instances of one identifier and server.
  final class SharedApp: Sendable {
    private struct Key: Hashable {
      var id: String
      var endpoint: Endpoint
    }

    private struct State {
      var users: [User]?
      var order = 0
    }

    let requests: AppRequests
    let store: UserStore
    let manager: SyncManager
    private let state = LockedValue(State())
    private static let all = LockedValue<[Key: SharedApp]>([:])

    private init(_ id: String, _ configuration: AppConfiguration, _ endpoint: Endpoint) {
      requests = AppRequests(
        endpoint: endpoint, timeoutMilliseconds: configuration.defaultRequestTimeoutMS.asTimeout)
      store = UserStore(appId: id)
      manager = SyncManager(configuration.syncTimeouts, requests)
    }

    static func of(
      _ id: String, _ configuration: AppConfiguration, _ endpoint: Endpoint
    ) -> SharedApp {
      all.withLock { all in
        let key = Key(id: id, endpoint: endpoint)
        if let known = all[key] { return known }
        let made = SharedApp(id, configuration, endpoint)
        all[key] = made
        return made
      }
    }

    /// The users, the current one last.
    func users(of app: App) -> [User] {
      if let known = state.withLock({ $0.users }) { return known }
      let entries = ((try? store.all()) ?? []).sorted { $0.order < $1.order }
      return state.withLock { state in
        if let known = state.users { return known }
        state.order = entries.last?.order ?? 0
        let users = entries.map { User(app: app, $0) }
        state.users = users
        return users
      }
    }

    func loggedIn(
      _ app: App, _ id: String, _ access: String, _ refresh: String, _ provider: String
    ) throws -> User {
      let known = users(of: app).first { $0.id == id }
      let user =
        known
        ?? User(
          app: app,
          UserStore.Entry(
            userId: id, accessToken: access, refreshToken: refresh, provider: provider, order: 0,
            isLoggedIn: true))
      user.change {
        $0.accessToken = access
        $0.refreshToken = refresh
        $0.isLoggedIn = true
      }
      makeCurrent(user)
      return user
    }

    func makeCurrent(_ user: User) {
      let order = state.withLock { state in
        state.order += 1
        state.users?.removeAll { $0 === user }
        state.users?.append(user)
        return state.order
      }
      user.change(order: order)
    }

    func forget(_ user: User) {
      state.withLock { state in state.users?.removeAll { $0 === user } }
      try? store.remove(user.id)
    }
  }
#endif
