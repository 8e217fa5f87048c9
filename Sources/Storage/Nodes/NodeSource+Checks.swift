import Platform

// Nodes that are looked at without believing, or noting, that they have been verified.
extension NodeSource {
  /// Calls `body` with the node after checking it anew, whatever has been verified before. It is
  /// valid for the call; memory does not keep it.
  func withCheckedNode<Result>(
    _ reference: NodeReference, _ body: (Node) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard let cipher = owner.takeUnretainedValue().cipher else {
      return try body(try checkedImage(reference))
    }
    let copy = try decryptedCopy(reference, cipher)
    defer { copy.bytes.wipeAndDeallocate() }
    return try body(copy.node)
  }

  /// Calls `body` with the node, for those that go through a whole tree: of an encrypted file only
  /// what has been decrypted before is in memory afterwards. It is valid for the call.
  func withPassingNode<Result>(
    _ reference: NodeReference, _ body: (Node) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    if base == image || reference.isUncommitted { return try body(try node(reference)) }
    return try withCheckedNode(reference, body)
  }

  /// Checks a node anew that has been read before. What has been read of an encrypted one is in
  /// private memory and cannot have changed.
  ///
  /// - Throws: `.corrupt` if the page cache no longer has it.
  func requireUnchanged(_ reference: NodeReference) throws(StorageError) {
    if base == image, !reference.isUncommitted { _ = try checkedImage(reference) }
  }

  /// How many references a node says that it has, without a look at its checksum.
  func peekReferenceCount(_ reference: NodeReference) throws(StorageError) -> Int {
    guard isWithinFile(reference), !reference.isUncommitted else {
      throw corrupt(reference, "a node was expected within \(limit) bytes")
    }
    let offset = reference.offset
    guard let cipher = owner.takeUnretainedValue().cipher else {
      return Node(address: image + Int(offset)).referenceCount
    }
    let place = image + Int(offset)
    return try cipher.opener(at: offset).withTools { tools in
      SealedNode.peekReferenceCount(place, tools.cipher, at: offset)
    }
  }

  /// A node as it is in the file, in private memory, and what it says.
  struct VerifiedCopy {
    let image: UnsafeMutableRawBufferPointer
    let node: Node
    /// Where the node is, if not in the image.
    fileprivate let decrypted: UnsafeMutableRawBufferPointer?

    func deallocate() {
      image.deallocate()
      decrypted?.wipeAndDeallocate()
    }
  }

  /// A copy of a node that has passed the same checks.
  func verifiedCopy(_ reference: NodeReference) throws(StorageError) -> VerifiedCopy {
    let mapping = owner.takeUnretainedValue()
    mapping.noteFirstRead()
    guard let cipher = mapping.cipher else { return try verifiedCopyOfImage(reference) }
    // The same bytes twice, since they are decrypted in place.
    let size = try imageSize(reference)
    let image = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    image.copyMemory(
      from: UnsafeRawBufferPointer(start: self.image + Int(reference.offset), count: size))
    do throws(StorageError) {
      let copy = try decryptedCopy(reference, cipher, of: UnsafeRawBufferPointer(image))
      return VerifiedCopy(image: image, node: copy.node, decrypted: copy.bytes)
    } catch {
      image.deallocate()
      throw error
    }
  }

  private func verifiedCopyOfImage(
    _ reference: NodeReference
  ) throws(StorageError) -> VerifiedCopy {
    let size = try checkedImage(reference).byteSize
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    bytes.copyMemory(
      from: UnsafeRawBufferPointer(start: image + Int(reference.offset), count: size))
    let copy = Node(address: bytes.baseAddress!)
    guard copy.byteSize == size, copy.storedChecksum & 0x7FFF == reference.checksumTag,
      checksum(copy.address + 4, count: size - 4) == copy.storedChecksum
    else {
      bytes.deallocate()
      throw corrupt(reference, "a node that does not change while it is read was expected")
    }
    return VerifiedCopy(image: bytes, node: copy, decrypted: nil)
  }

  /// Whether a node says that it was written at or before `version`, and is the one that its parent
  /// means as far as the parent's tag can tell.
  func isOlder(_ reference: NodeReference, than version: Version) -> Bool {
    guard isWithinFile(reference) else { return false }
    // After a failed flush the page cache may hold new sectors beside older ones, so where the
    // header lies in two, what it says goes for nothing by itself. Nor does what an encrypted node
    // has in the clear, which is not what its parent knows it by.
    let sector: UInt64 = 512
    let end = reference.offset + UInt64(NodeLayout.headerSize) - 1
    if base != image || reference.offset / sector != end / sector {
      let createdIn = try? withCheckedNode(reference) { (node) throws(StorageError) in
        node.createdIn
      }
      return createdIn.map { $0 <= version } ?? false
    }
    let node = Node(address: image + Int(reference.offset))
    // No node is of version 0, which a page of zeros says.
    return node.storedChecksum & 0x7FFF == reference.checksumTag && node.createdIn > .zero
      && node.createdIn <= version
  }

  // MARK: Plain files

  /// A node of a plain file, after all checks.
  func checkedImage(_ reference: NodeReference) throws(StorageError) -> Node {
    let offset = reference.offset
    guard isWithinFile(reference) else {
      throw corrupt(reference, "a node was expected within \(limit) bytes")
    }
    let node = Node(address: image + Int(offset))
    let size = node.byteSize
    guard size >= NodeLayout.byteSizeMin, size % 8 == 0, size <= NodeLayout.byteSizeMax,
      offset + UInt64(size) <= limit
    else {
      throw corrupt(reference, "the size of a node was expected, found \(size)")
    }
    let sum = checksum(node.address + 4, count: size - 4)
    guard sum == node.storedChecksum else {
      throw corrupt(reference, "the checksum of a node of \(size) bytes does not hold")
    }
    guard sum & 0x7FFF == reference.checksumTag else {
      throw corrupt(reference, "another node was expected here by its parent")
    }
    try checkContent(node, reference)
    return node
  }

  func isWithinFile(_ reference: NodeReference) -> Bool {
    let offset = reference.offset
    return offset >= UInt64(FileLayout.firstNode) && offset % 8 == 0
      && offset + UInt64(NodeLayout.headerSize + extraSize) <= limit
  }

  /// What a node says must fit its size, so that it can be read without further checks.
  func checkContent(_ node: Node, _ reference: NodeReference) throws(StorageError) {
    guard NodeLayout.headerSize + node.referenceCount * 8 <= node.byteSize else {
      throw corrupt(reference, "a node has more references than bytes")
    }
    if let flaw = NodeShape.flaw(node, limit: limit) {
      throw corrupt(reference, "in a node of kind \(node.kind.rawValue), \(flaw)")
    }
  }
}
