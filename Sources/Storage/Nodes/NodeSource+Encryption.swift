import Platform

// Nodes of an encrypted file.
extension NodeSource {
  /// Decrypts a node into the shadow and notes that it is there.
  ///
  /// The image is copied first: what is decrypted is what has been authenticated, whatever becomes
  /// of the file meanwhile. The shadow is written only after that, and under the lock under which
  /// every reader writes it there, so nobody who has seen the bit sees the node change.
  func decrypt(_ reference: NodeReference, _ cipher: FileCipher) throws(StorageError) {
    let offset = reference.offset
    let size = try imageSize(reference)
    let stored = image + Int(offset)
    try cipher.opener(at: offset).withTools { (tools) throws(StorageError) in
      try tools.withMemory(size) { (memory) throws(StorageError) in
        memory.copyMemory(from: stored, byteCount: size)
        let createdIn = Version(
          (memory + SealedNodeLayout.createdIn).load(as: UInt64.self))
        // By another thread, while this one waited for the lock.
        if Node(address: base + Int(offset)).storedChecksum & 0x7FFF == reference.checksumTag,
          verified.contains(offset, createdIn: createdIn)
        {
          return
        }
        let node = try open(memory, size, reference, tools.cipher)
        owner.takeUnretainedValue().keepDecrypted(node, at: offset)
        verified.mark(offset, createdIn: createdIn)
      }
    }
  }

  /// A node in memory of its own, which the caller gives back.
  ///
  /// - Parameter copied: the image, if the caller has read it already.
  func decryptedCopy(
    _ reference: NodeReference, _ cipher: FileCipher, of copied: UnsafeRawBufferPointer? = nil
  ) throws(StorageError) -> (bytes: UnsafeMutableRawBufferPointer, node: Node) {
    let offset = reference.offset
    let size: Int
    if let copied { size = copied.count } else { size = try imageSize(reference) }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    bytes.copyMemory(
      from: copied ?? UnsafeRawBufferPointer(start: image + Int(offset), count: size))
    do throws(StorageError) {
      let memory = bytes.baseAddress!
      // As an address: the closure's result crosses to this thread's side of the lock.
      let address = try cipher.opener(at: offset).withTools { (tools) throws(StorageError) in
        UInt(bitPattern: try open(memory, size, reference, tools.cipher).address)
      }
      return (bytes, Node(address: UnsafeRawPointer(bitPattern: address)!))
    } catch {
      bytes.wipeAndDeallocate()
      throw error
    }
  }

  /// Bytes of a node's image as the file says, which proves itself when the node is authenticated.
  func imageSize(_ reference: NodeReference) throws(StorageError) -> Int {
    let offset = reference.offset
    guard isWithinFile(reference) else {
      throw corrupt(reference, "a node was expected within \(limit) bytes")
    }
    let size = Int(
      (image + Int(offset) + SealedNodeLayout.byteSize).load(as: UInt32.self))
    guard size >= NodeLayout.byteSizeMin, size % 8 == 0, size <= NodeLayout.byteSizeMax,
      offset + UInt64(size + SealedNodeLayout.extraSize) <= limit
    else {
      throw corrupt(reference, "the size of an encrypted node was expected, found \(size)")
    }
    return size + SealedNodeLayout.extraSize
  }

  /// Decrypts an image in place.
  private func open(
    _ memory: UnsafeMutableRawPointer, _ size: Int, _ reference: NodeReference,
    _ cipher: AuthenticatedCipher
  ) throws(StorageError) -> Node {
    let sealed = SealedNode(address: memory, byteSize: size - SealedNodeLayout.extraSize)
    guard sealed.open(cipher, at: reference.offset) else {
      throw corrupt(
        reference,
        "decryption failed: this is not what was written here with the file's key")
    }
    let node = Node(address: sealed.node)
    guard node.storedChecksum & 0x7FFF == reference.checksumTag else {
      throw corrupt(reference, "another node was expected here by its parent")
    }
    try checkContent(node, reference)
    return node
  }
}
