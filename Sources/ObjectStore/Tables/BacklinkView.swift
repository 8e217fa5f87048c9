import Storage

/// Who links to an object through one property: the keys of the origins, in rising order, once for
/// each link (an object may stand in a list more than once).
///
/// A backlink vector holds an integer per row: 0 nobody; odd: one origin, whose key is the value
/// shifted right by one; even: a tree of pairs (origin's key, 0), the reference at value / 2 - 1.
@frozen
public struct BacklinkView {
  public let source: NodeSource
  /// The only origin, if there is exactly one and it is kept in the vector.
  let single: Int64?
  let tree: NodeReference
  /// Links to the object.
  public let count: Int

  static func empty(in source: NodeSource) -> BacklinkView {
    BacklinkView(source: source, single: nil, tree: .none, count: 0)
  }

  private init(source: NodeSource, single: Int64?, tree: NodeReference, count: Int) {
    self.source = source
    self.single = single
    self.tree = tree
    self.count = count
  }

  init(_ node: Node, _ row: Int, in source: NodeSource) throws(StorageError) {
    let value = unsafe VectorMath.integer(node.data, width: node.width, row)
    if value == 0 {
      self = .empty(in: source)
    } else if value & 1 == 1 {
      self.init(source: source, single: value >> 1, tree: .none, count: 1)
    } else {
      let tree = node.reference(Int(value >> 1) - 1)
      self.init(
        source: source, single: nil, tree: tree, count: try PairTree.count(tree, in: source))
    }
  }

  /// The origin at `index`, which must be below `count`.
  public func key(at index: Int) throws(StorageError) -> ObjectKey {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "backlink out of bounds")
    if let single { return ObjectKey(rawValue: single) }
    return ObjectKey(rawValue: try PairTree.pair(tree, at: index, in: source).value)
  }

  /// All origins in order.
  public func keys() throws(StorageError) -> [ObjectKey] {
    if let single { return [ObjectKey(rawValue: single)] }
    var keys: [ObjectKey] = []
    keys.reserveCapacity(min(count, 1 << 12))
    var iterator = PairIterator(root: tree, in: source)
    while let pair = try iterator.next() { keys.append(ObjectKey(rawValue: pair.value)) }
    return keys
  }

  /// Calls `body` with each origin in order.
  func forEachKey(_ body: (Int64) throws(StorageError) -> Void) throws(StorageError) {
    if let single { return try body(single) }
    var iterator = PairIterator(root: tree, in: source)
    while let pair = try iterator.next() { try body(pair.value) }
  }

  /// How many links come from `key`.
  public func count(from key: ObjectKey) throws(StorageError) -> Int {
    if let single { return single == key.rawValue ? 1 : 0 }
    return try PairTree.count(tree, equal: key.rawValue, in: source)
  }
}
