import Storage
import TestSupport

/// Accounts in leaves, whose content can be checked without knowing what happened before: transfers
/// leave the sum of all accounts as it is, the root says which version wrote each leaf, and a
/// leaf's filling follows from that version. Beside them, one counter for each writer of its
/// commits.
///
/// Root data: a counter for each writer, then a stamp for each leaf. Leaf data: its stamp, the
/// accounts, filling.
public struct Ledger: Sendable {
  public static let rootKind = NodeKind(rawValue: 210)
  public static let leafKind = NodeKind(rawValue: 211)
  public static let accountsPerLeaf = 8
  public static let openingBalance: Int64 = 1000

  public let writers: Int
  public let leafCount: Int
  /// Words of filling in a leaf at most; may differ from one transfer to the next.
  public var fillingMax: Int

  public init(writers: Int = 4, leafCount: Int = 40, fillingMax: Int = 60) {
    self.writers = writers
    self.leafCount = leafCount
    self.fillingMax = fillingMax
  }

  /// The same ledger, written now and then with leaves of up to `words` words, so that the file
  /// grows by megabytes and is compacted again later.
  func swelling(to words: Int, _ random: inout SeededGenerator) -> Ledger {
    var ledger = self
    ledger.fillingMax = random.below(12) == 0 ? words : fillingMax
    return ledger
  }

  public var total: Int64 { Int64(leafCount * Self.accountsPerLeaf) * Self.openingBalance }

  // MARK: Writing

  /// Makes the root and all leaves in a transaction on an empty database.
  public func create(in transaction: WriteTransaction, _ random: inout SeededGenerator) {
    let root = transaction.writer.make(
      kind: Self.rootKind, referenceCount: leafCount, dataSize: (writers + leafCount) * 8)
    let balances = [Int64](repeating: Self.openingBalance, count: Self.accountsPerLeaf)
    for index in 0..<leafCount { write(balances, to: index, of: root, transaction, &random) }
    transaction.root = root.reference
  }

  /// Moves amounts between accounts of `leaves` leaves (all of them if nil), which all are written
  /// anew, and counts the commit for `writer`.
  public func transfer(
    in transaction: WriteTransaction, writer: Int, leaves: Int? = nil,
    _ random: inout SeededGenerator
  ) throws(StorageError) {
    if transaction.root.isNone { create(in: transaction, &random) }
    let root = try transaction.writer.mutable(transaction.root)
    var touched = Set(0..<(leaves == nil ? leafCount : 0))
    if let leaves { while touched.count < leaves { touched.insert(random.below(leafCount)) } }
    let indices = touched.sorted()
    var balances: [[Int64]] = []
    for index in indices {
      balances.append(try self.balances(transaction.source, root.node.reference(index)))
    }
    for _ in 0..<indices.count {
      let amount = Int64(random.below(500))
      balances[random.below(indices.count)][random.below(Self.accountsPerLeaf)] -= amount
      balances[random.below(indices.count)][random.below(Self.accountsPerLeaf)] += amount
    }
    for (position, index) in indices.enumerated() {
      try transaction.writer.release(root.node.reference(index))
      write(balances[position], to: index, of: root, transaction, &random)
    }
    let count = unsafe root.data.load(fromByteOffset: writer * 8, as: UInt64.self)
    unsafe root.data.storeBytes(of: count + 1, toByteOffset: writer * 8, as: UInt64.self)
    transaction.root = root.reference
  }

  private func write(
    _ balances: [Int64], to index: Int, of root: MutableNode, _ transaction: WriteTransaction,
    _ random: inout SeededGenerator
  ) {
    let filling = random.below(fillingMax + 1)
    let words = 1 + Self.accountsPerLeaf + filling
    let leaf = transaction.writer.make(kind: Self.leafKind, count: words, dataSize: words * 8)
    let stamp = transaction.version.rawValue
    unsafe leaf.data.storeBytes(of: stamp, as: UInt64.self)
    for (account, balance) in balances.enumerated() {
      unsafe leaf.data.storeBytes(of: balance, toByteOffset: (1 + account) * 8, as: Int64.self)
    }
    var content = Self.filling(stamp: stamp, index: index)
    for word in (1 + Self.accountsPerLeaf)..<words {
      unsafe leaf.data.storeBytes(of: content.next(), toByteOffset: word * 8, as: UInt64.self)
    }
    root.setReference(index, leaf.reference)
    unsafe root.data.storeBytes(of: stamp, toByteOffset: (writers + index) * 8, as: UInt64.self)
  }

  private static func filling(stamp: UInt64, index: Int) -> SeededGenerator {
    SeededGenerator(seed: stamp &* 0x9E37_79B9 &+ UInt64(index))
  }

  private func balances(
    _ source: NodeSource, _ reference: NodeReference
  ) throws(StorageError) -> [Int64] {
    let node = try source.node(reference)
    return (0..<Self.accountsPerLeaf).map {
      unsafe node.data.load(fromByteOffset: (1 + $0) * 8, as: Int64.self)
    }
  }

  // MARK: Checking

  /// How many commits of each writer the version holds.
  public func counters(
    _ source: NodeSource, _ root: NodeReference
  ) throws(StorageError) -> [UInt64] {
    if root.isNone { return Array(repeating: 0, count: writers) }
    let node = try source.node(root)
    return (0..<writers).map { unsafe node.data.load(fromByteOffset: $0 * 8, as: UInt64.self) }
  }

  public func counters(_ snapshot: Snapshot) throws(StorageError) -> [UInt64] {
    try counters(snapshot.source, snapshot.root)
  }

  /// What is wrong with a version; nil when nothing is.
  public func violation(in snapshot: Snapshot) throws(StorageError) -> String? {
    try violation(snapshot.source, snapshot.root, version: snapshot.version)
  }

  /// - Parameter version: the version that is read; no leaf is younger.
  public func violation(
    _ source: NodeSource, _ reference: NodeReference, version: Version
  ) throws(StorageError) -> String? {
    if reference.isNone { return nil }
    let root = try source.node(reference)
    guard root.kind == Self.rootKind, root.referenceCount == leafCount else {
      return "version \(version): the root is another node"
    }
    var sum: Int64 = 0
    for index in 0..<leafCount {
      let leaf = try source.node(root.reference(index))
      let stamp = unsafe root.data.load(fromByteOffset: (writers + index) * 8, as: UInt64.self)
      if let violation = violation(leaf, index: index, stamp: stamp, sum: &sum) {
        return "version \(version): \(violation)"
      }
      if stamp > version.rawValue {
        return "version \(version): leaf \(index) is of version \(stamp)"
      }
    }
    return sum == total ? nil : "version \(version): the accounts hold \(sum), not \(total)"
  }

  private func violation(
    _ leaf: Node, index: Int, stamp: UInt64, sum: inout Int64
  ) -> String? {
    let found = unsafe leaf.data.load(as: UInt64.self)
    guard leaf.kind == Self.leafKind, found == stamp else {
      return "leaf \(index) was written by version \(found), expected \(stamp)"
    }
    for account in 0..<Self.accountsPerLeaf {
      unsafe sum += leaf.data.load(fromByteOffset: (1 + account) * 8, as: Int64.self)
    }
    var content = Self.filling(stamp: stamp, index: index)
    for word in (1 + Self.accountsPerLeaf)..<leaf.count
    where unsafe leaf.data.load(fromByteOffset: word * 8, as: UInt64.self) != content.next() {
      return "leaf \(index) of version \(stamp) differs at word \(word)"
    }
    return nil
  }
}
