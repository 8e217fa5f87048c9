import Platform
import Storage

/// Inner nodes of all trees: references to the children, and an entry of `stride` bytes for each.
///
/// Every entry ends with the number of elements below the child (UInt64). What comes before it:
/// nothing in lists, the first key in tables, the first value and key in indexes.
@usableFromInline
enum InnerNode {
  @usableFromInline static let listStride = 8
  @usableFromInline static let clusterStride = 16
  @usableFromInline static let pairStride = 24

  @inlinable @inline(__always)
  static func count(_ node: Node, _ index: Int, stride: Int) -> Int {
    unsafe Int(node.data.load(fromByteOffset: index &* stride &+ (stride &- 8), as: UInt64.self))
  }

  @inlinable @inline(__always)
  static func first(_ node: Node, _ index: Int, stride: Int) -> Int64 {
    unsafe node.data.load(fromByteOffset: index &* stride, as: Int64.self)
  }

  /// The elements below the whole node.
  @usableFromInline
  static func total(_ node: Node, stride: Int) -> Int {
    var sum = 0
    var place = unsafe node.data + (stride &- 8)
    for _ in 0..<node.referenceCount {
      unsafe sum &+= Int(truncatingIfNeeded: place.load(as: UInt64.self))
      unsafe place += stride
    }
    return sum
  }

  /// The child that has element `offset`, and how many elements come before that child.
  @usableFromInline
  static func child(
    _ node: Node, containing offset: Int, stride: Int
  ) -> (index: Int, before: Int) {
    var before = 0
    let last = node.referenceCount &- 1
    for index in 0..<last {
      let size = count(node, index, stride: stride)
      if offset < before &+ size { return (index, before) }
      before &+= size
    }
    return (last, before)
  }

  /// The last child whose first key is not above `key` (0 if all are): table trees.
  @inlinable @inline(__always)
  static func child(_ node: Node, key: Int64) -> Int {
    (1..<max(1, node.referenceCount)).partitionPoint {
      first(node, $0, stride: clusterStride) <= key
    } &- 1
  }
}
