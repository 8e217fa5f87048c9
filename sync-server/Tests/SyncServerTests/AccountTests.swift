import Foundation
import JWTKit
import ServerKit
import SyncProtocol
import Testing

/// Logging in, out, and what is refused.
@Suite struct AccountTests {
  private func started(_ settings: String? = nil) async throws -> ServerProcess {
    let server = try ServerProcess()
    if let settings {
      let folder = server.data + "/apps/demo"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try settings.write(toFile: folder + "/app.json", atomically: true, encoding: .utf8)
    }
    try await server.start()
    return server
  }

  private func logIn(_ server: ServerProcess, _ body: [String: String]) async throws -> Answer {
    try await server.ask("POST", "/api/app/demo/auth/login", body)
  }

  @Test func anonymousUsersAreDifferent() async throws {
    let server = try await started()
    let first = try await logIn(server, ["provider": "anon-user"])
    let second = try await logIn(server, ["provider": "anon-user"])
    #expect(first.status == 200 && second.status == 200)
    #expect(first.text("user_id").count == 24)
    #expect(first.text("user_id") != second.text("user_id"))
  }

  @Test func passwordsAreCheckedAndAddressesAreTakenOnce() async throws {
    let server = try await started()
    let body = ["email": "Ada@example.com", "password": "difference"]
    let made = try await server.ask("POST", "/api/app/demo/auth/register", body)
    #expect(made.status == 201)
    let again = try await server.ask("POST", "/api/app/demo/auth/register", body)
    #expect(again.status == 409 && again.text("error_code") == "AccountNameInUse")
    let short = try await server.ask(
      "POST", "/api/app/demo/auth/register", ["email": "b@example.com", "password": "x"])
    #expect(short.status == 400 && short.text("error_code") == "InvalidPassword")
    let good = ["provider": "local-userpass", "email": "ada@example.com", "password": "difference"]
    #expect(try await logIn(server, good).text("user_id") == made.text("user_id"))
    let wrong = try await logIn(server, good.merging(["password": "engine"]) { $1 })
    #expect(wrong.status == 401 && wrong.text("error_code") == "InvalidPassword")
    let unknown = try await logIn(server, good.merging(["email": "eve@example.com"]) { $1 })
    #expect(unknown.status == 401 && unknown.text("error_code") == "InvalidPassword")
  }

  @Test func guessingIsSlowedDown() async throws {
    let server = try await started()
    let wrong = ["provider": "local-userpass", "email": "ada@example.com", "password": "guess"]
    for _ in 0..<10 { #expect(try await logIn(server, wrong).status == 401) }
    let refused = try await logIn(server, wrong)
    #expect(refused.status == 429 && refused.text("error_code") == "TooManyRequests")
  }

  @Test func guessesAtOnceCountAsMany() async throws {
    let server = try await started()
    let port = server.port
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<40 {
        let guess = [
          "provider": "local-userpass", "email": "ada@example.com", "password": "guess \(number)",
        ]
        group.addTask {
          try await ServerProcess.ask("POST", port: port, "/api/app/demo/auth/login", guess).status
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 401 } == 10)
    #expect(statuses.count { $0 == 429 } == 30)
  }

  @Test func guessesMakeNoApp() async throws {
    let server = try await started()
    let guess = ["provider": "local-userpass", "email": "ada@example.com", "password": "guess"]
    #expect(try await server.ask("POST", "/api/app/none/auth/login", guess).status == 401)
    let bad = ["email": "no address", "password": "difference"]
    #expect(try await server.ask("POST", "/api/app/none/auth/register", bad).status == 400)
    #expect(!FileManager.default.fileExists(atPath: server.data + "/apps/none"))
  }

  @Test func aLogInOfOnesOwnBuysNoGuesses() async throws {
    let server = try await started()
    let own = ["email": "eve@example.com", "password": "difference"]
    #expect(try await server.ask("POST", "/api/app/demo/auth/register", own).status == 201)
    let good = own.merging(["provider": "local-userpass"]) { $1 }
    for number in 0..<10 {
      let guess = [
        "provider": "local-userpass", "email": "ada\(number)@example.com", "password": "guess",
      ]
      #expect(try await logIn(server, guess).status == 401)
      if number < 9 { #expect(try await logIn(server, good).status == 200) }
    }
    #expect(try await logIn(server, good).status == 429)
  }

  @Test func aRevokedSessionIsOfNoUse() async throws {
    let server = try await started()
    let known = try await logIn(server, ["provider": "anon-user"])
    let refresh = known.text("refresh_token")
    let renewed = try await server.ask("POST", "/api/auth/session", token: refresh)
    #expect(renewed.status == 200 && !renewed.text("access_token").isEmpty)
    let wrongKind = try await server.ask(
      "POST", "/api/auth/session", token: known.text("access_token"))
    #expect(wrongKind.status == 401 && wrongKind.text("error_code") == "InvalidSession")
    #expect(try await server.ask("DELETE", "/api/auth/session", token: refresh).status == 204)
    #expect(try await server.ask("POST", "/api/auth/session", token: refresh).status == 401)
    let device = Device(1)
    try await device.connect(server, token: renewed.text("access_token"))
    try await device.wait("the refusal") { _, session in session == nil }
    #expect(try await device.onLoop { $0.failure?.code } == .badToken)
  }

  @Test func aTokenOfAnotherAppIsRefused() async throws {
    let server = try await started()
    _ = try await server.anonymous("demo")
    let device = Device(1)
    try await device.connect(server, token: try await server.anonymous("other"))
    try await device.wait("the refusal") { _, session in session == nil }
    #expect(try await device.onLoop { $0.failure?.code } == .badToken)
  }

  @Test func keysLogInUntilTheyAreDisabledOrRemoved() async throws {
    let server = try await started()
    let user = try await logIn(server, ["provider": "anon-user"])
    let token = user.text("access_token")
    let path = "/api/app/demo/auth/api_keys"
    let key = try await server.ask("POST", path, ["name": "robot"], token: token)
    #expect(key.status == 201 && key.text("name") == "robot")
    let body = ["provider": "api-key", "key": key.text("key")]
    #expect(try await logIn(server, body).text("user_id") == user.text("user_id"))
    let id = key.text("_id")
    #expect(try await server.ask("PUT", "\(path)/\(id)/disable", token: token).status == 204)
    let refused = try await logIn(server, body)
    #expect(refused.status == 401 && refused.text("error_code") == "InvalidAPIKey")
    #expect(try await server.ask("PUT", "\(path)/\(id)/enable", token: token).status == 204)
    #expect(try await logIn(server, body).status == 200)
    let list = try await server.ask("GET", path, token: token)
    #expect(String(decoding: list.data, as: UTF8.self).contains("robot"))
    #expect(!String(decoding: list.data, as: UTF8.self).contains(key.text("key")))
    #expect(try await server.ask("DELETE", "\(path)/\(id)", token: token).status == 204)
    #expect(try await logIn(server, body).status == 401)
    let gone = try await server.ask("GET", "\(path)/\(id)", token: token)
    #expect(gone.status == 404 && gone.text("error_code") == "APIKeyNotFound")
    #expect(try await server.ask("GET", path).status == 401)
  }

  private struct Payload: JWTPayload {
    var sub: String
    var exp: ExpirationClaim
    var aud: String

    func verify(using algorithm: some JWTAlgorithm) async throws {}
  }

  @Test func tokensOfTheAppsIssuerLogIn() async throws {
    let server = try await started(
      #"{"tokens": {"secret": "a secret that both sides of it know", "audience": "demo"}}"#)
    let keys = JWTKeyCollection()
    await keys.add(hmac: "a secret that both sides of it know", digestAlgorithm: .sha256)
    let others = JWTKeyCollection()
    await others.add(hmac: "a secret of another one, not known here", digestAlgorithm: .sha256)
    func token(_ keys: JWTKeyCollection, seconds: Double = 60, aud: String = "demo") async throws
      -> [String: String]
    {
      let payload = Payload(
        sub: "ada", exp: ExpirationClaim(value: Date().addingTimeInterval(seconds)), aud: aud)
      return ["provider": "custom-token", "token": try await keys.sign(payload)]
    }
    let first = try await logIn(server, try await token(keys))
    let second = try await logIn(server, try await token(keys))
    #expect(first.status == 200 && first.text("user_id") == second.text("user_id"))
    for bad in [
      try await token(others), try await token(keys, seconds: -60),
      try await token(keys, aud: "else"), ["provider": "custom-token", "token": "nonsense"],
    ] {
      let refused = try await logIn(server, bad)
      #expect(refused.status == 401 && refused.text("error_code") == "InvalidToken")
    }
  }

  @Test func onlyTheWaysThatTheAppHasLogIn() async throws {
    let server = try await started(#"{"providers": ["local-userpass"]}"#)
    let refused = try await logIn(server, ["provider": "anon-user"])
    #expect(refused.status == 403 && refused.text("error_code") == "AuthProviderDisabled")
    let nonsense = try await logIn(server, ["provider": "magic"])
    #expect(nonsense.status == 400 && nonsense.text("error_code") == "BadRequest")
  }
}
