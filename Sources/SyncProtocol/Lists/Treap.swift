/// A node of a ``Treap``: its neighbours by their numbers, -1 for none.
package protocol TreapNode {
  var left: Int32 { get set }
  var right: Int32 { get set }
  var parent: Int32 { get set }
  var priority: UInt32 { get set }
}

/// A binary tree in a flat array, balanced by random priorities that rise towards the root, whose
/// nodes know sums of their subtrees. What is here keeps the balance; what stands in the nodes, and
/// how they are found, is the conforming type's.
package protocol Treap {
  associatedtype Node: TreapNode
  var nodes: ContiguousArray<Node> { get set }
  var root: Int32 { get set }
  var random: UInt32 { get set }
  /// Makes a node's sums right again from its own values and its children's sums.
  mutating func recount(_ at: Int32)
}

extension Treap {
  @inlinable
  package mutating func nextPriority() -> UInt32 {
    random ^= random << 13
    random ^= random >> 17
    random ^= random << 5
    return random
  }

  @inlinable
  package mutating func recountUp(from start: Int32) {
    var at = start
    while at >= 0 {
      recount(at)
      at = nodes[Int(at)].parent
    }
  }

  /// Moves a new leaf up to where its priority belongs; the sums above it are right already.
  @inlinable
  package mutating func rise(_ new: Int32) {
    while true {
      let above = nodes[Int(new)].parent
      if above < 0 || nodes[Int(above)].priority >= nodes[Int(new)].priority { return }
      rotateUp(new)
    }
  }

  /// Takes a node out of the tree; its number may be used again.
  @inlinable
  package mutating func detach(_ old: Int32) {
    while true {
      let left = nodes[Int(old)].left
      let right = nodes[Int(old)].right
      if left < 0 && right < 0 { break }
      let goesLeft =
        right < 0 || (left >= 0 && nodes[Int(left)].priority > nodes[Int(right)].priority)
      rotateUp(goesLeft ? left : right)
    }
    let parent = nodes[Int(old)].parent
    if parent < 0 {
      root = -1
    } else if nodes[Int(parent)].left == old {
      nodes[Int(parent)].left = -1
    } else {
      nodes[Int(parent)].right = -1
    }
    recountUp(from: parent)
  }

  /// Exchanges a node with its parent.
  @inlinable
  package mutating func rotateUp(_ child: Int32) {
    let parent = nodes[Int(child)].parent
    let above = nodes[Int(parent)].parent
    let moved: Int32
    if nodes[Int(parent)].left == child {
      moved = nodes[Int(child)].right
      nodes[Int(parent)].left = moved
      nodes[Int(child)].right = parent
    } else {
      moved = nodes[Int(child)].left
      nodes[Int(parent)].right = moved
      nodes[Int(child)].left = parent
    }
    if moved >= 0 { nodes[Int(moved)].parent = parent }
    nodes[Int(parent)].parent = child
    nodes[Int(child)].parent = above
    if above < 0 {
      root = child
    } else if nodes[Int(above)].left == parent {
      nodes[Int(above)].left = child
    } else {
      nodes[Int(above)].right = child
    }
    recount(parent)
    recount(child)
  }
}
