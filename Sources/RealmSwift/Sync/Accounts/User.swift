#if Sync
  import Foundation
  import Platform
  import SyncTransport

  /// Whether a user may use the server.
  public enum UserState: Hashable, Sendable {
    /// Has to log in again.
    case loggedOut
    /// May.
    case loggedIn
    /// Is known on this machine no more.
    case removed
  }

  /// How a user has logged in.
  public struct UserIdentity: Hashable, Sendable {
    /// The way of logging in, such as `local-userpass`.
    public let providerType: String
    /// The user's identifier.
    public let identifier: String
  }

  /// Someone who has logged in.
  public final class User: Sendable, Hashable {
    /// The user's identifier on the server.
    public let id: String
    let app: App
    private let kept: LockedValue<State>

    private struct State {
      var entry: UserStore.Entry
      var isRemoved = false
      /// Who wants to know when the user logs in or out.
      var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
      /// Calls that wait for the same new token.
      var waiting: [@Sendable (Result<String, AppError>) -> Void] = []
    }

    init(app: App, _ entry: UserStore.Entry) {
      self.app = app
      id = entry.userId
      kept = LockedValue(State(entry: entry))
    }

    /// The ways in which the user has logged in.
    public var identities: [UserIdentity] {
      [UserIdentity(providerType: kept.withLock { $0.entry.provider }, identifier: id)]
    }

    /// What the server knows the user by for a short time.
    public var accessToken: String? { token(\.accessToken) }
    /// What new access tokens are made for.
    public var refreshToken: String? { token(\.refreshToken) }

    private func token(_ path: KeyPath<UserStore.Entry, String>) -> String? {
      kept.withLock { state in
        let token = state.entry[keyPath: path]
        return token.isEmpty || !state.entry.isLoggedIn ? nil : token
      }
    }

    /// Whether the user may use the server.
    public var state: UserState { status }

    var status: UserState {
      kept.withLock { $0.isRemoved ? .removed : $0.entry.isLoggedIn ? .loggedIn : .loggedOut }
    }

    /// Whether the user is logged in.
    public var isLoggedIn: Bool { status == .loggedIn }

    /// Makes keys by which the user can log in.
    public var apiKeysAuth: APIKeyAuth { APIKeyAuth(user: self) }

    /// Calls `observer`, on some thread, when the user logs in or out.
    func observe(_ name: ObjectIdentifier, _ observer: @escaping @Sendable () -> Void) {
      kept.withLock { $0.observers[name] = observer }
    }

    func stopObserving(_ name: ObjectIdentifier) {
      let observer = kept.withLock { $0.observers.removeValue(forKey: name) }
      _ = observer  // Goes outside of the lock.
    }

    /// Changes what is kept of the user.
    func change(_ body: (inout UserStore.Entry) -> Void) {
      guard let entry = changeHere(body) else { return }
      do { try app.shared.store.put(entry) } catch { tell(error) }
    }

    /// Changes the user's place among all; nothing else, which another process may know better.
    func change(order: Int) {
      guard changeHere({ $0.order = order }) != nil else { return }
      do { try app.shared.store.put(order: order, of: id) } catch { tell(error) }
    }

    /// Changes what this process knows of the user, and lets its agents know of another log-in.
    ///
    /// - Returns: what is to be kept; nil of a user who was removed.
    @discardableResult
    private func changeHere(_ body: (inout UserStore.Entry) -> Void) -> UserStore.Entry? {
      let (entry, observers) = kept.withLock { state in
        let before = state.entry
        body(&state.entry)
        let isSame =
          before.isLoggedIn == state.entry.isLoggedIn
          && before.refreshToken == state.entry.refreshToken
        return (state.isRemoved ? nil : state.entry, isSame ? [] : Array(state.observers.values))
      }
      for observer in observers { observer() }
      return entry
    }

    private func tell(_ error: any Error) {
      Logger.shared.log(.error) { "Could not keep the user '\(self.id)': \(error)" }
    }

    /// The same user of the same app.
    public static func == (left: User, right: User) -> Bool {
      left.id == right.id && left.app.shared === right.app.shared
    }

    /// Feeds the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    // MARK: Tokens

    private struct Session: Decodable {
      var access_token: String
    }

    /// An access token; a new one if the last is not taken any more. `finished` is called on some
    /// thread.
    func accessToken(
      new: Bool, _ finished: @escaping @Sendable (Result<String, AppError>) -> Void
    ) {
      if !new, let accessToken { return finished(.success(accessToken)) }
      guard let refreshToken else {
        return finished(
          .failure(AppError(.invalidSession, "The user '\(id)' has to log in again.")))
      }
      let isFirst = kept.withLock { state in
        state.waiting.append(finished)
        return state.waiting.count == 1
      }
      guard isFirst else { return }
      renew(by: refreshToken) { token in
        let waiting = self.kept.withLock { state in
          defer { state.waiting = [] }
          return state.waiting
        }
        for finished in waiting { finished(token) }
      }
    }

    /// Asks the server for an access token.
    private func renew(
      by refreshToken: String, _ finished: @escaping @Sendable (Result<String, AppError>) -> Void
    ) {
      app.requests.send("POST", "/api/auth/session", token: refreshToken) { result in
        switch result {
        case .success(let data):
          // What is no answer of the server is as good as none: there will be another one.
          guard let session = try? JSONDecoder().decode(Session.self, from: data) else {
            let message = "The server's answer cannot be read."
            return finished(.failure(AppError(.httpRequestFailed, message)))
          }
          let renewed = self.renewed(session.access_token, by: refreshToken)
          finished(renewed)
          if case .failure = renewed { self.sessionIsOver(refreshToken) }
        case .failure(let error):
          guard error.code == .invalidSession else { return finished(.failure(error)) }
          if let other = self.logInElsewhere(than: refreshToken) {
            return self.renew(by: other, finished)
          }
          finished(.failure(error))
          // Only then: who waits for the token is to hear why the user is logged out.
          self.sessionIsOver(refreshToken)
        }
      }
    }

    /// Keeps a new access token, unless the user was logged out meanwhile, in whichever process.
    private func renewed(
      _ accessToken: String, by refreshToken: String
    ) -> Result<String, AppError> {
      do {
        if try app.shared.store.put(accessToken: accessToken, for: refreshToken, of: id) {
          changeHere { if $0.refreshToken == refreshToken { $0.accessToken = accessToken } }
          return .success(accessToken)
        }
      } catch {
        tell(error)
        return .success(accessToken)
      }
      if logInElsewhere(than: refreshToken) != nil, let token = self.accessToken {
        return .success(token)
      }
      return .failure(AppError(.invalidSession, "The user '\(id)' has to log in again."))
    }

    /// Takes over what another process has kept of the user: it was logged in again there, or out.
    ///
    /// - Returns: the refresh token of another log-in; nil if there was none.
    private func logInElsewhere(than refreshToken: String) -> String? {
      guard let kept = try? app.shared.store.entry(id), kept.refreshToken != refreshToken else {
        return nil
      }
      changeHere { if $0.refreshToken == refreshToken { $0 = kept } }
      return self.refreshToken
    }

    /// Nobody takes the refresh token any more, or it was removed from what is kept: the user has
    /// to log in again. Asking for tokens with it once more would be of no use.
    private func sessionIsOver(_ refreshToken: String) {
      changeHere {
        guard $0.refreshToken == refreshToken else { return }
        $0.logOut()
      }
      do { try app.shared.store.logOut(id, refreshToken) } catch { tell(error) }
    }

    /// An access token for a request.
    func requestToken(new: Bool) async throws -> String {
      try await withCheckedThrowingContinuation { continuation in
        accessToken(new: new) { continuation.resume(with: $0) }
      }
    }

    // MARK: Going

    /// Ends the user's session, here and at the server. What was written and has not reached the
    /// server stays in the file until the user logs in again.
    public func logOut() async throws {
      let token = refreshToken
      change { $0.logOut() }
      guard let token else { return }
      // The server may be out of reach: logged out is who has no tokens.
      _ = try? await app.requests.send("DELETE", "/api/auth/session", token: token)
    }

    /// Ends the user's session. `completion` is called on some thread.
    public func logOut(completion: @escaping @Sendable ((any Error)?) -> Void) {
      finishing(completion) { try await self.logOut() }
    }

    /// Logs the user out and forgets it on this machine.
    @discardableResult
    public func remove() async throws -> User {
      try await logOut()
      kept.withLock { $0.isRemoved = true }
      app.shared.forget(self)
      return self
    }

    /// Logs the user out and forgets it. `completion` is called on some thread.
    public func remove(completion: @escaping @Sendable ((any Error)?) -> Void) {
      finishing(completion) { _ = try await self.remove() }
    }
  }
#endif
