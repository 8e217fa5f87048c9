internal import CCrypto

/// A secret that keys for several purposes are derived from, by HKDF with SHA-256 (RFC 5869). The
/// library has been loaded.
public struct DerivedKey: Sendable {
  private let pseudorandomKey: [UInt8]

  /// - Parameters:
  ///   - secret: what is to be derived from.
  ///   - salt: random, and no secret; two of them give unrelated keys.
  public init(_ secret: [UInt8], salt: [UInt8]) {
    pseudorandomKey = Self.code(of: secret, key: salt)
  }

  /// 32 bytes that depend on `purpose`.
  public func key(for purpose: String) -> [UInt8] { code(of: Array(purpose.utf8) + [1]) }

  /// HMAC-SHA-256 of `bytes` under the secret.
  private func code(of bytes: [UInt8]) -> [UInt8] { Self.code(of: bytes, key: pseudorandomKey) }

  /// HMAC-SHA-256.
  public static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    guard holdfast_hmac_sha256(key, key.count, bytes, bytes.count, &code) != 0 else {
      preconditionFailure("There is no memory left for encryption.")
    }
    return code
  }
}
