import Foundation
import JWTKit

/// What a token of this server says.
struct TokenPayload: JWTPayload {
  enum Kind: String, Codable, Sendable {
    /// Opens connections and the HTTP interface, for a short time.
    case access
    /// Gets access tokens.
    case refresh
  }

  /// The user.
  var sub: SubjectClaim
  var exp: ExpirationClaim
  var app: String
  /// The session that it belongs to.
  var sid: String
  var kind: Kind

  func verify(using algorithm: some JWTAlgorithm) async throws { try exp.verifyNotExpired() }
}

/// Makes and checks the tokens of this server, signed with its own key.
struct TokenIssuer: Sendable {
  private let keys: JWTKeyCollection
  private let accounts: AccountStore
  private let accessSeconds: Double

  init(key: [UInt8], accounts: AccountStore, accessSeconds: Double) async {
    keys = JWTKeyCollection()
    await keys.add(hmac: HMACKey(from: key), digestAlgorithm: .sha256)
    self.accounts = accounts
    self.accessSeconds = accessSeconds
  }

  func accessToken(_ session: Session) async throws -> String {
    try await sign(session, .access, min(session.expiry, AccountStore.now + accessSeconds))
  }

  func refreshToken(_ session: Session) async throws -> String {
    try await sign(session, .refresh, session.expiry)
  }

  private func sign(
    _ session: Session, _ kind: TokenPayload.Kind, _ expiry: Double
  ) async throws -> String {
    let payload = TokenPayload(
      sub: SubjectClaim(value: session.user),
      exp: ExpirationClaim(value: Date(timeIntervalSince1970: expiry)), app: session.app,
      sid: session.id, kind: kind)
    return try await keys.sign(payload)
  }

  /// What a token says, if it is one of this server's, is of that kind, has not run out, and its
  /// session has not been revoked.
  func check(
    _ token: String, _ kind: TokenPayload.Kind
  ) async throws -> (payload: TokenPayload, session: Session, account: Account)? {
    guard let payload = try? await keys.verify(token, as: TokenPayload.self),
      payload.kind == kind, let known = try accounts.session(payload.sid),
      known.session.user == payload.sub.value, known.session.app == payload.app
    else { return nil }
    return (payload, known.session, known.account)
  }
}
