import Storage

/// Whether a node on the way down a tree is the first or the last one of its level.
struct TreeEdges {
  var isFirst = true
  var isLast = true

  func down(_ node: Node, _ child: Int) -> TreeEdges {
    TreeEdges(
      isFirst: isFirst && child == 0, isLast: isLast && child == node.referenceCount - 1)
  }

  /// Where an inner node that has got a child too many is cut in two.
  ///
  /// At the ends of a tree the nodes that are complete stay full, because it probably grows there.
  /// Elsewhere a cut beside the new child would leave a node of one child each time.
  ///
  /// - Parameter added: the right one of the two that a child was cut into.
  func cut(of children: Int, added: Int) -> Int {
    if isLast, added == children - 1 { return children - 1 }
    if isFirst, added == 1 { return 1 }
    return children / 2
  }
}
