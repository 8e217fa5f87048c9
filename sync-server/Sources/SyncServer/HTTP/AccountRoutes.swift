import Foundation
import Hummingbird

/// Log-in, registration, sessions and API keys.
struct AccountRoutes: Sendable {
  let accounts: AccountStore
  let apps: AppRegistry
  let authenticator: Authenticator
  let issuer: TokenIssuer
  let rate: LoginRate
  let requestBytes: Int

  private struct Registration: Decodable {
    var email: String?
    var password: String?
  }

  private struct NewKey: Decodable { var name: String }

  private struct KeyBody: Encodable {
    var _id: String
    var name: String
    var disabled: Bool
    var key: String?

    init(_ key: APIKey, secret: String? = nil) {
      _id = key.id
      name = key.name
      disabled = key.isDisabled
      self.key = secret
    }
  }

  func add(to router: Router<APIContext>) {
    router.post("/api/app/:app/auth/login") { request, context in
      let name = try Self.app(context)
      try rate.count(context.address, now: AccountStore.now)
      let body = try await decode(LoginRequest.self, request)
      let settings = try apps.settings(name)
      // Who has a password or a key has it in an app that is there: guesses make none.
      if body.provider == .anonymous || apps.exists(name) {
        _ = try await apps.host(name, mayMake: true)
      }
      return try Response.json(
        try await authenticator.logIn(
          body, app: name.text, settings: settings, address: context.address))
    }
    router.post("/api/app/:app/auth/register") { request, context in
      let name = try Self.app(context)
      try rate.count(context.address, now: AccountStore.now)
      let body = try await decode(Registration.self, request)
      let settings = try apps.settings(name)
      _ = try Authenticator.normal(body.email)
      _ = try await apps.host(name, mayMake: true)
      let account = try await authenticator.register(
        email: body.email, password: body.password, app: name.text, settings: settings)
      return try Response.json(["user_id": account.id], status: .created)
    }
    router.post("/api/auth/session") { request, _ in
      let known = try await session(request, .refresh)
      return try Response.json(["access_token": try await issuer.accessToken(known.session)])
    }
    router.delete("/api/auth/session") { request, _ in
      let known = try await session(request, .refresh)
      _ = try await accounts.endSession(known.session.id)
      return Response(status: .noContent)
    }
    addKeys(to: router.group("/api/app/:app/auth/api_keys"))
  }

  private func addKeys(to group: RouterGroup<APIContext>) {
    group.get("") { request, context in
      let user = try await user(request, context)
      return try Response.json(try accounts.keys(user.app, user: user.id).map { KeyBody($0) })
    }
    group.post("") { request, context in
      let user = try await user(request, context)
      let body = try await decode(NewKey.self, request)
      guard (1...128).contains(body.name.utf8.count) else {
        throw APIError.bad("A key has a name.")
      }
      let new = try await accounts.addKey(user.app, user: user.id, name: body.name)
      return try Response.json(KeyBody(new.key, secret: new.secret), status: .created)
    }
    group.get(":key") { request, context in
      let user = try await user(request, context)
      let id = try context.parameters.require("key")
      guard let key = try accounts.key(user.app, user: user.id, id: id) else {
        throw APIError.keyNotFound
      }
      return try Response.json(KeyBody(key))
    }
    group.delete(":key") { request, context in
      let user = try await user(request, context)
      let id = try context.parameters.require("key")
      guard try await accounts.removeKey(user.app, user: user.id, id: id) else {
        throw APIError.keyNotFound
      }
      return Response(status: .noContent)
    }
    for (verb, isDisabled) in [("enable", false), ("disable", true)] {
      group.put("\(":key")/\(verb)") { request, context in
        let user = try await user(request, context)
        let id = try context.parameters.require("key")
        let isKnown = try await accounts.setKeyDisabled(
          user.app, user: user.id, id: id, isDisabled)
        guard isKnown else { throw APIError.keyNotFound }
        return Response(status: .noContent)
      }
    }
  }

  private static func app(_ context: APIContext) throws -> AppName {
    guard let name = AppName(try context.parameters.require("app")) else {
      throw APIError.noSuchApp
    }
    return name
  }

  private func decode<Body: Decodable>(_: Body.Type, _ request: Request) async throws -> Body {
    let bytes = try await request.body.collect(upTo: requestBytes)
    return try JSONDecoder().decode(Body.self, from: Data(bytes.readableBytesView))
  }

  /// The session of the token that a request carries.
  private func session(
    _ request: Request, _ kind: TokenPayload.Kind
  ) async throws -> (session: Session, account: Account) {
    guard let token = request.bearerToken, let known = try await issuer.check(token, kind) else {
      throw APIError.invalidSession
    }
    return (known.session, known.account)
  }

  private func user(_ request: Request, _ context: APIContext) async throws -> Account {
    let account = try await session(request, .access).account
    guard account.app == (try Self.app(context)).text else { throw APIError.invalidSession }
    return account
  }
}

extension Request {
  /// What stands after `Bearer` in the header.
  var bearerToken: String? {
    guard let header = headers[.authorization] else { return nil }
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
