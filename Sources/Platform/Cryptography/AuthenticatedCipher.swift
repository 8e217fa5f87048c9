internal import CCrypto

/// Authenticated encryption under one key: XAES-256-GCM, whose nonces of 24 bytes may be random.
/// It allocates nothing per text. For one thread at a time; the library has been loaded.
public final class AuthenticatedCipher: @unchecked Sendable {
  // Sendable: those who have one hand it from thread to thread under a lock, or with the writer
  // role.

  public static let keySize = 32
  public static let nonceSize = 24

  private let aead: OpaquePointer

  public init(key: SecretBytes) {
    precondition(key.count == Self.keySize, "a key of 32 bytes was expected")
    let aead = key.withUnsafeBytes { key in
      holdfast_aead_make(key.baseAddress!.assumingMemoryBound(to: UInt8.self))
    }
    guard let aead else { Self.fail() }
    self.aead = aead
  }

  deinit { holdfast_aead_free(aead) }

  /// libcrypto fails only where there is no memory, which Swift does not survive either.
  private static func fail() -> Never {
    preconditionFailure("There is no memory left for encryption.")
  }

  /// Encrypts `text` in place.
  ///
  /// - Parameters:
  ///   - nonce: 24 bytes that have not been used with the key for anything else.
  ///   - data: what the tag is to cover besides.
  ///   - tag: 16 bytes, written.
  public func seal(
    _ text: UnsafeMutableRawBufferPointer, nonce: UnsafeRawPointer,
    with data: UnsafeRawBufferPointer, tag: UnsafeMutableRawPointer
  ) {
    let isDone = holdfast_aead_seal(
      aead, nonce.assumingMemoryBound(to: UInt8.self), data.baseAddress, data.count,
      text.baseAddress, text.count, tag.assumingMemoryBound(to: UInt8.self))
    if isDone == 0 { Self.fail() }
  }

  /// Decrypts `text` in place.
  ///
  /// - Returns: whether text and data are what was encrypted; if not, `text` holds nothing of use.
  public func open(
    _ text: UnsafeMutableRawBufferPointer, nonce: UnsafeRawPointer,
    with data: UnsafeRawBufferPointer, tag: UnsafeRawPointer
  ) -> Bool {
    holdfast_aead_open(
      aead, nonce.assumingMemoryBound(to: UInt8.self), data.baseAddress, data.count,
      text.baseAddress, text.count, tag.assumingMemoryBound(to: UInt8.self)) != 0
  }

  /// Decrypts the beginning of a text in place, and does not look whether it is authentic.
  public func peek(_ text: UnsafeMutableRawBufferPointer, nonce: UnsafeRawPointer) {
    let isDone = holdfast_aead_peek(
      aead, nonce.assumingMemoryBound(to: UInt8.self), text.baseAddress, text.count)
    if isDone == 0 { Self.fail() }
  }
}
