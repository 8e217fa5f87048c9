import Platform
import Storage
import TestSupport

/// A small use of storage whose content says which commit made it: a root with the commit's number,
/// and leaves whose bytes follow from what the commit said.
struct ChainModel {
  struct Leaf: Hashable {
    var place = 0
    var words = 0
  }

  static let rootKind = NodeKind(rawValue: 200)
  static let leafKind = NodeKind(rawValue: 201)
  static let leafCount = 10

  /// Where the bytes of leaves are taken from: comparing with them costs next to nothing.
  private static let bytes: [UInt64] = {
    var random = SeededGenerator(seed: 7)
    return (0..<1 << 14).map { _ in random.next() }
  }()

  /// What a commit changes: a few leaves, or all of them, so that the file grows and shrinks.
  static func change(
    _ leaves: [Leaf], wordsMax: Int, random: inout SeededGenerator
  ) -> [(index: Int, leaf: Leaf)] {
    switch random.below(8) {
    case 0: return (0..<leafCount).map { ($0, leaf(wordsMax, &random)) }
    case 1: return (0..<leafCount).map { ($0, leaf(min(wordsMax, 12), &random)) }
    default:
      if leaves.isEmpty { return (0..<leafCount).map { ($0, leaf(wordsMax, &random)) } }
      let count = 1 + random.below(4)
      return (0..<count).map { _ in (random.below(leafCount), leaf(wordsMax, &random)) }
    }
  }

  private static func leaf(_ wordsMax: Int, _ random: inout SeededGenerator) -> Leaf {
    let words = 1 + random.below(wordsMax)
    return Leaf(place: random.below(bytes.count - words), words: words)
  }

  static func apply(
    _ changes: [(index: Int, leaf: Leaf)], number: Int, to transaction: WriteTransaction
  ) throws(StorageError) {
    let writer = transaction.writer
    let root: MutableNode
    if transaction.root.isNone {
      root = writer.make(kind: rootKind, referenceCount: leafCount, dataSize: 8)
    } else {
      root = try writer.mutable(transaction.root)
    }
    unsafe root.data.storeBytes(of: UInt64(number), as: UInt64.self)
    for change in changes {
      try writer.release(root.node.reference(change.index))
      let leaf = writer.make(
        kind: leafKind, count: change.leaf.words, dataSize: change.leaf.words * 8)
      unsafe bytes.withUnsafeBytes { source in
        unsafe leaf.data.copyMemory(
          from: source.baseAddress! + change.leaf.place * 8, byteCount: change.leaf.words * 8)
      }
      root.setReference(change.index, leaf.reference)
    }
    transaction.root = root.reference
  }

  /// The number of the commit that made the content; 0 where there is none.
  static func number(
    _ source: NodeSource, _ root: NodeReference
  ) throws(StorageError) -> Int {
    if root.isNone { return 0 }
    let node = try source.node(root)
    guard node.kind == rootKind, node.dataSize == 8, node.referenceCount == leafCount else {
      return -1
    }
    return unsafe Int(truncatingIfNeeded: node.data.load(as: UInt64.self))
  }

  /// What of the content is not as the commit made it; nil if nothing.
  static func mismatch(
    _ source: NodeSource, _ root: NodeReference, _ leaves: [Leaf]
  ) throws(StorageError) -> String? {
    if root.isNone { return leaves.isEmpty ? nil : "it is empty" }
    let node = try source.node(root)
    for (index, leaf) in leaves.enumerated() {
      let child = try source.node(node.reference(index))
      guard child.kind == leafKind, child.count == leaf.words else {
        return "leaf \(index) has \(child.count) words instead of \(leaf.words)"
      }
      let isSame = unsafe bytes.withUnsafeBytes { known in
        unsafe memoryIsEqual(child.data, known.baseAddress! + leaf.place * 8, leaf.words * 8)
      }
      if !isSame { return "leaf \(index) holds something else" }
    }
    return nil
  }
}
