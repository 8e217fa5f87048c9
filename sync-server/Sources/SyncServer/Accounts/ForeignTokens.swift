import Foundation
import JWTKit

/// A token of another issuer that logs a user in.
private struct ForeignPayload: JWTPayload {
  var sub: SubjectClaim
  var exp: ExpirationClaim
  var nbf: NotBeforeClaim?
  var iss: IssuerClaim?
  var aud: AudienceClaim?

  func verify(using algorithm: some JWTAlgorithm) async throws {
    try exp.verifyNotExpired()
    try nbf?.verifyNotBefore()
  }
}

extension AppSettings.TokenIssuer {
  /// Shorter secrets can be guessed.
  private static var secretBytesMin: Int { 32 }

  /// Whom a token names; nil if it is not a good one of this issuer.
  func subject(of token: String) async throws -> String? {
    let keys = JWTKeyCollection()
    if let secret {
      guard secret.utf8.count >= Self.secretBytesMin else {
        throw APIError(
          .internalServerError, "InternalServerError",
          "The secret of the app's tokens is shorter than \(Self.secretBytesMin) bytes.")
      }
      await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
    }
    if let jwks {
      guard let data = FileManager.default.contents(atPath: jwks) else {
        throw APIError(
          .internalServerError, "InternalServerError", "The app's key set cannot be read.")
      }
      try await keys.add(jwksJSON: String(decoding: data, as: UTF8.self))
    }
    guard let payload = try? await keys.verify(token, as: ForeignPayload.self) else { return nil }
    if let issuer, payload.iss?.value != issuer { return nil }
    if let audience, payload.aud?.value.contains(audience) != true { return nil }
    return payload.sub.value.isEmpty ? nil : payload.sub.value
  }
}
