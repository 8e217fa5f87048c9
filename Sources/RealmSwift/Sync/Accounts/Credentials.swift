#if Sync
  /// How a user logs in.
  public enum Credentials: Hashable, Sendable {
    /// By an account that was registered.
    case emailPassword(email: String, password: String)
    /// By a token of another service that the server trusts.
    case jwt(token: String)
    /// By a key that a user has made.
    case userAPIKey(String)
    /// By a key of the server's administrator.
    case serverAPIKey(String)
    /// Without saying who it is.
    case anonymous

    var provider: String {
      switch self {
      case .emailPassword: "local-userpass"
      case .jwt: "custom-token"
      case .userAPIKey, .serverAPIKey: "api-key"
      case .anonymous: "anon-user"
      }
    }

    var fields: [String: String] {
      var fields = ["provider": provider]
      switch self {
      case .emailPassword(let email, let password):
        fields["email"] = email
        fields["password"] = password
      case .jwt(let token): fields["token"] = token
      case .userAPIKey(let key), .serverAPIKey(let key): fields["key"] = key
      case .anonymous: break
      }
      return fields
    }
  }
#endif
