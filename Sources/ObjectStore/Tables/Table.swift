import Storage

/// One class's objects in one version: finding them and reading their properties.
///
/// A plain value: valid while the snapshot it was made from is pinned; within a write transaction
/// until the next change (ask the transaction for a new one then). Reads in `Table+Read.swift`.
///
/// Table node: references are the cluster tree, then indexes; data as in `TableLayout`'s offsets.
@frozen
public struct Table: Sendable {
  public let source: NodeSource
  public let key: TableKey
  /// The table node.
  public let root: NodeReference
  /// A cluster, or an inner node of clusters; none without objects.
  public let clusterRoot: NodeReference
  /// Objects in the table.
  public let count: Int

  @inlinable
  public init(
    key: TableKey, root: NodeReference, in source: NodeSource
  ) throws(StorageError) {
    let node = try source.node(root, .table)
    self.source = source
    self.key = key
    self.root = root
    clusterRoot = node.reference(TableNode.clusterReference)
    count = unsafe Int(node.data.load(fromByteOffset: TableNode.count, as: UInt64.self))
  }

  /// A table without objects, where a version has none with that key.
  public init(emptyWith key: TableKey, in source: NodeSource) {
    self.source = source
    self.key = key
    root = .none
    clusterRoot = .none
    count = 0
  }

  /// Where the object is, or nil if there is none with that key.
  @inlinable
  public func find(_ key: ObjectKey) throws(StorageError) -> ObjectPosition? {
    if clusterRoot.isNone { return nil }
    var depth = 0
    var node = try source.node(clusterRoot)
    while node.kind == .clusterInner {
      try source.descend(&depth, clusterRoot)
      node = try source.node(node.reference(InnerNode.child(node, key: key.rawValue)))
    }
    guard node.kind == .cluster else { throw source.unexpected(clusterRoot, .cluster) }
    let cluster = Cluster(node: node)
    guard let row = cluster.row(of: key) else { return nil }
    return ObjectPosition(cluster: cluster, row: row)
  }

  /// The object at `index` in the order of keys; `index` must be below `count`.
  @inlinable
  public func position(at index: Int) throws(StorageError) -> ObjectPosition {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "object index out of bounds")
    var offset = index
    var depth = 0
    var node = try source.node(clusterRoot)
    while node.kind == .clusterInner {
      try source.descend(&depth, clusterRoot)
      let child = InnerNode.child(node, containing: offset, stride: InnerNode.clusterStride)
      offset &-= child.before
      node = try source.node(node.reference(child.index))
    }
    guard node.kind == .cluster else { throw source.unexpected(clusterRoot, .cluster) }
    guard offset < node.count else { throw source.corrupt(clusterRoot, "a count does not hold") }
    return ObjectPosition(cluster: Cluster(node: node), row: offset)
  }

  /// How many objects have a smaller key, or nil if there is no object with that key.
  public func index(of key: ObjectKey) throws(StorageError) -> Int? {
    if clusterRoot.isNone { return nil }
    var before = 0
    var depth = 0
    var node = try source.node(clusterRoot)
    while node.kind == .clusterInner {
      try source.descend(&depth, clusterRoot)
      let child = InnerNode.child(node, key: key.rawValue)
      for index in 0..<child {
        before &+= InnerNode.count(node, index, stride: InnerNode.clusterStride)
      }
      node = try source.node(node.reference(child))
    }
    guard node.kind == .cluster else { throw source.unexpected(clusterRoot, .cluster) }
    guard let row = Cluster(node: node).row(of: key) else { return nil }
    return before &+ row
  }

  /// Where the index in that place of the table node is; none if it is empty.
  func indexRoot(_ slot: UInt32) throws(StorageError) -> NodeReference {
    if root.isNone { return .none }
    let node = try source.node(root)
    guard Int(slot) < node.referenceCount else {
      throw source.corrupt(root, "a table with \(slot) indexes was expected")
    }
    return node.reference(Int(slot))
  }

  /// The key that the next object will get.
  public func nextKey() throws(StorageError) -> ObjectKey {
    let node = try source.node(root)
    return unsafe ObjectKey(
      rawValue: node.data.load(fromByteOffset: TableNode.nextKey, as: Int64.self))
  }
}

/// Offsets in the data of a table node.
@usableFromInline
enum TableNode {
  /// Int64: the key that the next object will get.
  @usableFromInline static let nextKey = 0
  /// UInt64: objects.
  @usableFromInline static let count = 8
  @usableFromInline static let dataSize = 16
  /// Reference: the cluster tree. Indexes follow.
  @usableFromInline static let clusterReference = 0
}

/// Walks the clusters of a table in the order of keys. Keys that do not rise throw: a tree in which
/// nodes are shared would otherwise have no end.
///
///     var clusters = table.clusters()
///     while let cluster = try clusters.next() { ... }
public struct ClusterIterator {
  let source: NodeSource
  /// Inner nodes on the way down and the next child to visit in each.
  var path: [(node: Node, next: Int)] = []
  var pending: NodeReference
  private var lastKey = Int64.min

  init(table: Table) {
    source = table.source
    pending = table.clusterRoot
  }

  /// Starts with the cluster that holds `key` or would.
  init(table: Table, from key: ObjectKey) throws(StorageError) {
    source = table.source
    pending = table.clusterRoot
    if pending.isNone { return }
    var depth = 0
    var node = try source.node(pending)
    while node.kind == .clusterInner {
      try source.descend(&depth, pending)
      let child = InnerNode.child(node, key: key.rawValue)
      path.append((node, child + 1))
      pending = node.reference(child)
      node = try source.node(pending)
    }
  }

  /// The next cluster, or nil at the end.
  public mutating func next() throws(StorageError) -> Cluster? {
    while true {
      if !pending.isNone {
        let reference = pending
        let node = try source.node(reference)
        pending = .none
        if node.kind == .cluster { return try next(Cluster(node: node), reference) }
        guard node.kind == .clusterInner else { throw source.unexpected(reference, .cluster) }
        if path.count >= TreeLimits.depthMax { throw source.tooDeep(reference) }
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

  /// Clusters less than so many bytes apart are fetched by the processor itself.
  private static let adjoining: UInt64 = 1024

  /// For work that takes less time than memory does to answer: asks the processor for the cluster
  /// that comes seventh, and gives `body` the fourth one, if it has been read before, so that it
  /// asks for the vectors. Clusters of other inner nodes are left out, and those side by side.
  @inline(__always)
  func lookAhead(_ body: (Cluster) -> Void) {
    guard let (parent, next) = path.last else { return }
    let fourth = next + 3
    let seventh = next + 6
    guard fourth < parent.referenceCount else { return }
    let distance = parent.reference(next + 1).offset &- parent.reference(next).offset
    if distance < Self.adjoining { return }
    if seventh < parent.referenceCount {
      unsafe Prefetch.ask(source.place(of: parent.reference(seventh)), bytes: 192)
    }
    guard let node = source.nodeIfSeen(parent.reference(fourth)), node.kind == .cluster
    else { return }
    body(Cluster(node: node))
  }

  private mutating func next(
    _ cluster: Cluster, _ reference: NodeReference
  ) throws(StorageError) -> Cluster {
    guard cluster.count > 0, cluster.baseKey > lastKey else {
      throw source.corrupt(reference, "objects with keys above \(lastKey) were expected")
    }
    lastKey = cluster.key(cluster.count - 1).rawValue
    return cluster
  }
}

extension Table {
  /// The keys of all objects, in their order.
  public func allKeys() throws(StorageError) -> ContiguousArray<ObjectKey> {
    var keys = ContiguousArray<ObjectKey>()
    keys.reserveCapacity(min(count, 1 << 24))
    var clusters = clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count { keys.append(cluster.key(row)) }
    }
    return keys
  }

  /// All clusters, in the order of keys.
  public func clusters() -> ClusterIterator { ClusterIterator(table: self) }

  /// The clusters from the one that holds `key`, or would, onwards.
  public func clusters(from key: ObjectKey) throws(StorageError) -> ClusterIterator {
    try ClusterIterator(table: self, from: key)
  }
}
