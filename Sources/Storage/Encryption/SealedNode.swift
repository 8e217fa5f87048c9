import Platform

/// A node as it is in an encrypted file: what says which node it is, its nonce, its tag, and the
/// rest encrypted. docs/FORMAT.md describes it; a test compares the two.
///
/// Before and after encryption the node lies in the same memory, behind the bytes that the image
/// has more than it, so that its references and data are encrypted in place.
struct SealedNode {
  /// Of the whole image.
  let address: UnsafeMutableRawPointer
  /// Of the node: what an image has more is not counted.
  let byteSize: Int

  /// The node before it is encrypted, and after it has been decrypted.
  var node: UnsafeMutableRawPointer { address + SealedNodeLayout.extraSize }

  private var text: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(
      start: address + SealedNodeLayout.text,
      count: byteSize + SealedNodeLayout.extraSize - SealedNodeLayout.text)
  }

  private var authenticated: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: address + SealedNodeLayout.createdIn,
      count: SealedNodeLayout.salt - SealedNodeLayout.createdIn)
  }

  /// The salt of the commit, then where the node is: a commit writes one node to a place.
  private static func withNonce<Result>(
    _ salt: UnsafeRawPointer, _ offset: UInt64, _ body: (UnsafeRawPointer) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(
      byteCount: AuthenticatedCipher.nonceSize, alignment: 8
    ) { nonce in
      nonce.baseAddress!.copyMemory(from: salt, byteCount: SealedNodeLayout.saltSize)
      nonce.storeBytes(of: offset, toByteOffset: SealedNodeLayout.saltSize, as: UInt64.self)
      return body(nonce.baseAddress!)
    }
  }

  /// Sets the checksum of the node as it is unencrypted; the file does not have it.
  func setChecksum() -> UInt32 {
    let sum = checksum(node + NodeLayout.kind, count: byteSize - NodeLayout.kind)
    node.storeBytes(of: sum, as: UInt32.self)
    return sum
  }

  /// Encrypts the node.
  func seal(_ cipher: AuthenticatedCipher, salt: UnsafeRawPointer, at offset: UInt64) {
    let createdIn = (node + NodeLayout.createdIn).load(as: UInt64.self)
    // The node's header lies where the salt and the first encrypted bytes come to be.
    let word = (node + NodeLayout.kind).load(as: UInt32.self)
    let count = (node + NodeLayout.count).load(as: UInt32.self)
    let last = (node + NodeLayout.referenceCount).load(as: UInt64.self)
    address.storeBytes(of: createdIn, toByteOffset: SealedNodeLayout.createdIn, as: UInt64.self)
    address.storeBytes(
      of: UInt32(byteSize), toByteOffset: SealedNodeLayout.byteSize, as: UInt32.self)
    address.storeBytes(of: 0, toByteOffset: SealedNodeLayout.byteSize + 4, as: UInt32.self)
    (address + SealedNodeLayout.salt).copyMemory(
      from: salt, byteCount: SealedNodeLayout.saltSize)
    text.storeBytes(of: word, as: UInt32.self)
    text.storeBytes(of: count, toByteOffset: 4, as: UInt32.self)
    text.storeBytes(of: last, toByteOffset: 8, as: UInt64.self)
    Self.withNonce(salt, offset) { nonce in
      cipher.seal(text, nonce: nonce, with: authenticated, tag: address)
    }
  }

  /// Decrypts the node, which was read from `offset`.
  ///
  /// - Returns: false if it is not what was written there; then the memory holds nothing of use.
  func open(_ cipher: AuthenticatedCipher, at offset: UInt64) -> Bool {
    guard address.load(fromByteOffset: SealedNodeLayout.byteSize, as: UInt32.self) == byteSize
    else { return false }
    let isAuthentic = Self.withNonce(address + SealedNodeLayout.salt, offset) { nonce in
      cipher.open(text, nonce: nonce, with: authenticated, tag: address)
    }
    if isAuthentic { restoreHeader() }
    return isAuthentic
  }

  private func restoreHeader() {
    let word = text.load(as: UInt32.self)
    let count = text.load(fromByteOffset: 4, as: UInt32.self)
    let last = text.load(fromByteOffset: 8, as: UInt64.self)
    let createdIn = address.load(fromByteOffset: SealedNodeLayout.createdIn, as: UInt64.self)
    node.storeBytes(of: word, toByteOffset: NodeLayout.kind, as: UInt32.self)
    node.storeBytes(of: UInt32(byteSize), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
    node.storeBytes(of: count, toByteOffset: NodeLayout.count, as: UInt32.self)
    node.storeBytes(of: createdIn, toByteOffset: NodeLayout.createdIn, as: UInt64.self)
    node.storeBytes(of: last, toByteOffset: NodeLayout.referenceCount, as: UInt64.self)
    _ = setChecksum()
  }

  /// How many references the node at `image` has, if it is authentic, which is not looked at.
  static func peekReferenceCount(
    _ image: UnsafeRawPointer, _ cipher: AuthenticatedCipher, at offset: UInt64
  ) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { start in
      start.copyMemory(
        from: UnsafeRawBufferPointer(start: image + SealedNodeLayout.text, count: 16))
      withNonce(image + SealedNodeLayout.salt, offset) { cipher.peek(start, nonce: $0) }
      return Int(start.load(fromByteOffset: 8, as: UInt32.self))
    }
  }
}
