/// The objects that a walk along a path has come to, for the hops after which that may be often:
/// where there are several collections on the way, and one is still to come.
struct SeenPlaces {
  /// By hop; nil where objects are not noted.
  private var objects: [Set<ObjectKey>?] = []

  /// - Parameter path: the path of a walk that need not come to an object twice; nil notes nothing.
  init(_ path: CompiledPath?) {
    guard let path, path.hops.count > 2 || path.hops.count == 2 && path.end.isMultiple else {
      return
    }
    let isMultiple = path.hops.map(\.isMultiple)
    for index in isMultiple.indices {
      let isSoFar = isMultiple[...index].count { $0 } > 1
      let isBeyond = path.end.isMultiple || isMultiple[(index + 1)...].contains(true)
      objects.append(isMultiple[index] && isSoFar && isBeyond ? [] : nil)
    }
  }

  /// Whether the walk has not come to an object after a hop, or that is not noted.
  mutating func isNew(_ object: ObjectKey, after hop: Int) -> Bool {
    guard hop < objects.count, objects[hop] != nil else { return true }
    return objects[hop]!.insert(object).inserted
  }
}
