#if Sync
  import Foundation

  /// A user as kept between runs of the program.
  final class SyncUserRecord: Object {
    @Persisted(primaryKey: true) var userId = ""
    @Persisted var accessToken = ""
    @Persisted var refreshToken = ""
    @Persisted var provider = ""
    /// Rises with each log-in and switch: the largest one is the current user's.
    @Persisted var order = 0
    @Persisted var isLoggedIn = true

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  /// The users of an app and their tokens, in a file of their own, which only its owner may read.
  struct UserStore: Sendable {
    /// What is kept of a user.
    struct Entry: Sendable {
      var userId: String
      var accessToken: String
      var refreshToken: String
      var provider: String
      var order: Int
      var isLoggedIn: Bool

      mutating func logOut() {
        isLoggedIn = false
        accessToken = ""
        refreshToken = ""
      }
    }

    let directory: URL

    init(appId: String) {
      let safe = appId.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "app"
      directory = Realm.Configuration.defaultFileURL.deletingLastPathComponent()
        .appendingPathComponent("mongodb-realm", isDirectory: true)
        .appendingPathComponent(safe, isDirectory: true)
    }

    private func realm() throws -> Realm {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      let file = directory.appendingPathComponent("users.realm", isDirectory: false)
      if !FileManager.default.fileExists(atPath: file.path) {
        _ = FileManager.default.createFile(
          atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
      }
      return try Realm(
        configuration: Realm.Configuration(fileURL: file, objectTypes: [SyncUserRecord.self]))
    }

    func all() throws -> [Entry] {
      try realm().objects(SyncUserRecord.self).map { Entry($0) }
    }

    /// What is kept of a user; nil if there is nothing.
    func entry(_ userId: String) throws -> Entry? {
      try realm().object(ofType: SyncUserRecord.self, forPrimaryKey: userId).map { Entry($0) }
    }

    /// Keeps an access token that was given for a refresh token.
    ///
    /// - Returns: whether that refresh token is still the user's: another process may have logged
    ///   the user out meanwhile, in again, or removed it.
    func put(accessToken: String, for refreshToken: String, of userId: String) throws -> Bool {
      let realm = try realm()
      return try realm.write {
        guard let record = realm.object(ofType: SyncUserRecord.self, forPrimaryKey: userId),
          record.isLoggedIn, record.refreshToken == refreshToken
        else { return false }
        record.accessToken = accessToken
        return true
      }
    }

    /// Keeps the place of a user that is kept.
    func put(order: Int, of userId: String) throws {
      let realm = try realm()
      try realm.write {
        realm.object(ofType: SyncUserRecord.self, forPrimaryKey: userId)?.order = order
      }
    }

    /// Keeps that a refresh token is of no use, unless the user has logged in again since.
    func logOut(_ userId: String, _ refreshToken: String) throws {
      let realm = try realm()
      try realm.write {
        guard let record = realm.object(ofType: SyncUserRecord.self, forPrimaryKey: userId),
          record.refreshToken == refreshToken
        else { return }
        record.isLoggedIn = false
        record.accessToken = ""
        record.refreshToken = ""
      }
    }

    func put(_ entry: Entry) throws {
      let realm = try realm()
      try realm.write {
        let record =
          realm.object(ofType: SyncUserRecord.self, forPrimaryKey: entry.userId)
          ?? realm.create(SyncUserRecord.self, value: ["userId": entry.userId])
        record.accessToken = entry.accessToken
        record.refreshToken = entry.refreshToken
        record.provider = entry.provider
        record.order = entry.order
        record.isLoggedIn = entry.isLoggedIn
      }
    }

    func remove(_ userId: String) throws {
      let realm = try realm()
      try realm.write {
        if let record = realm.object(ofType: SyncUserRecord.self, forPrimaryKey: userId) {
          realm.delete(record)
        }
      }
    }
  }

  extension UserStore.Entry {
    fileprivate init(_ record: SyncUserRecord) {
      self.init(
        userId: record.userId, accessToken: record.accessToken, refreshToken: record.refreshToken,
        provider: record.provider, order: record.order, isLoggedIn: record.isLoggedIn)
    }
  }
#endif
