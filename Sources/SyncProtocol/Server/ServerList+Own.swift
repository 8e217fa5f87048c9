extension ServerList {
  /// The nearest places of the same author on both sides of one.
  struct OwnPlaces {
    var left: PlaceName?
    var right: PlaceName?
  }

  /// For places that are not there yet: what their author put beside them later, and is there.
  ///
  /// A place names its neighbours among those of its author that were made before it, so these
  /// have to be there first. But of a file that has gone back, or of which there are two, the other
  /// state may have brought a later place without an earlier one, having removed or moved that
  /// element. When the earlier place comes after all, only the later one says which side it is on.
  ///
  /// - Parameter placements: those of a batch, in the order in which they were made.
  func laterOwnPlaces(_ placements: [Placement]) -> [PlaceName: OwnPlaces] {
    let known = placements.count { tree.indexes[$0.name] != nil }
    guard known > 0, known < placements.count else { return [:] }
    var found: [PlaceName: OwnPlaces] = [:]
    // The latest first: it stands beside an earlier one, which may stand beside others in turn.
    for placement in placements.reversed() {
      guard let author = placement.authorship else { continue }
      let name = placement.name
      let nearest =
        tree.indexes[name] != nil ? OwnPlaces(left: name, right: name) : found[name]
      if let right = author.ownRight, tree.indexes[right] == nil, let left = nearest?.left,
        isBetween(left, OwnPlaces(left: found[right]?.left))
      {
        found[right, default: OwnPlaces()].left = left
      }
      if let left = author.ownLeft, tree.indexes[left] == nil, let right = nearest?.right,
        isBetween(right, OwnPlaces(right: found[left]?.right))
      {
        found[left, default: OwnPlaces()].right = right
      }
    }
    return found
  }

  /// The bounds that an author gave, and nearer ones that do not contradict them.
  func narrowed(_ bounds: OwnPlaces, by nearer: OwnPlaces?) -> OwnPlaces {
    var narrowed = bounds
    if let left = nearer?.left, isBetween(left, narrowed) { narrowed.left = left }
    if let right = nearer?.right, isBetween(right, narrowed) { narrowed.right = right }
    return narrowed
  }

  /// Whether a place stands between two others; one that is not there is no bound.
  private func isBetween(_ name: PlaceName, _ bounds: OwnPlaces) -> Bool {
    func opening(_ name: PlaceName?) -> Int32? {
      name.flatMap { tree.indexes[$0] }.map(PlaceTree.opening)
    }
    guard let place = opening(name) else { return false }
    if let left = opening(bounds.left), !tree.order.isBefore(left, place) { return false }
    if let right = opening(bounds.right), !tree.order.isBefore(place, right) { return false }
    return true
  }
}
