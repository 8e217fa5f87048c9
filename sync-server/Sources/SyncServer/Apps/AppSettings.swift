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
    guard FileManager.default.fileExists(atPath: path) else {
      self.init()
      return
    }
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw FileProblem(path, "cannot be read", error)
    }
    do { self = try JSONDecoder().decode(AppSettings.self, from: data) } catch {
      throw DataFolder.Unusable(description: "\(path) is damaged: \(Self.place(of: error))")
    }
  }

  private static func place(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it is no JSON" }
    switch error {
    case .keyNotFound(let key, _): return "\(key.stringValue) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      return context.codingPath.last.map { "\($0.stringValue) is not as it should be" }
        ?? "it is no JSON object"
    @unknown default: return "it is not as it should be"
    }
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
