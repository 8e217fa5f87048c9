import Foundation

/// What an administrator does to the data of a server, whether it runs or not.
public struct Administration: Sendable {
  /// Where the data is.
  public let options: ServerOptions

  /// Why something could not be done.
  public struct Failure: Error, CustomStringConvertible {
    /// In words for the administrator.
    public var description: String

    init(_ description: String) { self.description = description }
  }

  /// The data in a folder.
  public init(data: String) throws {
    umask(0o077)
    options = ServerOptions(data: data)
    guard FileManager.default.fileExists(atPath: data) else {
      throw Failure("there is no folder \(data); `sync-server serve` makes it")
    }
    try BackupMark.check(data)
  }

  /// The accounts of all apps.
  public func accounts() throws -> AccountStore {
    try KnownFile(options.accountsPath).check()
    return try AccountStore(path: options.accountsPath)
  }

  // MARK: Apps

  /// The apps that there are.
  public func apps() -> [AppName] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: options.appsPath)) ?? []
    return names.sorted().compactMap { AppName($0) }
  }

  /// An app by its name.
  public func app(_ text: String) throws -> AppName {
    guard let name = AppName(text) else {
      throw Failure("'\(text)' is no name of an app: letters, digits, - and _, 64 at most")
    }
    guard FileManager.default.fileExists(atPath: options.appPath(name.text)) else {
      throw Failure("there is no app '\(text)'; `sync-server app create \(text)` makes it")
    }
    return name
  }

  /// Makes an app.
  public func createApp(_ text: String, _ settings: AppSettings) throws {
    guard let name = AppName(text) else {
      throw Failure("'\(text)' is no name of an app: letters, digits, - and _, 64 at most")
    }
    let folder = options.appPath(name.text)
    guard !FileManager.default.fileExists(atPath: folder) else {
      throw Failure("there is an app '\(text)' already")
    }
    try FileManager.default.makePrivateFolder(folder)
    try settings.write(folder: folder)
  }

  /// What an app has been set up with.
  public func settings(_ name: AppName) throws -> AppSettings {
    try AppSettings(folder: options.appPath(name.text))
  }

  /// Sets an app up. A running server takes it over for the next log-in; the schema's mode when it
  /// starts.
  public func set(_ settings: AppSettings, of name: AppName) throws {
    try settings.write(folder: options.appPath(name.text))
  }

  // MARK: Users

  /// Adds a user with a password, and says the id.
  public func addUser(_ name: AppName, email: String, password: String) async throws -> String {
    let proof = try await PasswordHash.make(password)
    let subject: String
    do { subject = try Authenticator.normal(email) } catch { throw Failure(error.message) }
    let account = try await accounts().addUser(
      name.text, provider: Provider.password.rawValue, subject: subject, proof: proof)
    guard let account else { throw Failure("there is a user with that address already") }
    return account.id
  }

  /// Gives a user another password, and ends the user's sessions.
  public func setPassword(_ name: AppName, email: String, password: String) async throws {
    let proof = try await PasswordHash.make(password)
    let isKnown = try await accounts().setPassword(name.text, email: email.lowercased(), proof)
    guard isKnown else { throw Failure("there is no user with that address") }
  }

  /// A user for a program of the administrator's, who logs in by keys alone.
  public func addKeyUser(_ name: AppName) async throws -> String {
    try await accounts().addUser(name.text, provider: Provider.apiKey.rawValue).id
  }
}
