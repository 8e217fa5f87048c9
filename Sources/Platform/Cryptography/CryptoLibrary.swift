internal import CCrypto

/// OpenSSL's libcrypto, which is loaded when it is first needed.
public enum CryptoLibrary {
  /// Loads it.
  ///
  /// - Returns: why that is not possible; nil if it is.
  public static func load() -> String? {
    holdfast_crypto_load().map { String(cString: $0) }
  }
}
