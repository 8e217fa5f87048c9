import Platform
import Storage

/// An entry of an index: a value and the key of an object that has it. Ordered by both.
@frozen
public struct IndexPair: Hashable, Comparable, Sendable {
  public var value: Int64
  public var key: Int64

  @inlinable
  public init(_ value: Int64, _ key: Int64) {
    self.value = value
    self.key = key
  }

  @inlinable @inline(__always)
  public static func < (left: IndexPair, right: IndexPair) -> Bool {
    left.value < right.value || (left.value == right.value && left.key < right.key)
  }
}

/// Views of leaves of pair trees: Int64 base value, Int64 base key, then per entry the distance of
/// its value and of its key from those, each unsigned and of 0, 1, 2, 4 or 8 bytes.
@frozen
@usableFromInline
@safe struct PairLeaf {
  @usableFromInline static let headSize = 16

  @usableFromInline let entries: UnsafeRawPointer
  @usableFromInline let count: Int
  @usableFromInline let valueBytes: Int
  @usableFromInline let keyBytes: Int
  @usableFromInline let baseValue: Int64
  @usableFromInline let baseKey: Int64

  @inlinable @inline(__always)
  init(_ node: Node) {
    let data = unsafe node.data
    baseValue = unsafe data.load(as: Int64.self)
    baseKey = unsafe data.load(fromByteOffset: 8, as: Int64.self)
    unsafe entries = data + PairLeaf.headSize
    count = node.count
    valueBytes = node.width &>> 3
    keyBytes = Int(node.flags &>> 3)
  }

  @inlinable @inline(__always)
  var stride: Int { valueBytes &+ keyBytes }

  @inlinable @inline(__always)
  static func load(_ address: UnsafeRawPointer, _ bytes: Int) -> UInt64 {
    switch bytes {
    case 8: return unsafe address.loadUnaligned(as: UInt64.self)
    case 4: return unsafe UInt64(address.loadUnaligned(as: UInt32.self))
    case 2: return unsafe UInt64(address.loadUnaligned(as: UInt16.self))
    case 1: return unsafe UInt64(address.load(as: UInt8.self))
    default: return 0
    }
  }

  @inlinable @inline(__always)
  func value(_ index: Int) -> Int64 {
    unsafe baseValue &+ Int64(bitPattern: PairLeaf.load(entries + index &* stride, valueBytes))
  }

  @inlinable @inline(__always)
  func key(_ index: Int) -> Int64 {
    let address = unsafe entries + (index &* stride &+ valueBytes)
    return unsafe baseKey &+ Int64(bitPattern: PairLeaf.load(address, keyBytes))
  }

  @inlinable @inline(__always)
  subscript(_ index: Int) -> IndexPair { IndexPair(value(index), key(index)) }

  /// The first entry that is not below `pair`.
  @inlinable
  func lowerBound(_ pair: IndexPair) -> Int {
    if pair.value < baseValue { return 0 }
    let distance = UInt64(bitPattern: pair.value &- baseValue)
    switch valueBytes {
    case 1: return lowerBound(distance, pair.key, UInt8.self)
    case 2: return lowerBound(distance, pair.key, UInt16.self)
    case 4: return lowerBound(distance, pair.key, UInt32.self)
    case 8: return lowerBoundOfWide(distance, pair.key)
    default: return distance > 0 ? count : lowerBound(0, pair.key, Never.self)
    }
  }

  /// Where the first entry with that value is, or would be. Values often come in rising order: what
  /// goes to the end of the last leaf is not searched for. In others a look at the end would be one
  /// at memory that the search does not need.
  @inline(__always)
  func place(of value: Int64, _ edges: TreeEdges) -> Int {
    if edges.isLast, count > 0, self.value(count &- 1) < value { return count }
    return lowerBound(IndexPair(value, .min))
  }

  /// `lowerBound` for values of 8 bytes. Most of these are hashes, which lie evenly: the search
  /// begins where the value is likely to be, and goes away from there in steps that double. Of a
  /// leaf that is not in the processor's caches it so looks at a few lines only.
  @usableFromInline
  func lowerBoundOfWide(_ distance: UInt64, _ wanted: Int64) -> Int {
    if count < 32 { return lowerBound(distance, wanted, UInt64.self) }
    let stride = stride
    func isBelow(_ index: Int) -> Bool {
      let candidate = unsafe (entries + index &* stride).loadUnaligned(as: UInt64.self)
      return candidate < distance || (candidate == distance && key(index) < wanted)
    }
    let last = count &- 1
    if isBelow(last) { return count }
    let greatest = unsafe (entries + last &* stride).loadUnaligned(as: UInt64.self)
    let share = greatest == 0 ? 0 : Double(distance) / Double(greatest)
    let likely = min(last, Int(share * Double(last)))
    var step = 8
    if isBelow(likely) {
      var low = likely &+ 1
      while low &+ step <= last, isBelow(low &+ step) {
        low &+= step &+ 1
        step &*= 2
      }
      let high = min(last, low &+ step)
      return lowerBound(distance, wanted, UInt64.self, from: low, to: high)
    }
    var high = likely
    while high >= step, !isBelow(high &- step) {
      high &-= step
      step &*= 2
    }
    let low = max(0, high &- step)
    return lowerBound(distance, wanted, UInt64.self, from: low, to: high)
  }

  @inlinable @inline(__always)
  func lowerBound<Width>(_ distance: UInt64, _ wanted: Int64, _ width: Width.Type) -> Int {
    lowerBound(distance, wanted, width, from: 0, to: count)
  }

  /// The same for values of a width that is known, so that the search has no switch in it, among
  /// entries where the first that is not below is known to be, or `high` itself.
  @inlinable @inline(__always)
  func lowerBound<Width>(
    _ distance: UInt64, _ wanted: Int64, _ width: Width.Type, from low: Int, to high: Int
  ) -> Int {
    let stride = stride
    return (low..<high).partitionPoint { middle in
      let entry = unsafe entries + middle &* stride
      let candidate: UInt64
      if width == UInt8.self {
        candidate = unsafe UInt64(entry.load(as: UInt8.self))
      } else if width == UInt16.self {
        candidate = unsafe UInt64(entry.loadUnaligned(as: UInt16.self))
      } else if width == UInt32.self {
        candidate = unsafe UInt64(entry.loadUnaligned(as: UInt32.self))
      } else if width == UInt64.self {
        candidate = unsafe entry.loadUnaligned(as: UInt64.self)
      } else {
        candidate = 0
      }
      return candidate < distance || (candidate == distance && key(middle) < wanted)
    }
  }
}

/// Reading of pair trees: leaves of kind `pairLeaf`, inner nodes of kind `pairInner` whose entries
/// are (first value, first key, count). Equal pairs may occur more than once.
@usableFromInline
enum PairTree {
  @inlinable @inline(__always)
  static func first(_ node: Node, _ index: Int) -> IndexPair {
    let offset = index &* InnerNode.pairStride
    return unsafe IndexPair(
      node.data.load(fromByteOffset: offset, as: Int64.self),
      node.data.load(fromByteOffset: offset &+ 8, as: Int64.self))
  }

  /// The child in which the first entry not below `pair` stands, or would: the last child whose
  /// first pair is below it (0 if there is none).
  @inlinable
  static func childBelow(_ node: Node, _ pair: IndexPair) -> Int {
    (1..<max(1, node.referenceCount)).partitionPoint { first(node, $0) < pair } &- 1
  }

  /// The leaf that a descent from `root` has come to.
  @inlinable @inline(__always)
  static func leaf(
    _ node: Node, _ root: NodeReference, in source: NodeSource
  ) throws(StorageError) -> PairLeaf {
    guard node.kind == .pairLeaf else { throw source.unexpected(root, .pairLeaf) }
    return PairLeaf(node)
  }

  /// Entries in the tree.
  static func count(_ root: NodeReference, in source: NodeSource) throws(StorageError) -> Int {
    if root.isNone { return 0 }
    let node = try source.node(root)
    guard node.kind == .pairInner || node.kind == .pairLeaf else {
      throw source.unexpected(root, .pairLeaf)
    }
    return count(node)
  }

  static func count(_ node: Node) -> Int {
    node.kind == .pairInner ? InnerNode.total(node, stride: InnerNode.pairStride) : node.count
  }

  /// How many entries are below `pair`.
  static func rank(
    _ root: NodeReference, _ pair: IndexPair, in source: NodeSource
  ) throws(StorageError) -> Int {
    if root.isNone { return 0 }
    var before = 0
    var depth = 0
    var node = try source.node(root)
    while node.kind == .pairInner {
      try source.descend(&depth, root)
      let child = childBelow(node, pair)
      for index in 0..<child {
        before &+= InnerNode.count(node, index, stride: InnerNode.pairStride)
      }
      node = try source.node(node.reference(child))
    }
    return before &+ (try leaf(node, root, in: source).lowerBound(pair))
  }

  /// How many entries have that value.
  static func count(
    _ root: NodeReference, equal value: Int64, in source: NodeSource
  ) throws(StorageError) -> Int {
    try count(root, from: value, through: value, in: source)
  }

  /// How many entries have a value within the bounds.
  static func count(
    _ root: NodeReference, from lower: Int64, through upper: Int64, in source: NodeSource
  ) throws(StorageError) -> Int {
    if lower > upper || root.isNone { return 0 }
    let start = IndexPair(lower, .min)
    if upper == .max {
      return max(0, try count(root, in: source) - rank(root, start, in: source))
    }
    let end = IndexPair(upper + 1, .min)
    // Down the way that both bounds share; only where they part are counts added up.
    var depth = 0
    var node = try source.node(root)
    while node.kind == .pairInner {
      try source.descend(&depth, root)
      let first = childBelow(node, start)
      let last = childBelow(node, end)
      if first != last {
        var between = 0
        for index in first..<last {
          between &+= InnerNode.count(node, index, stride: InnerNode.pairStride)
        }
        let before = try rank(node.reference(first), start, in: source)
        return max(0, between - before + (try rank(node.reference(last), end, in: source)))
      }
      node = try source.node(node.reference(first))
    }
    let leaf = try leaf(node, root, in: source)
    return max(0, leaf.lowerBound(end) - leaf.lowerBound(start))
  }

  /// Calls `body` with the key of each entry whose value is within the bounds, in order, until it
  /// returns true.
  static func forEachKey(
    _ root: NodeReference, from lower: Int64, through upper: Int64, in source: NodeSource,
    _ body: (Int64) throws(StorageError) -> Bool
  ) throws(StorageError) {
    if root.isNone || lower > upper { return }
    // More entries than the root counts would mean that nodes are shared.
    var left = try count(root, in: source)
    _ = try forEachKey(root, lower, upper, depth: 0, &left, in: source, body)
  }

  private static func forEachKey(
    _ reference: NodeReference, _ lower: Int64, _ upper: Int64, depth: Int, _ left: inout Int,
    in source: NodeSource, _ body: (Int64) throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    let node = try source.node(reference)
    if node.kind == .pairInner {
      var depth = depth
      try source.descend(&depth, reference)
      for child in childBelow(node, IndexPair(lower, .min))..<node.referenceCount {
        if child > 0, first(node, child).value > upper { return false }
        let isOver = try forEachKey(
          node.reference(child), lower, upper, depth: depth, &left, in: source, body)
        if isOver { return true }
      }
      return false
    }
    let leaf = try leaf(node, reference, in: source)
    left &-= leaf.count
    if left < 0 { throw source.corrupt(reference, "fewer entries of an index were expected") }
    var index = leaf.lowerBound(IndexPair(lower, .min))
    while index < leaf.count, leaf.value(index) <= upper {
      if try body(leaf.key(index)) { return true }
      index &+= 1
    }
    return index < leaf.count
  }

  /// The entry at `index` of the order; it must be below the count.
  static func pair(
    _ root: NodeReference, at index: Int, in source: NodeSource
  ) throws(StorageError) -> IndexPair {
    var offset = index
    var depth = 0
    var node = try source.node(root)
    while node.kind == .pairInner {
      try source.descend(&depth, root)
      let child = InnerNode.child(node, containing: offset, stride: InnerNode.pairStride)
      offset -= child.before
      node = try source.node(node.reference(child.index))
    }
    let leaf = try leaf(node, root, in: source)
    guard offset < leaf.count else { throw source.corrupt(root, "an index's count does not hold") }
    return leaf[offset]
  }

  /// The first entry that is not below `pair`.
  @usableFromInline
  static func first(
    _ root: NodeReference, notBelow pair: IndexPair, in source: NodeSource
  ) throws(StorageError) -> IndexPair? {
    if root.isNone { return nil }
    var node = try source.node(root)
    // The first pair of what follows the subtree that the descent is in, should that subtree end
    // before `pair`.
    var following: IndexPair?
    var depth = 0
    while node.kind == .pairInner {
      try source.descend(&depth, root)
      let child = childBelow(node, pair)
      if child &+ 1 < node.referenceCount { following = first(node, child &+ 1) }
      node = try source.node(node.reference(child))
    }
    let leaf = try leaf(node, root, in: source)
    let index = leaf.lowerBound(pair)
    if index < leaf.count { return leaf[index] }
    guard let following else { return nil }
    return try firstExact(root, following, in: source)
  }

  /// Separators may be below the first entry they stand for (after removals), so what follows is
  /// looked up in the leaf.
  private static func firstExact(
    _ root: NodeReference, _ separator: IndexPair, in source: NodeSource
  ) throws(StorageError) -> IndexPair? {
    var iterator = try PairIterator(root: root, from: separator, in: source)
    return try iterator.next()
  }
}
