/// Tokens in an order: a balanced tree in a flat array, with counts.
///
/// Tokens are small numbers that the owner chooses. Putting a token beside another one, comparing
/// two, and finding the nearest one to the left that is living, or that a version knew, take time
/// that grows with the logarithm of their number. Used by `PlaceTree` alone.
struct OrderTree: Treap, Sendable {
  struct Node: TreapNode {
    var left: Int32 = -1
    var right: Int32 = -1
    var parent: Int32 = -1
    var priority: UInt32 = 0
    /// Tokens in the subtree.
    var size: UInt32 = 1
    /// Living ones in the subtree.
    var living: UInt32 = 0
    var isLiving = false
    var version: UInt64 = .max
    /// The smallest version in the subtree.
    var lowest: UInt64 = .max
  }

  var nodes: ContiguousArray<Node> = []
  var root: Int32 = -1
  var random: UInt32 = 0x9E37_79B9

  /// How many tokens are living.
  var livingCount: Int { root < 0 ? 0 : Int(nodes[Int(root)].living) }

  /// Makes the first token.
  init(first: Int32, version: UInt64) {
    prepare(first, version: version)
    root = first
  }

  /// Puts a new token right after another one.
  mutating func insert(_ token: Int32, after other: Int32, version: UInt64) {
    prepare(token, version: version)
    let right = nodes[Int(other)].right
    if right < 0 {
      nodes[Int(other)].right = token
      attach(token, to: other)
    } else {
      let next = leftmost(right)
      nodes[Int(next)].left = token
      attach(token, to: next)
    }
  }

  /// Puts a new token right before another one.
  mutating func insert(_ token: Int32, before other: Int32, version: UInt64) {
    prepare(token, version: version)
    let left = nodes[Int(other)].left
    if left < 0 {
      nodes[Int(other)].left = token
      attach(token, to: other)
    } else {
      let last = rightmost(left)
      nodes[Int(last)].right = token
      attach(token, to: last)
    }
  }

  /// Says whether a token is living.
  mutating func setLiving(_ token: Int32, _ isLiving: Bool) {
    guard nodes[Int(token)].isLiving != isLiving else { return }
    nodes[Int(token)].isLiving = isLiving
    var at = token
    while at >= 0 {
      if isLiving { nodes[Int(at)].living += 1 } else { nodes[Int(at)].living -= 1 }
      at = nodes[Int(at)].parent
    }
  }

  /// Whether one token stands before another one.
  func isBefore(_ left: Int32, _ right: Int32) -> Bool {
    left != right && rank(left) < rank(right)
  }

  /// How many tokens stand before this one.
  func rank(_ token: Int32) -> UInt32 {
    var at = token
    var rank = size(nodes[Int(at)].left)
    while true {
      let parent = nodes[Int(at)].parent
      if parent < 0 { return rank }
      if nodes[Int(parent)].right == at { rank += size(nodes[Int(parent)].left) + 1 }
      at = parent
    }
  }

  /// The nearest living token to the left.
  func livingBefore(_ token: Int32) -> Int32? {
    previous(token, inSubtree: { $0.living > 0 }, itself: { $0.isLiving })
  }

  /// The nearest token to the left whose version is at most this one.
  func before(_ token: Int32, knownTo version: UInt64) -> Int32? {
    previous(token, inSubtree: { $0.lowest <= version }, itself: { $0.version <= version })
  }

  /// Visits the living tokens in their order.
  func forEachLiving(_ body: (Int32) -> Void) {
    var path: [Int32] = []
    var at = root
    while at >= 0 || !path.isEmpty {
      while at >= 0, nodes[Int(at)].living > 0 {
        path.append(at)
        at = nodes[Int(at)].left
      }
      guard let token = path.popLast() else { return }
      if nodes[Int(token)].isLiving { body(token) }
      at = nodes[Int(token)].right
    }
  }
}

extension OrderTree {
  private mutating func prepare(_ token: Int32, version: UInt64) {
    while nodes.count <= Int(token) { nodes.append(Node()) }
    nodes[Int(token)] = Node()
    nodes[Int(token)].priority = nextPriority()
    nodes[Int(token)].version = version
    nodes[Int(token)].lowest = version
  }

  private func size(_ at: Int32) -> UInt32 { at < 0 ? 0 : nodes[Int(at)].size }

  private func leftmost(_ start: Int32) -> Int32 {
    var at = start
    while nodes[Int(at)].left >= 0 { at = nodes[Int(at)].left }
    return at
  }

  private func rightmost(_ start: Int32) -> Int32 {
    var at = start
    while nodes[Int(at)].right >= 0 { at = nodes[Int(at)].right }
    return at
  }

  /// Makes a new leaf part of the counts, and restores the order of priorities.
  private mutating func attach(_ token: Int32, to parent: Int32) {
    nodes[Int(token)].parent = parent
    let version = nodes[Int(token)].version
    var at = parent
    while at >= 0 {
      nodes[Int(at)].size += 1
      if version < nodes[Int(at)].lowest { nodes[Int(at)].lowest = version }
      at = nodes[Int(at)].parent
    }
    rise(token)
  }

  mutating func recount(_ at: Int32) {
    let left = nodes[Int(at)].left
    let right = nodes[Int(at)].right
    var size: UInt32 = 1
    var living: UInt32 = nodes[Int(at)].isLiving ? 1 : 0
    var lowest = nodes[Int(at)].version
    if left >= 0 {
      size += nodes[Int(left)].size
      living += nodes[Int(left)].living
      lowest = min(lowest, nodes[Int(left)].lowest)
    }
    if right >= 0 {
      size += nodes[Int(right)].size
      living += nodes[Int(right)].living
      lowest = min(lowest, nodes[Int(right)].lowest)
    }
    nodes[Int(at)].size = size
    nodes[Int(at)].living = living
    nodes[Int(at)].lowest = lowest
  }

  @inline(__always)
  private func previous(
    _ token: Int32, inSubtree: (Node) -> Bool, itself: (Node) -> Bool
  ) -> Int32? {
    var at = token
    var subtree = nodes[Int(at)].left
    while true {
      if subtree >= 0, inSubtree(nodes[Int(subtree)]) {
        return last(in: subtree, inSubtree, itself)
      }
      var parent = nodes[Int(at)].parent
      while parent >= 0, nodes[Int(parent)].left == at {
        at = parent
        parent = nodes[Int(at)].parent
      }
      if parent < 0 { return nil }
      if itself(nodes[Int(parent)]) { return parent }
      at = parent
      subtree = nodes[Int(at)].left
    }
  }

  @inline(__always)
  private func last(
    in subtree: Int32, _ inSubtree: (Node) -> Bool, _ itself: (Node) -> Bool
  ) -> Int32 {
    var at = subtree
    while true {
      let node = nodes[Int(at)]
      if node.right >= 0, inSubtree(nodes[Int(node.right)]) {
        at = node.right
      } else if itself(node) {
        return at
      } else {
        at = node.left
      }
    }
  }
}
