import Foundation

/// What an administrator has said of an app: the file `app.json` in its folder.
public struct AppSettings: Sendable, Hashable, Codable {
  /// Whose tokens the app takes for log-ins.
  public struct TokenIssuer: Sendable, Hashable, Codable {
    /// The secret that tokens are signed with (HS256).
    public var secret: String?
    /// The file of public keys that they are signed with, as a JSON Web Key Set.
    public var jwks: String?
    /// What `iss` must be, if anything.
    public var issuer: String?
    /// What `aud` must have, if anything.
    public var audience: String?

    /// From its parts.
    public init(
      secret: String? = nil, jwks: String? = nil, issuer: String? = nil, audience: String? = nil
    ) {
      self.secret = secret
      self.jwks = jwks
      self.issuer = issuer
      self.audience = audience
    }
  }

  /// Whether clients may add classes and properties; as the server says if nil.
  public var isDevelopment: Bool?
  /// The ways to log in; all if nil.
  public var providers: [Provider]?
  /// Whose tokens are taken.
  public var tokens: TokenIssuer?

  /// The settings of an app that nobody has set up.
  public init() {}

  /// The settings of the app in a folder.
  public init(folder: String) throws {
    let path = folder + "/app.json"
    guard let data = FileManager.default.contents(atPath: path) else {
      self.init()
      return
    }
    self = try JSONDecoder().decode(AppSettings.self, from: data)
  }

  /// Writes the settings of the app in a folder.
  public func write(folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try PrivateFile.write(Array(try encoder.encode(self)), to: folder + "/app.json")
  }

  /// Whether users may log in so.
  func takes(_ provider: Provider) -> Bool { providers?.contains(provider) ?? true }
}
