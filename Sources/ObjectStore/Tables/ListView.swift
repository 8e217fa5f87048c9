import Platform
import Storage

/// A list in one version: a tree whose leaves are vectors of its elements.
///
/// Valid as long as the version it was read from; within a write transaction until the next change.
@frozen
public struct ListView: Sendable {
  public let source: NodeSource
  /// None for an empty list.
  public let root: NodeReference
  public let kind: ValueKind
  /// Whether elements may be null.
  public let isOptional: Bool
  /// The table that links refer to.
  public let target: TableKey
  public let count: Int

  public init(
    root: NodeReference, kind: ValueKind, isOptional: Bool, target: TableKey,
    in source: NodeSource
  ) throws(StorageError) {
    self.source = source
    self.root = root
    self.kind = kind
    self.isOptional = isOptional
    self.target = target
    count = root.isNone ? 0 : ListTree.count(try ListTree.node(root, kind, in: source))
  }

  /// The leaf that has element `index` and its place there; `index` must be below `count`.
  @usableFromInline
  func leaf(_ index: Int) throws(StorageError) -> (node: Node, row: Int) {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "list index out of bounds")
    return try ListTree.leaf(root, index, kind, in: source)
  }

  /// The element at `index`.
  public func value(at index: Int) throws(StorageError) -> StoredValue {
    let (node, row) = try leaf(index)
    return try VectorValue.read(
      node, row, kind: kind, isOptional: isOptional, target: target, in: source)
  }

  /// Whether the element at `index` is null.
  public func isNull(at index: Int) throws(StorageError) -> Bool {
    let (node, row) = try leaf(index)
    if kind == .any { return try value(at: index) == .null }
    return !VectorMath.hasValue(node, row)
  }

  /// Integers and booleans.
  @inlinable
  public func int(at index: Int) throws(StorageError) -> Int64 {
    let (node, row) = try leaf(index)
    return unsafe VectorMath.integer(VectorMath.elements(node), width: node.width, row)
  }

  /// Doubles and dates.
  @inlinable
  public func double(at index: Int) throws(StorageError) -> Double {
    let (node, row) = try leaf(index)
    return unsafe VectorMath.elements(node).load(fromByteOffset: row &* 8, as: Double.self)
  }

  @inlinable
  public func float(at index: Int) throws(StorageError) -> Float {
    let (node, row) = try leaf(index)
    return unsafe VectorMath.elements(node).load(fromByteOffset: row &* 4, as: Float.self)
  }

  /// The object at `index` of a list of objects.
  @inlinable
  public func link(at index: Int) throws(StorageError) -> ObjectKey {
    ObjectKey(rawValue: try int(at: index) &- 1)
  }

  /// UTF-8 of strings, bytes of data; empty for null.
  @inlinable
  public func withBytes<Result>(
    at index: Int, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StorageError) -> Result {
    let (node, row) = try leaf(index)
    return try unsafe ByteVector.withBytes(node, row, in: source, body)
  }

  /// The index of the first element that refers to `key`, in a list of objects.
  public func firstIndex(of key: ObjectKey) throws(StorageError) -> Int? {
    try firstInteger(key.rawValue &+ 1)
  }

  /// The index of the first element equal to `value`.
  public func firstIndex(of value: StoredValue) throws(StorageError) -> Int? {
    if kind == .object, case .link(let table, let key) = value {
      return table == target ? try firstIndex(of: key) : nil
    }
    var leaves = leaves()
    while let (vector, start) = try leaves.next() {
      for row in 0..<vector.count {
        let element = try VectorValue.read(
          vector.node!, row, kind: kind, isOptional: isOptional, target: target, in: source)
        if element == value { return start + row }
      }
    }
    return nil
  }

  /// The first element that is this integer.
  private func firstInteger(_ value: Int64) throws(StorageError) -> Int? {
    var leaves = leaves()
    while let (vector, first) = try leaves.next() {
      for row in 0..<vector.count where vector.integer(row) == value {
        return first + row
      }
    }
    return nil
  }

  /// The index of a string, given in UTF-8, in a list of strings in the order of their bytes.
  func firstIndex(ofSorted bytes: [UInt8]) throws(StorageError) -> Int? {
    // The place that is found has been compared, unless it is the end.
    var isEqual = false
    let place = try (0..<count).partitionPoint { (index) throws(StorageError) in
      let order = try unsafe withBytes(at: index) { found in
        unsafe bytes.withUnsafeBytes { unsafe ByteOrder.compare(found, $0) }
      }
      if order == .equal { isEqual = true }
      return order == .less
    }
    return isEqual ? place : nil
  }

  /// The objects of a list of objects, in order.
  public func allLinks() throws(StorageError) -> ContiguousArray<ObjectKey> {
    var keys = ContiguousArray<ObjectKey>()
    keys.reserveCapacity(min(count, 1 << 16))
    var leaves = leaves()
    while let (vector, _) = try leaves.next() {
      for row in 0..<vector.count { keys.append(ObjectKey(rawValue: vector.integer(row) &- 1)) }
    }
    return keys
  }

  /// All elements in order.
  public func allValues() throws(StorageError) -> [StoredValue] {
    var values: [StoredValue] = []
    values.reserveCapacity(min(count, 1 << 16))
    var leaves = leaves()
    while let (vector, _) = try leaves.next() {
      guard let node = vector.node else { continue }
      for row in 0..<vector.count {
        values.append(
          try VectorValue.read(
            node, row, kind: kind, isOptional: isOptional, target: target, in: source))
      }
    }
    return values
  }

  /// The leaves in order, each with the index of its first element.
  public func leaves() -> ListLeafIterator { ListLeafIterator(root: root, kind, in: source) }
}

/// Walks the leaves of a list.
public struct ListLeafIterator {
  let source: NodeSource
  private let kind: ValueKind
  var path: [(node: Node, next: Int)] = []
  var pending: NodeReference
  var before = 0
  /// The leaf that was returned last.
  private(set) var reference = NodeReference.none
  /// Elements of the list, by what its root says; more would mean that nodes are shared.
  private var total = Int.max

  init(root: NodeReference, _ kind: ValueKind, in source: NodeSource) {
    self.source = source
    self.kind = kind
    pending = root
  }

  /// The next leaf and the index of its first element, or nil at the end.
  public mutating func next() throws(StorageError) -> (vector: ColumnVector, start: Int)? {
    while true {
      if !pending.isNone {
        let node = try source.node(pending)
        if node.kind != .listInner {
          let vector = try ColumnVector(pending, of: kind, in: source)
          let start = before
          before &+= vector.count
          guard before <= total else {
            throw source.corrupt(pending, "fewer elements were expected")
          }
          reference = pending
          pending = .none
          return (vector, start)
        }
        if path.isEmpty { total = ListTree.count(node) }
        if path.count >= TreeLimits.depthMax { throw source.tooDeep(pending) }
        pending = .none
        path.append((node, 0))
      }
      guard let top = path.last else { return nil }
      if top.next < top.node.referenceCount {
        pending = top.node.reference(top.next)
        path[path.count - 1].next += 1
      } else {
        path.removeLast()
      }
    }
  }
}
