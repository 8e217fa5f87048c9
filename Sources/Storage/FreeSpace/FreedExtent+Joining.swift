extension FreedExtent {
  /// Joins neighbours of the same birth: what an earlier commit placed side by side is often freed
  /// together.
  static func join(_ freed: inout [FreedExtent]) {
    guard freed.count > 1 else { return }
    freed.sort { $0.offset < $1.offset }
    var last = 0
    for index in 1..<freed.count {
      let extent = freed[index]
      if freed[last].offset + freed[last].length == extent.offset,
        freed[last].createdIn == extent.createdIn
      {
        freed[last].length += extent.length
      } else {
        last += 1
        freed[last] = extent
      }
    }
    freed.removeLast(freed.count - 1 - last)
  }
}
