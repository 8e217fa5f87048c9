import EngineLab
import Storage
import TestSupport

/// Numbered leaves below a tree of inner nodes, narrow ones unless asked otherwise, so that
/// changing a leaf copies little besides it. Each leaf says in its first two words which one it is
/// and what it was stamped with; the rest follows from these.
public struct LeafTree: Sendable {
  static let innerKind = NodeKind(rawValue: 210)
  static let leafKind = NodeKind(rawValue: 211)
  public let leafCount: Int
  /// How long a leaf may be, with its header; the length follows from number and stamp.
  public let leafBytes: ClosedRange<Int>
  /// References of an inner node.
  public let fanout: Int
  /// How many leaves there can be below one child of the root.
  private let rootSpan: Int

  public init(leafCount: Int, leafBytes: ClosedRange<Int>, fanout: Int = 64) {
    self.leafCount = leafCount
    self.leafBytes = leafBytes
    self.fanout = fanout
    var span = 1
    while span * fanout < leafCount { span *= fanout }
    rootSpan = span
  }

  // MARK: Writing

  /// Makes a leaf, or replaces it.
  public func set(
    _ index: Int, stamp: UInt64, in transaction: WriteTransaction
  ) throws(StorageError) {
    var content = Self.content(index, stamp)
    let bytes = leafBytes.lowerBound + content.below(leafBytes.count)
    let words = max(2, (bytes - 32) / 8)
    let leaf = transaction.writer.make(kind: Self.leafKind, count: words, dataSize: words * 8)
    unsafe leaf.data.storeBytes(of: UInt64(index), as: UInt64.self)
    unsafe leaf.data.storeBytes(of: stamp, toByteOffset: 8, as: UInt64.self)
    for word in 2..<words {
      unsafe leaf.data.storeBytes(of: content.next(), toByteOffset: word * 8, as: UInt64.self)
    }
    try replace(index, with: leaf.reference, in: transaction)
  }

  public func remove(_ index: Int, in transaction: WriteTransaction) throws(StorageError) {
    try replace(index, with: .none, in: transaction)
  }

  private func replace(
    _ index: Int, with leaf: NodeReference, in transaction: WriteTransaction
  ) throws(StorageError) {
    let writer = transaction.writer
    var node = try changeable(transaction.root, writer)
    transaction.root = node.reference
    var (span, rest) = (rootSpan, index)
    while span > 1 {
      let child = try changeable(node.node.reference(rest / span), writer)
      node.setReference(rest / span, child.reference)
      node = child
      rest %= span
      span /= fanout
    }
    try writer.release(node.node.reference(rest))
    node.setReference(rest, leaf)
  }

  private func changeable(
    _ reference: NodeReference, _ writer: NodeWriter
  ) throws(StorageError) -> MutableNode {
    if reference.isNone {
      return writer.make(kind: Self.innerKind, referenceCount: fanout)
    }
    return try writer.mutable(reference)
  }

  private static func content(_ index: Int, _ stamp: UInt64) -> SeededGenerator {
    SeededGenerator(seed: UInt64(index) &* 0x1_0000_01B3 ^ stamp &* 0x9E37_79B9)
  }

  // MARK: Reading

  /// Nil where there is no such leaf.
  public func leaf(
    _ index: Int, below root: NodeReference, in source: NodeSource
  ) throws(StorageError) -> Node? {
    if root.isNone { return nil }
    var node = try source.node(root)
    var (span, rest) = (rootSpan, index)
    while true {
      let child = node.reference(rest / span)
      if child.isNone { return nil }
      node = try source.node(child)
      if span == 1 { return node }
      rest %= span
      span /= fanout
    }
  }

  /// What is wrong with a leaf; nil if nothing is.
  public func mismatch(_ index: Int, _ leaf: Node) -> String? {
    guard leaf.kind == Self.leafKind, leaf.count >= 2, leaf.dataSize >= leaf.count * 8 else {
      return "leaf \(index) is no leaf"
    }
    let words = unsafe leaf.data.assumingMemoryBound(to: UInt64.self)
    if unsafe words[0] != UInt64(index) {
      return unsafe "leaf \(words[0]) is in the place of leaf \(index)"
    }
    var content = unsafe Self.content(index, words[1])
    _ = content.next()
    for word in 2..<leaf.count where unsafe words[word] != content.next() {
      return "leaf \(index) differs at word \(word)"
    }
    return nil
  }

  /// What a walk of all nodes found.
  public struct Contents: Sendable {
    public var leaves = 0
    /// Bytes of the leaves and of the inner nodes.
    public var bytes: UInt64 = 0
    public var mismatches: [String] = []
  }

  /// Walks all nodes, and compares each leaf with what it should be if that is wanted.
  public func contents(
    of snapshot: Snapshot, checking: Bool = false
  ) throws(StorageError) -> Contents {
    var contents = Contents()
    if !snapshot.root.isNone {
      try visit(snapshot.root, from: 0, rootSpan, snapshot.source, checking, &contents)
    }
    return contents
  }

  private func visit(
    _ reference: NodeReference, from first: Int, _ span: Int, _ source: NodeSource,
    _ checking: Bool, _ contents: inout Contents
  ) throws(StorageError) {
    let node = try source.node(reference)
    contents.bytes += UInt64(node.byteSize)
    for position in 0..<node.referenceCount {
      let child = node.reference(position)
      if child.isNone { continue }
      let index = first + position * span
      if span > 1 {
        try visit(child, from: index, span / fanout, source, checking, &contents)
        continue
      }
      let leaf = try source.node(child)
      contents.bytes += UInt64(leaf.byteSize)
      contents.leaves += 1
      if checking, let found = mismatch(index, leaf) { contents.mismatches.append(found) }
    }
  }
}

// MARK: Many leaves

extension LeafTree {
  /// Makes all leaves, in commits of `batch` of them.
  public func fill(
    _ database: Database, batch: Int, durability: Durability = .full
  ) throws(StorageError) {
    var first = 0
    while first < leafCount {
      let transaction = try database.beginWrite()
      for index in first..<min(first + batch, leafCount) {
        try set(index, stamp: transaction.version.rawValue, in: transaction)
      }
      _ = try transaction.commit(durability: durability)
      first += batch
    }
  }

  /// One commit that replaces `count` leaves at random.
  public func change(
    _ count: Int, in database: Database, durability: Durability? = nil,
    _ random: inout SeededGenerator
  ) throws(StorageError) {
    let transaction = try database.beginWrite()
    for _ in 0..<count {
      try set(random.below(leafCount), stamp: transaction.version.rawValue, in: transaction)
    }
    _ = try transaction.commit(durability: durability, history: [1])
  }
}
