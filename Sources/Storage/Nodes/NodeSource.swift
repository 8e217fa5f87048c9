import Platform
import Synchronization

/// Turns references into nodes, for one mapping and one limit.
///
/// A plain value of pointers: it is valid while the `Mapping` it came from is retained and the
/// version it reads is pinned. A node's checksum is verified the first time that this process
/// reads the node, unless it has written it (`VerifiedNodes`); the tag in the reference ties the
/// parent to the child in its place.
///
/// A node of an encrypted file is read in the mapping's shadow; of which version it is now says the
/// file. For a plain file the two are one.
@frozen
public struct NodeSource: @unchecked Sendable {
  // Sendable: the mapping is read-only, and what has been verified is only touched atomically.

  /// Where nodes are read.
  @usableFromInline let base: UnsafeRawPointer
  /// Where the file is mapped.
  @usableFromInline let image: UnsafeRawPointer
  /// Nodes end at or before this offset.
  public let limit: UInt64
  @usableFromInline let verified: VerifiedNodes
  @usableFromInline let owner: Unmanaged<Mapping>

  init(mapping: Mapping, limit: UInt64) {
    base = mapping.nodes
    image = UnsafeRawPointer(mapping.address)
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
    if let node = seen(reference) { return node }
    return try verify(reference)
  }

  /// A node of the file that has been verified before.
  @inlinable @inline(__always)
  func seen(_ reference: NodeReference) -> Node? {
    let offset = reference.offset
    if offset &+ 32 > limit { return nil }
    let node = Node(address: base + Int(offset))
    guard node.storedChecksum & 0x7FFF == reference.checksumTag,
      verified.contains(offset, createdIn: Node(address: image + Int(offset)).createdIn)
    else { return nil }
    return node
  }

  /// The node that `reference` names, if it has been read before: for what is done ahead of a
  /// need, which neither fails nor verifies.
  @inlinable @inline(__always)
  public func nodeIfSeen(_ reference: NodeReference) -> Node? {
    reference.isNone || reference.isUncommitted ? nil : seen(reference)
  }

  /// Where a node will be read, as a hint for the processor: not to be read before `node` has been
  /// asked. Nil for a reference that leads nowhere.
  @inlinable @inline(__always)
  public func place(of reference: NodeReference) -> UnsafeRawPointer? {
    reference.isNone || reference.isUncommitted || reference.offset >= limit
      ? nil : base + Int(reference.offset)
  }

  /// The slow path: bounds, sizes, checksum and tag; sets the bit.
  @usableFromInline
  func verify(_ reference: NodeReference) throws(StorageError) -> Node {
    let mapping = owner.takeUnretainedValue()
    if let cipher = mapping.cipher {
      try decrypt(reference, cipher)
    } else {
      let node = try checkedImage(reference)
      verified.mark(reference.offset, createdIn: node.createdIn)
    }
    mapping.noteFirstRead()
    return Node(address: base + Int(reference.offset))
  }

  /// Bytes by which a node is longer in the file than it says.
  @inlinable @inline(__always)
  var extraSize: Int { base == image ? 0 : SealedNodeLayout.extraSize }

  /// Bytes of the file that a node of it takes.
  @inlinable @inline(__always)
  public func footprint(of node: Node) -> Int { node.byteSize &+ extraSize }

  /// The database that it is of keeps it.
  var mapping: Mapping { owner.takeUnretainedValue() }

  /// The counterpart of `FileMappings.beginReading`.
  @inline(__always)
  func endReading() {
    if base != image { owner._withUnsafeGuaranteedRef { $0.removeReader() } }
  }

  /// Much of the version is going to be read.
  func expectManyReads() { owner.takeUnretainedValue().expectManyReads() }

  /// Where `node` is in the file, for messages.
  public var path: String { owner.takeUnretainedValue().path }

  /// An error about a node whose checksum holds but whose content makes no sense.
  public func corrupt(_ reference: NodeReference, _ expectation: String) -> StorageError {
    .corrupt(path, at: reference.offset, expectation)
  }
}
