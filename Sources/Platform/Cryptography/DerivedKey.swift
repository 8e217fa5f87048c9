internal import CCrypto

/// A secret that keys for several purposes are derived from, by HKDF with SHA-256 (RFC 5869). The
/// library has been loaded.
public struct DerivedKey: Sendable {
  private let pseudorandomKey: SecretBytes

  /// - Parameters:
  ///   - secret: what is to be derived from.
  ///   - salt: random, and no secret; two of them give unrelated keys.
  public init(_ secret: SecretBytes, salt: [UInt8]) {
    pseudorandomKey = SecretBytes(count: Self.codeSize) { code in
      salt.withUnsafeBytes { salt in
        secret.withUnsafeBytes { Self.write(code, of: $0, key: salt) }
      }
    }
  }

  /// 32 bytes that depend on `purpose`.
  public func key(for purpose: String) -> SecretBytes {
    SecretBytes(count: Self.codeSize) { code in
      (Array(purpose.utf8) + [1]).withUnsafeBytes { purpose in
        pseudorandomKey.withUnsafeBytes { Self.write(code, of: purpose, key: $0) }
      }
    }
  }

  private static let codeSize = 32

  /// HMAC-SHA-256, for those who need not keep it secret.
  public static func code(of bytes: [UInt8], key: SecretBytes) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: codeSize)
    code.withUnsafeMutableBytes { code in
      bytes.withUnsafeBytes { bytes in
        key.withUnsafeBytes { write(code, of: bytes, key: $0) }
      }
    }
    return code
  }

  private static func write(
    _ code: UnsafeMutableRawBufferPointer, of bytes: UnsafeRawBufferPointer,
    key: UnsafeRawBufferPointer
  ) {
    let isDone = holdfast_hmac_sha256(
      key.baseAddress, key.count, bytes.baseAddress, bytes.count,
      code.baseAddress!.assumingMemoryBound(to: UInt8.self))
    if isDone == 0 { preconditionFailure("There is no memory left for encryption.") }
  }
}
