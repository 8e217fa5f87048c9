import Crypto
import Foundation
import ObjectStore
import Platform

// API keys. A key is its id and its secret; the file has a hash of the secret, which is random and so
// needs no slow one.
extension AccountStore {
  /// A new key of a user, with its secret, which is not to be had again.
  public func addKey(
    _ app: String, user: String, name: String
  ) async throws -> (key: APIKey, secret: String) {
    let key = APIKey(id: Self.newID(), name: name, user: user, isDisabled: false)
    let secret = Hex.text(RandomBytes.make(32))
    try await file.write { writer in
      try writer.put(
        "APIKey", key.id,
        [
          "owner": .string(Self.userKey(app, user)), "app": .string(app), "user": .string(user),
          "name": .string(name), "hash": .data(Self.hash(secret)), "created": .double(Self.now),
        ])
    }
    return (key, key.id + "." + secret)
  }

  private static func hash(_ secret: some StringProtocol) -> [UInt8] {
    Array(SHA256.hash(data: Array(secret.utf8)))
  }

  /// The user that a key logs in; nil if it is not a good one.
  func user(ofKey text: String, app: String) throws -> Account? {
    let parts = text.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let user = try file.read { reader -> String? in
      guard let key = try reader.find("APIKey", String(parts[0])), key.text("app") == app,
        !key.flag("isDisabled"), PasswordHash.areEqual(key.bytes("hash"), Self.hash(parts[1]))
      else { return nil }
      return key.text("user")
    }
    return try user.flatMap { try self.user(app, $0) }
  }

  /// The keys of a user.
  public func keys(_ app: String, user: String) throws -> [APIKey] {
    try file.read { reader in
      try reader.all("APIKey", where: "owner", is: Self.userKey(app, user)).map(Self.key)
    }
  }

  private static func key(_ record: Record) -> APIKey {
    APIKey(
      id: record.text("_id"), name: record.text("name"), user: record.text("user"),
      isDisabled: record.flag("isDisabled"))
  }

  /// A key of a user.
  func key(_ app: String, user: String, id: String) throws -> APIKey? {
    try file.read { reader in
      guard let record = try reader.find("APIKey", id),
        record.text("owner") == Self.userKey(app, user)
      else { return nil }
      return Self.key(record)
    }
  }

  /// Disables a key, or takes that back; false if the user has no such key.
  public func setKeyDisabled(
    _ app: String, user: String, id: String, _ isDisabled: Bool
  ) async throws -> Bool {
    try await file.write { writer in
      guard let record = try writer.reader.find("APIKey", id),
        record.text("owner") == Self.userKey(app, user)
      else { return false }
      try writer.put("APIKey", id, ["isDisabled": .bool(isDisabled)])
      return true
    }
  }

  /// Removes a key; false if the user has no such key.
  public func removeKey(_ app: String, user: String, id: String) async throws -> Bool {
    try await file.write { writer in
      guard let record = try writer.reader.find("APIKey", id),
        record.text("owner") == Self.userKey(app, user)
      else { return false }
      return try writer.remove("APIKey", id)
    }
  }
}
