// The kinds of node that the object store gives meaning to; docs/format-objects.md describes each.
// They are listed here because a node's shape is checked when the node is first read (`NodeShape`).
extension NodeKind {
  /// The object store's root: schema, then one table per class.
  @inlinable public static var storeRoot: NodeKind { NodeKind(rawValue: 32) }
  @inlinable public static var schema: NodeKind { NodeKind(rawValue: 33) }
  @inlinable public static var table: NodeKind { NodeKind(rawValue: 34) }
  @inlinable public static var clusterInner: NodeKind { NodeKind(rawValue: 35) }
  @inlinable public static var cluster: NodeKind { NodeKind(rawValue: 36) }
  @inlinable public static var integerVector: NodeKind { NodeKind(rawValue: 37) }
  @inlinable public static var floatVector: NodeKind { NodeKind(rawValue: 38) }
  @inlinable public static var doubleVector: NodeKind { NodeKind(rawValue: 39) }
  @inlinable public static var fixedVector: NodeKind { NodeKind(rawValue: 40) }
  @inlinable public static var byteVector: NodeKind { NodeKind(rawValue: 41) }
  @inlinable public static var referenceVector: NodeKind { NodeKind(rawValue: 42) }
  @inlinable public static var backlinkVector: NodeKind { NodeKind(rawValue: 43) }
  /// One large value, or one chunk of it.
  @inlinable public static var blob: NodeKind { NodeKind(rawValue: 44) }
  @inlinable public static var chunkedBlob: NodeKind { NodeKind(rawValue: 45) }
  @inlinable public static var listInner: NodeKind { NodeKind(rawValue: 46) }
  /// An index: a tree of values and a tree of the objects that hold null.
  @inlinable public static var index: NodeKind { NodeKind(rawValue: 47) }
  @inlinable public static var pairInner: NodeKind { NodeKind(rawValue: 48) }
  @inlinable public static var pairLeaf: NodeKind { NodeKind(rawValue: 49) }
  // 50 ..< 64 are reserved for sets, maps and full-text indexes.
}
