import Foundation

/// Who logs in, and how.
struct LoginRequest: Decodable, Sendable {
  var provider: Provider
  var email: String?
  var password: String?
  var key: String?
  var token: String?
}

/// What a client gets that has logged in.
struct LoginResponse: Codable, Sendable {
  var user_id: String
  var access_token: String
  var refresh_token: String
  var device_id: String
}

/// Logs users in.
struct Authenticator: Sendable {
  let accounts: AccountStore
  let issuer: TokenIssuer
  let attempts: LoginGuard
  let refreshSeconds: Double

  func logIn(
    _ request: LoginRequest, app: String, settings: AppSettings, address: String
  ) async throws -> LoginResponse {
    guard settings.takes(request.provider) else {
      throw APIError(
        .forbidden, "AuthProviderDisabled", "The app does not let users log in in this way.")
    }
    let account: Account
    switch request.provider {
    case .anonymous: account = try await accounts.addUser(app, provider: request.provider.rawValue)
    case .password:
      account = try await byPassword(request, app, address)
    case .apiKey:
      try attempts.begin([address], now: AccountStore.now)
      guard let key = request.key, let user = try accounts.user(ofKey: key, app: app) else {
        throw APIError(.unauthorized, "InvalidAPIKey", "The API key is not valid.")
      }
      attempts.noteSuccess(name: nil, address: address)
      account = user
    case .customToken: account = try await byToken(request, app, settings)
    }
    if account.isDisabled { throw APIError.userDisabled }
    let session = try await accounts.addSession(account, seconds: refreshSeconds)
    return LoginResponse(
      user_id: account.id, access_token: try await issuer.accessToken(session),
      refresh_token: try await issuer.refreshToken(session), device_id: session.device)
  }

  private func byPassword(
    _ request: LoginRequest, _ app: String, _ address: String
  ) async throws -> Account {
    let email = try Self.normal(request.email)
    guard let password = request.password else { throw APIError.bad("A password is missing.") }
    let name = app + "/" + email
    try attempts.begin([name, address], now: AccountStore.now)
    let known = try accounts.identity(app, Provider.password.rawValue, email)
    if let known, try await known.proof.matches(password) {
      attempts.noteSuccess(name: name, address: address)
      return known.account
    }
    if known == nil { try await PasswordHash.waste(password) }
    throw APIError.invalidPassword
  }

  private func byToken(
    _ request: LoginRequest, _ app: String, _ settings: AppSettings
  ) async throws -> Account {
    guard let issuer = settings.tokens else {
      throw APIError(
        .forbidden, "AuthProviderDisabled", "The app takes no tokens; its settings name no issuer.")
    }
    guard let token = request.token, let subject = try await issuer.subject(of: token) else {
      throw APIError(.unauthorized, "InvalidToken", "The token is not valid.")
    }
    let provider = Provider.customToken.rawValue
    if let known = try accounts.identity(app, provider, subject) { return known.account }
    let new = try await accounts.addUser(app, provider: provider, subject: subject, proof: .none)
    if let new { return new }
    // Another request with the same token was quicker.
    guard let known = try accounts.identity(app, provider, subject) else {
      throw APIError.userNotFound
    }
    return known.account
  }

  /// A new user with e-mail address and password.
  func register(
    email: String?, password: String?, app: String, settings: AppSettings
  ) async throws -> Account {
    guard settings.takes(.password) else {
      throw APIError(.forbidden, "AuthProviderDisabled", "The app has no users with passwords.")
    }
    let email = try Self.normal(email)
    guard let password, (6...128).contains(password.utf8.count) else {
      throw APIError(
        .badRequest, "InvalidPassword", "A password has between 6 and 128 characters.")
    }
    let account = try await accounts.addUser(
      app, provider: Provider.password.rawValue, subject: email,
      proof: try await PasswordHash.make(password))
    guard let account else {
      throw APIError(
        .conflict, "AccountNameInUse", "There is a user with this e-mail address already.")
    }
    return account
  }

  /// One way to write an e-mail address.
  static func normal(_ email: String?) throws(APIError) -> String {
    guard let email, (3...254).contains(email.utf8.count), email.contains("@"),
      !email.contains(where: { $0.isWhitespace })
    else { throw APIError(.badRequest, "InvalidEmail", "That is no e-mail address.") }
    return email.lowercased()
  }
}
