import Storage

/// An inner node on the way to the leaf that a transaction has at hand, and the child taken there.
struct PathEntry {
  var node: MutableNode
  var slot: Int
}

/// What a transaction knows of a table that it changes: its nodes that are already changeable.
///
/// Lives in a `FixedCell`, so that no operation counts references or copies. The path and leaf at
/// hand hold until rows move between clusters.
struct TableState {
  static let depthMax = 16

  let key: TableKey
  /// The table node, changeable.
  var node: MutableNode
  var columns: FixedMemory<ColumnSpec>
  /// Whether `leaf`, `path` and the bounds are set.
  var hasLeaf = false
  /// A changeable cluster with a reference per column.
  var leaf = MutableNode.unset
  /// The keys that belong into the leaf, whether they are there or not.
  var low: Int64 = 0
  var high: Int64 = 0
  var depth = 0
  let path: FixedMemory<PathEntry>
  /// Objects that the transaction made.
  var created = 0
  /// How often it was about to begin a vector at the first rows of a cluster that was there.
  var begun = 0
  /// A new object that is in no index of these columns yet; one bit for each of the first 64.
  var unfilledKey: Int64 = 0
  var unfilledColumns: UInt64 = 0
  var history = TableHistory()

  init(key: TableKey, node: MutableNode, columns: FixedMemory<ColumnSpec>) {
    self.key = key
    self.node = node
    self.columns = columns
    path = FixedMemory(
      repeating: PathEntry(node: .unset, slot: 0), count: TableState.depthMax)
    history.firstNew = nextKey
  }

  func deallocate() { path.deallocate() }

  var cluster: Cluster { Cluster(node: leaf.node) }

  /// Stores a reference to the node at `level` of the path (the leaf if it is `depth`) in its
  /// parent.
  @inline(__always)
  func setParentReference(_ level: Int, _ reference: NodeReference) {
    if level == 0 {
      node.setReference(TableNode.clusterReference, reference)
    } else {
      path[level &- 1].node.setReference(path[level &- 1].slot, reference)
    }
  }

  var count: Int {
    get { unsafe Int(node.data.load(fromByteOffset: TableNode.count, as: UInt64.self)) }
    nonmutating set {
      unsafe node.data.storeBytes(
        of: UInt64(newValue), toByteOffset: TableNode.count, as: UInt64.self)
    }
  }

  var nextKey: Int64 {
    get { unsafe node.data.load(fromByteOffset: TableNode.nextKey, as: Int64.self) }
    nonmutating set {
      unsafe node.data.storeBytes(of: newValue, toByteOffset: TableNode.nextKey, as: Int64.self)
    }
  }

  /// Adds to the number of objects everywhere on the way to the leaf.
  @inline(__always)
  func addToCounts(_ change: Int) {
    count &+= change
    var level = 0
    while level < depth {
      InnerNode.add(
        path[level].node, path[level].slot, change, stride: InnerNode.clusterStride)
      level &+= 1
    }
  }
}
