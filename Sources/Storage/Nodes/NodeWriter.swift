import Platform

/// Makes and changes nodes for one write transaction, in private memory.
///
/// A committed node is never changed: `mutable` copies it and remembers the old place as freed by
/// this transaction. A node of this transaction is changed in place. All memory goes at once when
/// the transaction ends. Confined to the thread (or queue, or actor) that has the transaction.
public final class NodeWriter {
  // Access is not checked for exclusivity at run time: the writer is confined, no access to one of
  // these spans a call that could begin another, and the checks cost a tenth of a bulk insert. That
  // holds in this module only: code that is inlined into others goes through `allocate` and
  // `noteFreed`.

  /// Reads committed and uncommitted nodes alike.
  public let source: NodeSource
  @exclusivity(unchecked) private var arena: Arena
  /// What this transaction has let go of, to be reused once no version needs it.
  @exclusivity(unchecked) var freed: [FreedExtent] = []

  init(source: NodeSource) {
    self.source = source
    arena = Arena(isSecret: source.extraSize > 0)
    freed.reserveCapacity(16)
  }

  deinit { arena.releaseAll() }

  @usableFromInline
  func allocate(_ bytes: Int) -> UnsafeMutableRawPointer { arena.allocate(bytes) }

  @usableFromInline
  func noteFreed(_ extent: FreedExtent) { freed.append(extent) }

  /// A new node with zeroed references and data.
  ///
  /// - Parameters:
  ///   - dataSize: bytes behind the references; rounded up to 8.
  ///   - reserve: further bytes that it may grow by without being moved.
  @inlinable
  public func make(
    kind: NodeKind, width: Int = 0, flags: UInt16 = 0, referenceCount: Int = 0, count: Int = 0,
    auxiliary: UInt32 = 0, dataSize: Int = 0, reserve: Int = 0
  ) -> MutableNode {
    let size = (32 &+ referenceCount &* 8 &+ dataSize &+ 7) & ~7
    precondition(size <= 1 << 30, "node too large")
    let address = allocate((size &+ reserve &+ 7) & ~7)
    address.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    address.storeBytes(of: kind.rawValue, toByteOffset: 4, as: UInt8.self)
    address.storeBytes(of: UInt8(width), toByteOffset: 5, as: UInt8.self)
    address.storeBytes(of: flags, toByteOffset: 6, as: UInt16.self)
    address.storeBytes(of: UInt32(size), toByteOffset: 8, as: UInt32.self)
    address.storeBytes(of: UInt32(count), toByteOffset: 12, as: UInt32.self)
    address.storeBytes(of: UInt32(referenceCount), toByteOffset: 24, as: UInt32.self)
    address.storeBytes(of: auxiliary, toByteOffset: 28, as: UInt32.self)
    return MutableNode(address: address)
  }

  /// The node to change in place of `reference`: itself if it is of this transaction and has room
  /// for `growing` more bytes, else a copy with that room. The caller stores `result.reference`
  /// in the parent (which it has made mutable as well).
  ///
  /// - Parameter exactly: whether that is all that it will grow by, as far as the caller knows;
  ///   room to double is left otherwise.
  @inlinable
  public func mutable(
    _ reference: NodeReference, growing: Int = 0, exactly: Bool = false
  ) throws(StorageError) -> MutableNode {
    let node = try source.node(reference)
    let size = node.byteSize
    if reference.isUncommitted {
      let same = MutableNode(address: UnsafeMutableRawPointer(mutating: node.address))
      if size &+ growing <= same.capacity { return same }
      return copy(node, capacity: size &+ (exactly ? growing : max(growing, size)))
    }
    noteFreed(
      FreedExtent(
        offset: reference.offset, length: UInt64(size &+ source.extraSize),
        createdIn: node.createdIn))
    return copy(node, capacity: size &+ growing)
  }

  @inlinable
  func copy(_ node: Node, capacity: Int) -> MutableNode {
    let address = allocate((capacity &+ 7) & ~7)
    address.copyMemory(from: node.address, byteCount: node.byteSize)
    return MutableNode(address: address)
  }

  /// Gives `node` another number of references, moving its data. Needs capacity for it (see
  /// `growing`). New references are none.
  @inlinable
  public func setReferenceCount(_ node: MutableNode, _ count: Int) {
    let old = node.node.referenceCount
    let dataSize = node.node.dataSize
    let size = 32 &+ count &* 8 &+ dataSize
    precondition(size <= node.capacity, "node grown past its capacity")
    (node.address + (32 &+ count &* 8)).copyMemory(from: node.data, byteCount: dataSize)
    if count > old {
      (node.address + (32 &+ old &* 8)).initializeMemory(
        as: UInt8.self, repeating: 0, count: (count &- old) &* 8)
    }
    node.address.storeBytes(of: UInt32(count), toByteOffset: 24, as: UInt32.self)
    node.address.storeBytes(of: UInt32(size), toByteOffset: 8, as: UInt32.self)
  }

  /// Lets go of one node (not of what it refers to).
  @inlinable
  public func release(_ reference: NodeReference) throws(StorageError) {
    if reference.isNone || reference.isUncommitted { return }
    let node = try source.node(reference)
    noteFreed(
      FreedExtent(
        offset: reference.offset, length: UInt64(source.footprint(of: node)),
        createdIn: node.createdIn))
  }

  /// Lets go of a node and everything below it.
  ///
  /// - Throws: `.corrupt` where the tree is too deep or larger than the file, as one is whose nodes
  ///   are shared; then some of it may have been released: cancel the transaction.
  public func releaseTree(_ reference: NodeReference) throws(StorageError) {
    var size = TreeSize(in: source)
    try releaseTree(reference, &size, depth: 0)
  }

  private func releaseTree(
    _ reference: NodeReference, _ size: inout TreeSize, depth: Int
  ) throws(StorageError) {
    if reference.isNone { return }
    let node = try source.node(reference)
    _ = try size.bytes(of: node, reference, depth: depth)
    for index in 0..<node.referenceCount {
      try releaseTree(node.reference(index), &size, depth: depth + 1)
    }
    try release(reference)
  }
}

/// Bytes that a transaction has let go of, and the version that had written them.
@frozen
public struct FreedExtent: Hashable, Sendable {
  public var offset: UInt64
  public var length: UInt64
  public var createdIn: Version
  @inlinable
  public init(offset: UInt64, length: UInt64, createdIn: Version) {
    self.offset = offset
    self.length = length
    self.createdIn = createdIn
  }
}

/// Memory that only grows, in chunks, and goes all at once. Each allocation is preceded by 16
/// bytes: its capacity, and a word that is zero until commit keeps the node's final place there.
private struct Arena {
  /// Whether the nodes are of an encrypted file: no core dump is to have them.
  let isSecret: Bool
  private var next: UnsafeMutableRawPointer?
  private var remaining = 0
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var chunkSize = 1 << 16

  init(isSecret: Bool) { self.isSecret = isSecret }

  @inline(__always)
  mutating func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
    let needed = (bytes &+ 16 &+ 15) & ~15
    if needed > remaining { refill(needed) }
    let start = next.unsafelyUnwrapped
    next = start + needed
    remaining &-= needed
    start.storeBytes(of: UInt64(needed &- 16), as: UInt64.self)
    start.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
    return start + 16
  }

  private mutating func refill(_ needed: Int) {
    let chunk = chunk(max(chunkSize, needed))
    chunks.append(chunk)
    chunkSize = min(chunkSize * 2, 1 << 22)
    next = chunk.baseAddress
    remaining = chunk.count
  }

  /// From this size on chunks come from the kernel: giving large ones back to the allocator can
  /// hold up, for milliseconds, other threads that share one of its locks.
  private static let mappedSizeMin = 1 << 20

  private func chunk(_ size: Int) -> UnsafeMutableRawBufferPointer {
    if !isMapped(size) { return .allocate(byteCount: size, alignment: 16) }
    let start =
      isSecret
      ? try? AnonymousMemory.mapSecret(length: size) : try? AnonymousMemory.map(length: size)
    guard let start else {
      preconditionFailure("There is no memory left for a write transaction.")
    }
    return UnsafeMutableRawBufferPointer(start: start, count: size)
  }

  private func isMapped(_ size: Int) -> Bool { isSecret || size >= Self.mappedSizeMin }

  mutating func releaseAll() {
    for chunk in chunks {
      if isMapped(chunk.count) {
        AnonymousMemory.unmap(chunk.baseAddress!, length: chunk.count)
      } else {
        chunk.deallocate()
      }
    }
    chunks.removeAll()
    next = nil
    remaining = 0
  }
}
