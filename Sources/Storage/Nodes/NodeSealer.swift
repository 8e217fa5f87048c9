import Platform

/// Encrypts what one commit, or one copy of a file, writes.
///
/// The salt is drawn when it begins, and never again: whatever became of earlier attempts to write
/// the same version to the same places, in this process or another one, in this file or a copy of
/// it, a nonce is not used twice.
struct NodeSealer {
  private let cipher: AuthenticatedCipher
  private let salt: (UInt64, UInt64)
  /// Where the process that writes the nodes will look for them.
  private let mapping: Mapping?

  /// - Parameter cipher: of the file's nodes; no other thread uses it meanwhile.
  init(_ cipher: AuthenticatedCipher, keepingIn mapping: Mapping? = nil) {
    self.cipher = cipher
    self.mapping = mapping
    var salt: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &salt) { RandomBytes.fill($0) }
    self.salt = salt
  }

  /// - Returns: the checksum of the node, for the reference to it. It is nowhere in the clear.
  func seal(_ node: SealedNode, at offset: UInt64) -> UInt32 {
    let sum = node.setChecksum()
    mapping?.keepDecrypted(Node(address: node.node), at: offset)
    withUnsafeBytes(of: salt) { node.seal(cipher, salt: $0.baseAddress!, at: offset) }
    return sum
  }
}
