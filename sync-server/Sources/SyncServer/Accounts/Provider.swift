/// A way to log in, by the name that clients know it under.
public enum Provider: String, Sendable, Hashable, CaseIterable, Codable {
  /// Nothing but the device's refresh token knows the user.
  case anonymous = "anon-user"
  /// E-mail address and password.
  case password = "local-userpass"
  /// A key that a user or an administrator has made.
  case apiKey = "api-key"
  /// A JSON Web Token of another issuer.
  case customToken = "custom-token"
}
