#if Sync
  import Foundation

  /// A key by which a user can log in.
  public struct UserAPIKey: Hashable, Sendable {
    /// What the user calls it.
    public let name: String
    /// The key itself: given once, when it is made.
    public let key: String?
    /// Whether it is of no use for the time being.
    public let disabled: Bool
    /// What names it in requests.
    public let objectId: ObjectId
  }

  /// Makes keys by which a user can log in.
  public struct APIKeyAuth: Sendable {
    let user: User

    private struct Answer: Decodable {
      var _id: String
      var name: String
      var key: String?
      var disabled: Bool?

      func read() throws -> UserAPIKey {
        guard let id = try? ObjectId(string: _id) else {
          throw AppError(.unknown, "The server's answer cannot be read: \(_id)")
        }
        return UserAPIKey(name: name, key: key, disabled: disabled ?? false, objectId: id)
      }
    }

    private var path: String { "\(user.app.path)/auth/api_keys" }

    private func send(
      _ method: String, _ path: String, _ fields: [String: String]? = nil
    ) async throws -> Data {
      let token = try await user.requestToken(new: false)
      do {
        return try await user.app.requests.send(method, path, token: token, fields)
      } catch let error as AppError where error.code == .invalidSession {
        // Tokens run out.
        let new = try await user.requestToken(new: true)
        return try await user.app.requests.send(method, path, token: new, fields)
      }
    }

    /// Makes a key.
    public func createAPIKey(named name: String) async throws -> UserAPIKey {
      try await send("POST", path, ["name": name]).decoded(Answer.self).read()
    }

    /// One of the user's keys.
    public func fetchAPIKey(_ id: ObjectId) async throws -> UserAPIKey {
      try await send("GET", "\(path)/\(id.stringValue)").decoded(Answer.self).read()
    }

    /// All of the user's keys.
    public func fetchAPIKeys() async throws -> [UserAPIKey] {
      try await send("GET", path).decoded([Answer].self).map { try $0.read() }
    }

    /// Deletes a key.
    public func deleteAPIKey(_ id: ObjectId) async throws {
      _ = try await send("DELETE", "\(path)/\(id.stringValue)")
    }

    /// Lets a key be of use again.
    public func enableAPIKey(_ id: ObjectId) async throws {
      _ = try await send("PUT", "\(path)/\(id.stringValue)/enable")
    }

    /// Makes a key be of no use.
    public func disableAPIKey(_ id: ObjectId) async throws {
      _ = try await send("PUT", "\(path)/\(id.stringValue)/disable")
    }
  }
#endif
