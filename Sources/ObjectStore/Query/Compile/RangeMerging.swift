/// Makes one range of several of the same column in a conjunction, so that it is one pass.
enum RangeMerging {
  static func merge(_ nodes: [any PredicateNode]) -> [any PredicateNode] {
    var merged: [any PredicateNode] = []
    for node in nodes {
      var isMerged = false
      for index in merged.indices {
        if let both = intersection(merged[index], node) {
          merged[index] = both
          isMerged = true
          break
        }
      }
      if !isMerged { merged.append(node) }
    }
    return merged
  }

  private static func intersection(
    _ left: any PredicateNode, _ right: any PredicateNode
  ) -> (any PredicateNode)? {
    if let left = left as? IntegerRangeNode, let right = right as? IntegerRangeNode,
      left.column == right.column, !left.isInverted, !right.isInverted
    {
      let lower = max(left.range.lowerBound, right.range.lowerBound)
      let upper = min(left.range.upperBound, right.range.upperBound)
      return lower > upper ? ConstantNode(false) : IntegerRangeNode(left.column, lower...upper)
    }
    if let left = left as? DoubleRangeNode, let right = right as? DoubleRangeNode,
      left.column == right.column, !left.isInverted, !right.isInverted
    {
      return DoubleRangeNode(
        left.column, max(left.lower, right.lower), min(left.upper, right.upper))
    }
    return nil
  }
}
