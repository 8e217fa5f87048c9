import Platform
import Synchronization

/// Turns references into nodes, for one mapping and one limit.
///
/// A plain value of pointers: it is valid while the `Mapping` it came from is retained and the
/// version it reads is pinned. A node's checksum is verified the first time that this process
/// reads the node, unless it has written it (`VerifiedNodes`); the tag in the reference ties the
/// parent to the child in its place.
@frozen
public struct NodeSource: @unchecked Sendable {
  // Sendable: the mapping is read-only, and what has been verified is only touched atomically.

  @usableFromInline let base: UnsafeRawPointer
  /// Nodes end at or before this offset.
  public let limit: UInt64
  @usableFromInline let verified: VerifiedNodes
  @usableFromInline let owner: Unmanaged<Mapping>

  init(mapping: Mapping, limit: UInt64) {
    base = UnsafeRawPointer(mapping.address)
    self.limit = limit
    verified = mapping.verified
    owner = Unmanaged.passUnretained(mapping)
  }

  /// The node that `reference` names.
  ///
  /// - Throws: `StorageError.corrupt`, naming the byte offset, if it is damaged.
  @inlinable @inline(__always)
  public func node(_ reference: NodeReference) throws(StorageError) -> Node {
    if reference.isUncommitted {
      return Node(
        address: UnsafeRawPointer(
          bitPattern: UInt(reference.rawValue & 0xFFFF_FFFF_FFFF)
        ).unsafelyUnwrapped)
    }
    let offset = reference.offset
    if offset &+ 32 <= limit {
      let node = Node(address: base + Int(offset))
      if node.storedChecksum & 0x7FFF == reference.checksumTag,
        verified.contains(offset, createdIn: node.createdIn)
      {
        return node
      }
    }
    return try verify(reference)
  }

  /// How many references a node says that it has, without a look at its checksum.
  func peekReferenceCount(_ reference: NodeReference) throws(StorageError) -> Int {
    guard reference.offset >= UInt64(FileLayout.firstNode), reference.offset % 8 == 0,
      reference.offset + UInt64(NodeLayout.headerSize) <= limit, !reference.isUncommitted
    else { throw corrupt(reference, "a node was expected within \(limit) bytes") }
    return Node(address: base + Int(reference.offset)).referenceCount
  }

  /// The slow path: bounds, sizes, checksum and tag; sets the bit.
  @usableFromInline
  func verify(_ reference: NodeReference) throws(StorageError) -> Node {
    let node = try checkedNode(reference)
    verified.mark(reference.offset, createdIn: node.createdIn)
    owner.takeUnretainedValue().noteFirstRead()
    return node
  }

  /// The same checks without believing or setting the bit; what `verify` runs on every node.
  func checkedNode(_ reference: NodeReference) throws(StorageError) -> Node {
    let offset = reference.offset
    guard offset >= UInt64(FileLayout.firstNode), offset % 8 == 0,
      offset + UInt64(NodeLayout.headerSize) <= limit
    else {
      throw corrupt(reference, "a node was expected within \(limit) bytes")
    }
    let node = Node(address: base + Int(offset))
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
    guard NodeLayout.headerSize + node.referenceCount * 8 <= size else {
      throw corrupt(reference, "a node has more references than bytes")
    }
    if let flaw = NodeShape.flaw(node, limit: limit) {
      throw corrupt(reference, "in a node of kind \(node.kind.rawValue), \(flaw)")
    }
    return node
  }

  /// A copy of a node in private memory that has passed the same checks; the caller deallocates it.
  func verifiedCopy(
    _ reference: NodeReference
  ) throws(StorageError) -> UnsafeMutableRawBufferPointer {
    let size = try checkedNode(reference).byteSize
    owner.takeUnretainedValue().noteFirstRead()
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    bytes.copyMemory(
      from: UnsafeRawBufferPointer(start: base + Int(reference.offset), count: size))
    let copy = Node(address: bytes.baseAddress!)
    guard copy.byteSize == size, copy.storedChecksum & 0x7FFF == reference.checksumTag,
      checksum(copy.address + 4, count: size - 4) == copy.storedChecksum
    else {
      bytes.deallocate()
      throw corrupt(reference, "a node that does not change while it is read was expected")
    }
    return bytes
  }

  /// Much of the version is going to be read.
  func expectManyReads() { owner.takeUnretainedValue().expectManyReads() }

  /// Whether a node says that it was written at or before `version`, and is the one that its parent
  /// means as far as the parent's tag can tell.
  func isOlder(_ reference: NodeReference, than version: UInt64) -> Bool {
    guard reference.offset >= UInt64(FileLayout.firstNode), reference.offset % 8 == 0,
      reference.offset + UInt64(NodeLayout.headerSize) <= limit
    else { return false }
    // After a failed flush the page cache may hold new sectors beside older ones, so where the
    // header lies in two, what it says goes for nothing by itself.
    let sector: UInt64 = 512
    let end = reference.offset + UInt64(NodeLayout.headerSize) - 1
    if reference.offset / sector != end / sector {
      guard let node = try? checkedNode(reference) else { return false }
      return node.createdIn <= version
    }
    let node = Node(address: base + Int(reference.offset))
    return node.storedChecksum & 0x7FFF == reference.checksumTag && node.createdIn <= version
  }

  /// Where `node` is in the file, for messages.
  public var path: String { owner.takeUnretainedValue().path }

  /// An error about a node whose checksum holds but whose content makes no sense.
  public func corrupt(_ reference: NodeReference, _ expectation: String) -> StorageError {
    .corrupt(path, at: reference.offset, expectation)
  }
}
