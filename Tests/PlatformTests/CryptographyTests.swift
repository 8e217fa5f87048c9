import Platform
import Testing

@Suite struct CryptographyTests {
  init() { #expect(CryptoLibrary.load() == nil) }

  private func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.map { UInt8($0.hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// The vectors of the construction's specification: with and without a carry in the subkey.
  @Test(arguments: [
    (UInt8(1), "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
    (3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
  ])
  func `encryption gives what the specification says`(key: UInt8, data: String, expected: String) {
    let cipher = AuthenticatedCipher(key: SecretBytes([UInt8](repeating: key, count: 32)))
    let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)
    let data = Array(data.utf8)
    var text = Array("XAES-256-GCM".utf8)
    var tag = [UInt8](repeating: 0, count: 16)
    func open() -> Bool {
      unsafe text.withUnsafeMutableBytes { text in
        unsafe data.withUnsafeBytes { unsafe cipher.open(text, nonce: nonce, with: $0, tag: tag) }
      }
    }
    unsafe text.withUnsafeMutableBytes { text in
      unsafe data.withUnsafeBytes { unsafe cipher.seal(text, nonce: nonce, with: $0, tag: &tag) }
    }
    #expect(text + tag == hexadecimal(expected))
    let sealed = text
    #expect(open())
    #expect(text == Array("XAES-256-GCM".utf8))
    text = sealed
    unsafe text.withUnsafeMutableBytes {
      unsafe cipher.peek(UnsafeMutableRawBufferPointer(rebasing: $0[..<4]), nonce: nonce)
    }
    #expect(text[..<4] == Array("XAES".utf8)[...])
    text = sealed
    tag[15] ^= 1
    #expect(!open())
  }

  /// The tag of a slot covers data alone.
  @Test func `nothing is encrypted with data that is authenticated`() {
    let cipher = AuthenticatedCipher(key: SecretBytes([UInt8](repeating: 3, count: 32)))
    let nonce = [UInt8](repeating: 7, count: AuthenticatedCipher.nonceSize)
    let none = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    var data = Array("data".utf8)
    var tag = [UInt8](repeating: 0, count: 16)
    unsafe data.withUnsafeBytes { unsafe cipher.seal(none, nonce: nonce, with: $0, tag: &tag) }
    func isAuthentic() -> Bool {
      unsafe data.withUnsafeBytes { unsafe cipher.open(none, nonce: nonce, with: $0, tag: tag) }
    }
    #expect(isAuthentic())
    tag[0] ^= 1
    #expect(!isAuthentic())
    tag[0] ^= 1
    data[3] ^= 1
    #expect(!isAuthentic())
  }

  /// RFC 5869, test case 1, whose output begins with the first block.
  @Test func `keys are derived as the RFC says`() {
    let secret = [UInt8](repeating: 0x0B, count: 22)
    let pseudorandom = DerivedKey.code(of: secret, key: SecretBytes(0...0x0C))
    #expect(
      pseudorandom
        == hexadecimal("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"))
    #expect(
      DerivedKey.code(of: Array(0xF0...0xF9) + [1], key: SecretBytes(pseudorandom))
        == hexadecimal("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"))
    let derived = DerivedKey(SecretBytes(secret), salt: Array(0...0x0C))
    #expect(
      derived.key(for: "a")
        == SecretBytes(DerivedKey.code(of: [0x61, 1], key: SecretBytes(pseudorandom))))
    #expect(derived.key(for: "a") != derived.key(for: "b"))
  }

  @Test func `random bytes differ`() {
    #expect(RandomBytes.make(16) != RandomBytes.make(16))
    #expect(RandomBytes.make(256).count == 256)
  }
}
