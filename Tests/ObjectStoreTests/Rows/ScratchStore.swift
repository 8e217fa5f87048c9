import Platform
import Synchronization
import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// A "file" in private memory, written by a commit that does nothing but place nodes, so that the
/// object store can be tested on committed nodes without the storage layer's commit.
///
/// Each commit checks that what the transaction let go of is exactly what was reachable before and
/// is not any more.
final class ScratchStore {
  private let file: MemoryFile
  private let mapping: Mapping
  private var end = UInt64(FileLayout.firstNode)
  private(set) var root = NodeReference.none
  private(set) var version = Version.zero
  let schemas = SchemaCache()
  let limits: TreeLimits

  init(limits: TreeLimits = .standard, length: UInt64 = 1 << 32) throws {
    self.limits = limits
    file = MemoryFile()
    mapping = try Mapping(file: file, length: length)
  }

  var source: NodeSource { NodeSource(mapping: mapping, limit: end) }

  var schema: StoredSchema { get throws { try schemas.schema(root, in: source) } }

  func table(_ key: TableKey) throws -> Table {
    try #require(try StoreRoot.table(key, root: root, in: source))
  }

  func begin() throws -> ObjectTransaction {
    try ObjectTransaction(
      writer: NodeWriter(source: source), root: root, schemas: schemas, limits: limits)
  }

  @discardableResult
  func write<Result>(_ body: (ObjectTransaction) throws -> Result) throws -> Result {
    let transaction = try begin()
    let result = try body(transaction)
    try commit(transaction)
    return result
  }

  /// Places the transaction's nodes behind what is there.
  @discardableResult
  func commit(_ transaction: ObjectTransaction, checkingFreed: Bool = true) throws -> ChangeSet {
    version = version.next
    let history = transaction.history.encoded()
    precondition(history == transaction.changes().encoded(), "two ways to write a history differ")
    let before = checkingFreed ? try committedNodes(root) : []
    let kept = try place(transaction.tables.root, transaction.source)
    root = kept
    if checkingFreed {
      let after = try committedNodes(root)
      let gone = before.subtracting(after)
      let freed = transaction.writer.freed.map(\.offset)
      #expect(Set(freed).count == freed.count, "a node was let go of twice")
      #expect(Set(freed) == gone, "let go of \(freed.count) nodes, \(gone.count) are gone")
    }
    return try unsafe history.withUnsafeBytes {
      try unsafe ChangeSet(decoding: $0, path: "scratch")
    }
  }

  private func committedNodes(_ reference: NodeReference) throws -> Set<UInt64> {
    var offsets: Set<UInt64> = []
    var pending = [reference]
    while let next = pending.popLast() {
      if next.isNone { continue }
      #expect(offsets.insert(next.offset).inserted, "a node is referred to twice")
      let node = try source.node(next)
      for index in 0..<node.referenceCount { pending.append(node.reference(index)) }
    }
    return offsets
  }

  private func place(_ reference: NodeReference, _ source: NodeSource) throws -> NodeReference {
    if reference.isNone || !reference.isUncommitted { return reference }
    let node = try source.node(reference)
    let mutable = unsafe MutableNode(address: UnsafeMutableRawPointer(mutating: node.address))
    for index in 0..<node.referenceCount {
      mutable.setReference(index, try place(node.reference(index), source))
    }
    let used = node.byteSize
    precondition(used % 8 == 0 && used >= 32 + node.referenceCount * 8)
    let size = max(used, NodeLayout.byteSizeMin)
    let offset = end
    precondition(offset + UInt64(size) <= mapping.length)
    // Nothing has been written behind the end, so what pads the node is zero.
    let target = unsafe mapping.address + Int(offset)
    unsafe target.copyMemory(from: node.address, byteCount: used)
    unsafe target.storeBytes(of: UInt32(size), toByteOffset: NodeLayout.byteSize, as: UInt32.self)
    unsafe target.storeBytes(
      of: version.rawValue, toByteOffset: NodeLayout.createdIn, as: UInt64.self)
    let sum = unsafe checksum(target + 4, count: size - 4)
    unsafe target.storeBytes(of: sum, as: UInt32.self)
    end += UInt64(size)
    return NodeReference(offset: offset, checksum: sum)
  }

  /// Nothing may be wrong in the committed version.
  func expectSound(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
    let findings = StoreCheck.findings(root: root, in: source)
    #expect(findings.isEmpty, comment, sourceLocation: sourceLocation)
  }

  /// Bytes that the committed version's nodes take.
  func liveBytes() throws -> Int {
    var total = 0
    var pending = [root]
    while let next = pending.popLast() {
      if next.isNone { continue }
      let node = try source.node(next)
      total += node.byteSize
      for index in 0..<node.referenceCount { pending.append(node.reference(index)) }
    }
    return total
  }
}

/// Just enough of a file to be mapped.
private final class MemoryFile: SystemFile {
  let path = "scratch"
  let identity = FileIdentity(device: 0, inode: 0)
  func fileSystemKind() throws(SystemError) -> FileSystemKind { .local }
  func size() throws(SystemError) -> UInt64 { 0 }
  func allocatedSize() throws(SystemError) -> UInt64 { 0 }
  func linkCount() throws(SystemError) -> UInt64 { 1 }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {}
  func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int { 0 }
  func synchronize() throws(SystemError) {}
  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {}
  func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {}
  func truncate(to size: UInt64) throws(SystemError) {}
  func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer {
    try unsafe AnonymousMemory.map(length: Int(length))
  }
  func unmap(_ address: UnsafeMutableRawPointer, length: UInt64) {
    unsafe AnonymousMemory.unmap(address, length: Int(length))
  }
  func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool { true }
  func unlock(byte: UInt64) throws(SystemError) {}
  func isLockedByOther(byte: UInt64, kind: LockKind) throws(SystemError) -> Bool { false }
  func close() {}
}
