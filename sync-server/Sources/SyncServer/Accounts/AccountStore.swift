import Foundation
import ObjectStore
import Platform
import Storage

/// A user of an app.
public struct Account: Sendable, Hashable {
  /// The app.
  public var app: String
  /// The user's id.
  public var id: String
  /// How the user logs in: the name of the provider.
  public var provider: String
  /// The e-mail address, or what a token of others calls the user.
  public var subject: String
  /// Whether the user can no longer log in.
  public var isDisabled: Bool
}

/// An API key, but for its secret.
public struct APIKey: Sendable, Hashable {
  /// Which key.
  public var id: String
  /// How its owner calls it.
  public var name: String
  /// The user that it logs in.
  public var user: String
  /// Whether it cannot be used.
  public var isDisabled: Bool
}

/// A log-in of a device, which lasts until it is revoked or runs out.
struct Session: Sendable, Hashable {
  var id: String
  var app: String
  var user: String
  var device: String
  /// Seconds since 1970.
  var expiry: Double
}

/// Users, their identities, API keys and sessions, of all apps.
public final class AccountStore: Sendable {
  let file: RecordFile

  /// Opens the file of accounts, and makes it if it is not there.
  public init(path: String) throws {
    func key() -> PropertyDescription {
      PropertyDescription(name: "_id", kind: .string, isPrimaryKey: true)
    }
    func text(_ name: String, indexed: Bool = false) -> PropertyDescription {
      PropertyDescription(name: name, kind: .string, isIndexed: indexed)
    }
    let created = PropertyDescription(name: "created", kind: .double)
    let isDisabled = PropertyDescription(name: "isDisabled", kind: .bool)
    let hash = PropertyDescription(name: "hash", kind: .data)
    file = try RecordFile(
      path: path,
      classes: [
        ClassDescription(
          name: "User",
          properties: [
            key(), text("app", indexed: true), text("user"), text("provider"), text("subject"),
            isDisabled, created,
          ]),
        ClassDescription(
          name: "Identity",
          properties: [
            key(), text("user", indexed: true), PropertyDescription(name: "salt", kind: .data),
            hash,
          ]),
        ClassDescription(
          name: "APIKey",
          properties: [
            key(), text("owner", indexed: true), text("app"), text("user"), text("name"), hash,
            isDisabled, created,
          ]),
        ClassDescription(
          name: "Session",
          properties: [
            key(), text("owner", indexed: true), text("app"), text("user"), text("device"),
            PropertyDescription(name: "expiry", kind: .double), created,
          ]),
      ])
  }

  static func userKey(_ app: String, _ user: String) -> String { app + "/" + user }

  private static func identityKey(_ app: String, _ provider: String, _ subject: String) -> String {
    app + "/" + provider + "/" + subject
  }

  /// An id like those that the SDK's users know: 24 digits.
  static func newID() -> String { Hex.text(RandomBytes.make(12)) }

  static var now: Double { Date().timeIntervalSince1970 }

  // MARK: Users

  /// A user, if there is one.
  public func user(_ app: String, _ id: String) throws -> Account? {
    try file.read { try $0.find("User", Self.userKey(app, id)).map(Self.account) }
  }

  /// All users of an app.
  public func users(of app: String) throws -> [Account] {
    try file.read { try $0.all("User", where: "app", is: app).map(Self.account) }
  }

  private static func account(_ record: Record) -> Account {
    Account(
      app: record.text("app"), id: record.text("user"), provider: record.text("provider"),
      subject: record.text("subject"), isDisabled: record.flag("isDisabled"))
  }

  /// A new user whom nothing but a token of this server names.
  func addUser(_ app: String, provider: String) async throws -> Account {
    try await file.write { try Self.addUser(app, provider, subject: "", $0) }
  }

  private static func addUser(
    _ app: String, _ provider: String, subject: String, _ writer: RecordWriter
  ) throws -> Account {
    let account = Account(
      app: app, id: newID(), provider: provider, subject: subject, isDisabled: false)
    try writer.put(
      "User", userKey(app, account.id),
      [
        "app": .string(app), "user": .string(account.id), "provider": .string(provider),
        "subject": .string(subject), "created": .double(now),
      ])
    return account
  }

  /// The user with an identity, and the proof of it if the identity has one.
  func identity(
    _ app: String, _ provider: String, _ subject: String
  ) throws -> (account: Account, proof: PasswordHash)? {
    try file.read { reader in
      let key = Self.identityKey(app, provider, subject)
      guard let identity = try reader.find("Identity", key),
        let user = try reader.find("User", identity.text("user"))
      else { return nil }
      let proof = PasswordHash(salt: identity.bytes("salt"), hash: identity.bytes("hash"))
      return (Self.account(user), proof)
    }
  }

  /// A new user with an identity; nil if there is one with that identity.
  func addUser(
    _ app: String, provider: String, subject: String, proof: PasswordHash
  ) async throws -> Account? {
    try await file.write { writer in
      let key = Self.identityKey(app, provider, subject)
      if try writer.reader.find("Identity", key) != nil { return nil }
      let account = try Self.addUser(app, provider, subject: subject, writer)
      try writer.put(
        "Identity", key,
        [
          "user": .string(Self.userKey(app, account.id)), "salt": .data(proof.salt),
          "hash": .data(proof.hash),
        ])
      return account
    }
  }

  /// Another password; false if there is no such user.
  func setPassword(_ app: String, email: String, _ proof: PasswordHash) async throws -> Bool {
    try await file.write { writer in
      let key = Self.identityKey(app, Provider.password.rawValue, email)
      guard let identity = try writer.reader.find("Identity", key) else { return false }
      try writer.put("Identity", key, ["salt": .data(proof.salt), "hash": .data(proof.hash)])
      try Self.endSessions(of: identity.text("user"), writer)
      return true
    }
  }

  /// Disables a user, or takes that back; false if there is none. A disabled user is logged out.
  public func setDisabled(_ app: String, _ id: String, _ isDisabled: Bool) async throws -> Bool {
    try await file.write { writer in
      let key = Self.userKey(app, id)
      guard try writer.reader.find("User", key) != nil else { return false }
      try writer.put("User", key, ["isDisabled": .bool(isDisabled)])
      if isDisabled { try Self.endSessions(of: key, writer) }
      return true
    }
  }

  /// Removes a user with identities, keys and sessions; false if there is none.
  public func removeUser(_ app: String, _ id: String) async throws -> Bool {
    try await file.write { writer in
      let key = Self.userKey(app, id)
      try Self.endSessions(of: key, writer)
      for (type, property) in [("Identity", "user"), ("APIKey", "owner")] {
        for record in try writer.reader.all(type, where: property, is: key) {
          try writer.remove(type, record.text("_id"))
        }
      }
      return try writer.remove("User", key)
    }
  }

  // MARK: Sessions

  func addSession(_ account: Account, seconds: Double) async throws -> Session {
    let session = Session(
      id: Self.newID(), app: account.app, user: account.id, device: Self.newID(),
      expiry: Self.now + seconds)
    try await file.write { writer in
      let owner = Self.userKey(account.app, account.id)
      // What has run out goes here, where something is written anyway.
      for old in try writer.reader.all("Session", where: "owner", is: owner)
      where old.seconds("expiry") < Self.now { try writer.remove("Session", old.text("_id")) }
      try writer.put(
        "Session", session.id,
        [
          "owner": .string(owner), "app": .string(session.app), "user": .string(session.user),
          "device": .string(session.device), "expiry": .double(session.expiry),
          "created": .double(Self.now),
        ])
    }
    return session
  }

  /// A session that is not revoked and has not run out, with its user; nil if there is none, or the
  /// user is disabled.
  func session(_ id: String) throws -> (session: Session, account: Account)? {
    try file.read { reader in
      guard let record = try reader.find("Session", id), record.seconds("expiry") > Self.now,
        let user = try reader.find("User", record.text("owner")), !user.flag("isDisabled")
      else { return nil }
      let session = Session(
        id: id, app: record.text("app"), user: record.text("user"), device: record.text("device"),
        expiry: record.seconds("expiry"))
      return (session, Self.account(user))
    }
  }

  func endSession(_ id: String) async throws -> Bool {
    try await file.write { try $0.remove("Session", id) }
  }

  private static func endSessions(of owner: String, _ writer: RecordWriter) throws {
    for record in try writer.reader.all("Session", where: "owner", is: owner) {
      try writer.remove("Session", record.text("_id"))
    }
  }
}
