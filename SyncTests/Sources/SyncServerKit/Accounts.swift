import Foundation
import NIOCore
import NIOHTTP1

/// Users and their tokens; used on the server's loop.
final class Accounts: @unchecked Sendable {
  // Sendable: used on the one loop.
  var passwords: [String: (id: String, password: String)] = [:]
  var access: [String: String] = [:]
  var refresh: [String: String] = [:]
  private var count = 0
  /// With which status somebody else answers who wants a new token; nil: nobody does.
  var portalStatus: UInt?

  func makeId(_ what: String) -> String {
    count += 1
    return "\(what)-\(count)"
  }

  /// Status and body of the answer.
  func answer(
    _ head: HTTPRequestHead, _ body: [String: String]
  ) -> (status: UInt, fields: [String: String]) {
    let token = head.headers.first(name: "Authorization")?.dropFirst("Bearer ".count)
    switch (head.method.rawValue, head.uri.split(separator: "/").last ?? "") {
    case ("POST", "login"): return logIn(body)
    case ("POST", "register"):
      guard let email = body["email"], let password = body["password"] else {
        return problem("InvalidParameter", "An account has a password.")
      }
      if passwords[email] != nil { return problem("AccountNameInUse", "The name is in use.") }
      let id = makeId("user")
      passwords[email] = (id, password)
      return (201, ["user_id": id])
    case ("POST", "api_keys"):
      guard token.flatMap({ access[String($0)] }) != nil else {
        return problem("InvalidSession", "The session is over.", 401)
      }
      let name = body["name"] ?? ""
      return (201, ["_id": "0123456789abcdef01234567", "name": name, "key": makeId("key")])
    case ("POST", "session"):
      if let portalStatus { return (portalStatus, ["welcome": "to the hotel"]) }
      guard let user = token.flatMap({ refresh[String($0)] }) else {
        return problem("InvalidSession", "The session is over.", 401)
      }
      let new = makeId("access")
      access[new] = user
      return (200, ["access_token": new])
    case ("DELETE", "session"):
      if let token { refresh[String(token)] = nil }
      return (204, [:])
    default: return problem("NotFound", "There is no such thing.", 404)
    }
  }

  private func logIn(_ body: [String: String]) -> (status: UInt, fields: [String: String]) {
    let user: String
    switch body["provider"] {
    case "anon-user": user = makeId("anonymous")
    case "local-userpass":
      guard let known = passwords[body["email"] ?? ""] else {
        return problem("UserNotFound", "There is no such user.", 401)
      }
      guard known.password == body["password"] else {
        return problem("InvalidPassword", "The password is wrong.", 401)
      }
      user = known.id
    default: return problem("AuthError", "There is no such way of logging in.", 401)
    }
    let (new, long) = (makeId("access"), makeId("refresh"))
    access[new] = user
    refresh[long] = user
    return (
      200,
      ["user_id": user, "access_token": new, "refresh_token": long, "device_id": makeId("device")]
    )
  }

  private func problem(
    _ code: String, _ message: String, _ status: UInt = 400
  ) -> (UInt, [String: String]) {
    (status, ["error": message, "error_code": code])
  }
}

final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  // Sendable: used on the one loop.
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let accounts: Accounts
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []

  init(_ accounts: Accounts) { self.accounts = accounts }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body = []
    case .body(let bytes): body += bytes.readableBytesView
    case .end:
      guard let head else { return }
      let fields = try? JSONDecoder().decode([String: String].self, from: Data(body))
      let answer = accounts.answer(head, fields ?? [:])
      let bytes = (try? JSONEncoder().encode(answer.fields)).map(Array.init) ?? []
      var headers = HTTPHeaders()
      headers.add(name: "Content-Length", value: "\(bytes.count)")
      let response = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: Int(answer.status)),
        headers: headers)
      context.write(wrapOutboundOut(.head(response)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
