import Foundation
import FoundationNetworking

/// An answer of the HTTP interface.
public struct Answer {
  /// The status.
  public var status: Int
  /// The body.
  public var data: Data

  /// The body, if it is a JSON object.
  public var body: [String: Any] {
    ((try? JSONSerialization.jsonObject(with: data)) as? [String: Any]) ?? [:]
  }

  /// A text in the body; empty if there is none of that name.
  public func text(_ name: String) -> String { body[name] as? String ?? "" }
}

extension ServerProcess {
  /// Asks the HTTP interface.
  public func ask(
    _ method: String, _ path: String, _ body: [String: String]? = nil, token: String? = nil
  ) async throws -> Answer {
    try await Self.ask(method, port: port, path, body, token: token)
  }

  /// Asks that of a server at a port of this machine; for tasks that do not share the process.
  public static func ask(
    _ method: String, port: Int, _ path: String, _ body: [String: String]? = nil,
    token: String? = nil
  ) async throws -> Answer {
    var request = URLRequest(url: URL(string: "http://127.0.0.1:\(port)\(path)")!)
    request.httpMethod = method
    if let body { request.httpBody = try JSONSerialization.data(withJSONObject: body) }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (data, response) = try await URLSession.shared.data(for: request)
    return Answer(status: (response as! HTTPURLResponse).statusCode, data: data)
  }

  /// The access token of a new anonymous user.
  public func anonymous(_ app: String = "demo") async throws -> String {
    try await ask("POST", "/api/app/\(app)/auth/login", ["provider": "anon-user"])
      .text("access_token")
  }
}
