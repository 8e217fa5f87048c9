import Storage
import TestSupport

/// A small use of storage whose content at each version is known: a root with leaves of changing
/// sizes, some of which every version writes anew.
public struct LeafModel: Sendable {
  public struct Leaf: Hashable, Sendable {
    public var seed: UInt64
    public var words: Int

    public init(seed: UInt64, words: Int) {
      self.seed = seed
      self.words = words
    }
  }

  public static let rootKind = NodeKind(rawValue: 200)
  public static let leafKind = NodeKind(rawValue: 201)

  public let leafCount: Int
  public let wordsMax: Int
  public let changesMax: Int
  public let seed: UInt64

  public init(leafCount: Int, wordsMax: Int, changesMax: Int, seed: UInt64) {
    self.leafCount = leafCount
    self.wordsMax = wordsMax
    self.changesMax = changesMax
    self.seed = seed
  }

  /// What `version` changes: leaf positions and their new contents. The first version after the
  /// empty one fills all leaves.
  public func changes(at version: Version) -> [(index: Int, leaf: Leaf)] {
    var random = SeededGenerator(seed: seed &+ version.rawValue &* 0x1000_0001)
    if version == 2 {
      return (0..<leafCount).map { ($0, leaf(&random)) }
    }
    let count = 1 + random.below(changesMax)
    return (0..<count).map { _ in (random.below(leafCount), leaf(&random)) }
  }

  private func leaf(_ random: inout SeededGenerator) -> Leaf {
    Leaf(seed: random.next(), words: 1 + random.below(wordsMax))
  }

  /// The leaves of `version`, given those of the version before.
  public func next(_ leaves: [Leaf], version: Version) -> [Leaf] {
    var leaves = leaves
    if leaves.isEmpty {
      leaves = Array(repeating: Leaf(seed: 0, words: 0), count: leafCount)
    }
    for change in changes(at: version) { leaves[change.index] = change.leaf }
    return leaves
  }

  /// The leaves of any version, computed from the first.
  public func leaves(at version: Version) -> [Leaf] {
    var leaves: [Leaf] = []
    var step = Version(1)
    while step < version {
      step = step.next
      leaves = next(leaves, version: step)
    }
    return leaves
  }

  /// Makes the changes of the transaction's version.
  public func apply(to transaction: WriteTransaction) throws(StorageError) {
    let writer = transaction.writer
    let root: MutableNode
    if transaction.root.isNone {
      root = writer.make(kind: Self.rootKind, referenceCount: leafCount)
    } else {
      root = try writer.mutable(transaction.root)
    }
    for change in changes(at: transaction.version) {
      try writer.release(root.node.reference(change.index))
      let leaf = writer.make(
        kind: Self.leafKind, count: change.leaf.words, dataSize: change.leaf.words * 8)
      var content = SeededGenerator(seed: change.leaf.seed)
      for word in 0..<change.leaf.words {
        unsafe leaf.data.storeBytes(of: content.next(), toByteOffset: word * 8, as: UInt64.self)
      }
      root.setReference(change.index, leaf.reference)
    }
    transaction.root = root.reference
  }

  /// Says what in the snapshot differs from what its version should hold; nil when nothing does.
  public func mismatch(in snapshot: Snapshot, leaves: [Leaf]) throws(StorageError) -> String? {
    if snapshot.root.isNone {
      return leaves.isEmpty ? nil : "version \(snapshot.version) is empty"
    }
    let root = try snapshot.source.node(snapshot.root)
    guard root.referenceCount == leaves.count else {
      return "version \(snapshot.version) has \(root.referenceCount) leaves"
    }
    for (index, leaf) in leaves.enumerated() {
      let reference = root.reference(index)
      if reference.isNone {
        if leaf.words != 0 { return "leaf \(index) of version \(snapshot.version) is missing" }
        continue
      }
      let node = try snapshot.source.node(reference)
      guard node.count == leaf.words else {
        return "leaf \(index) of version \(snapshot.version) has \(node.count) words"
      }
      var content = SeededGenerator(seed: leaf.seed)
      for word in 0..<leaf.words
      where unsafe node.data.load(fromByteOffset: word * 8, as: UInt64.self) != content.next() {
        return "leaf \(index) of version \(snapshot.version) differs at word \(word)"
      }
    }
    return nil
  }
}
