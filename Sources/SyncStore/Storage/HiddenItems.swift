import SyncProtocol

/// The elements of one list whose links lead to what is not there, in their order: a balanced tree
/// in a flat array.
///
/// An index is one among the elements that the client's state has. An element is *missing* if the
/// program's list is without it; else it is null there. Each has its distance from the one before,
/// so that what is put in or taken out elsewhere changes one number: what is done to one element,
/// or asked of it, takes time that grows with the logarithm of their number.
struct HiddenItems: Treap {
  struct Item {
    var index: Int
    var isMissing: Bool
    var target: ObjectID
  }

  struct Node: TreapNode {
    var left: Int32 = -1
    var right: Int32 = -1
    var parent: Int32 = -1
    var priority: UInt32
    var isMissing: Bool
    /// How far behind the one before, or behind the place in front of the list.
    var gap: Int
    /// The sum of the gaps in the subtree.
    var span: Int
    /// Missing ones in the subtree.
    var missing: Int
    var target: ObjectID
  }

  var nodes: ContiguousArray<Node> = []
  /// Numbers of nodes that may be used again.
  private var unused: [Int32] = []
  var root: Int32 = -1
  var random: UInt32 = 0x9E37_79B9

  init() {}

  /// - Parameter items: in rising order of their indexes, each of which is there once.
  init(_ items: [Item]) {
    nodes.reserveCapacity(items.count)
    var before = -1
    for item in items {
      let gap = item.index - before
      nodes.append(
        Node(
          priority: 0, isMissing: item.isMissing, gap: gap, span: gap, missing: 0,
          target: item.target))
      before = item.index
    }
    root = join(0..<items.count, parent: -1)
  }

  var count: Int { nodes.count - unused.count }

  var isEmpty: Bool { root < 0 }

  var missingCount: Int { missing(root) }

  /// All of them, in order.
  var items: [Item] {
    var items: [Item] = []
    items.reserveCapacity(count)
    var path: [Int32] = []
    var at = root
    var index = -1
    while at >= 0 || !path.isEmpty {
      while at >= 0 {
        path.append(at)
        at = nodes[Int(at)].left
      }
      let node = nodes[Int(path.removeLast())]
      index += node.gap
      items.append(Item(index: index, isMissing: node.isMissing, target: node.target))
      at = node.right
    }
    return items
  }

  /// How many nodes stand above each other at the most: for tests.
  var height: Int {
    func height(_ at: Int32) -> Int {
      at < 0 ? 0 : 1 + max(height(nodes[Int(at)].left), height(nodes[Int(at)].right))
    }
    return height(root)
  }

  func item(at index: Int) -> Item? {
    guard let found = first(from: index), found.index == index else { return nil }
    let node = nodes[Int(found.node)]
    return Item(index: index, isMissing: node.isMissing, target: node.target)
  }

  /// How many are missing in front of an index.
  func missing(before index: Int) -> Int {
    var at = root
    var before = -1
    var count = 0
    while at >= 0 {
      let left = nodes[Int(at)].left
      let own = before + span(left) + nodes[Int(at)].gap
      if own < index {
        count += missing(left) + (nodes[Int(at)].isMissing ? 1 : 0)
        before = own
        at = nodes[Int(at)].right
      } else {
        at = left
      }
    }
    return count
  }

  /// The index of what has `place` in the program's list, or would have it at its end.
  func shown(_ place: Int) -> Int {
    var at = root
    var before = -1
    var count = 0
    while at >= 0 {
      let left = nodes[Int(at)].left
      let own = before + span(left) + nodes[Int(at)].gap
      let missingBefore = count + missing(left)
      if own - missingBefore <= place {
        count = missingBefore + (nodes[Int(at)].isMissing ? 1 : 0)
        before = own
        at = nodes[Int(at)].right
      } else {
        at = left
      }
    }
    return place + count
  }

  /// Elements at or behind an index have others, by `distance`.
  mutating func shift(from index: Int, by distance: Int) {
    guard let found = first(from: index) else { return }
    nodes[Int(found.node)].gap += distance
    recountUp(from: found.node)
  }

  /// Puts one in, in place of what is known of that index.
  mutating func insert(_ item: Item) {
    let next = first(from: item.index)
    if let next, next.index == item.index {
      nodes[Int(next.node)].isMissing = item.isMissing
      nodes[Int(next.node)].target = item.target
      return recountUp(from: next.node)
    }
    let before = next.map { $0.index - nodes[Int($0.node)].gap } ?? span(root) - 1
    let gap = item.index - before
    let new = node(
      Node(
        priority: nextPriority(), isMissing: item.isMissing, gap: gap, span: gap, missing: 0,
        target: item.target))
    if let next { nodes[Int(next.node)].gap -= gap }
    attach(new, before: next?.node)
  }

  /// Takes the one at an index out; the indexes of others stay.
  mutating func take(at index: Int) -> Item? {
    guard let found = first(from: index), found.index == index else { return nil }
    let old = nodes[Int(found.node)]
    if let next = first(from: index + 1) {
      nodes[Int(next.node)].gap += old.gap
      recountUp(from: next.node)
    }
    detach(found.node)
    unused.append(found.node)
    return Item(index: index, isMissing: old.isMissing, target: old.target)
  }
}

extension HiddenItems {
  private func span(_ at: Int32) -> Int { at < 0 ? 0 : nodes[Int(at)].span }

  private func missing(_ at: Int32) -> Int { at < 0 ? 0 : nodes[Int(at)].missing }

  /// The first one at or behind an index.
  private func first(from index: Int) -> (node: Int32, index: Int)? {
    var at = root
    var before = -1
    var found: (Int32, Int)?
    while at >= 0 {
      let own = before + span(nodes[Int(at)].left) + nodes[Int(at)].gap
      if own >= index {
        found = (at, own)
        at = nodes[Int(at)].left
      } else {
        before = own
        at = nodes[Int(at)].right
      }
    }
    return found
  }

  /// Makes a tree of nodes that stand in order, with the priorities that so large ones mostly have.
  private mutating func join(_ range: Range<Int>, parent: Int32) -> Int32 {
    if range.isEmpty { return -1 }
    let middle = range.lowerBound + range.count / 2
    let size = UInt64(range.count)
    nodes[middle].priority = UInt32(UInt64(UInt32.max) * size / (size + 1))
    nodes[middle].parent = parent
    nodes[middle].left = join(range.lowerBound..<middle, parent: Int32(middle))
    nodes[middle].right = join(middle + 1..<range.upperBound, parent: Int32(middle))
    recount(Int32(middle))
    return Int32(middle)
  }

  private mutating func node(_ new: Node) -> Int32 {
    if let number = unused.popLast() {
      nodes[Int(number)] = new
      return number
    }
    nodes.append(new)
    return Int32(nodes.count - 1)
  }

  /// Makes a node the last one before another one, or of all.
  private mutating func attach(_ new: Int32, before next: Int32?) {
    var above = next ?? root
    if next != nil, nodes[Int(above)].left < 0 {
      nodes[Int(above)].left = new
    } else if above < 0 {
      root = new
    } else {
      if next != nil { above = nodes[Int(above)].left }
      while nodes[Int(above)].right >= 0 { above = nodes[Int(above)].right }
      nodes[Int(above)].right = new
    }
    nodes[Int(new)].parent = above
    recountUp(from: new)
    rise(new)
  }

  mutating func recount(_ at: Int32) {
    let left = nodes[Int(at)].left
    let right = nodes[Int(at)].right
    nodes[Int(at)].span = span(left) + nodes[Int(at)].gap + span(right)
    nodes[Int(at)].missing =
      missing(left) + (nodes[Int(at)].isMissing ? 1 : 0) + missing(right)
  }
}
