extension ClientList {
  /// What an upload says of the pending places: those that are given back in the order of the list,
  /// then the others in the order in which they were made.
  func placements(of client: ClientID) -> [Placement] {
    let own = ownNeighbours()
    var names = order.filter { pending[$0.element]?.recoveredTime != nil && isPending($0) }
    names += order.filter { isPending($0) && pending[$0.element]?.recoveredTime == nil }
      .sorted { $0.stamp < $1.stamp }
    return names.compactMap { name in
      guard let place = pending[name.element] else { return nil }
      let isNew = synced[name.element] == nil
      return Placement(
        name: name, left: standing(place.left, left: true),
        authorship: Authorship(
          right: standing(place.right, left: false), ownLeft: own[name]?.left,
          ownRight: own[name]?.right, cursor: place.cursor,
          isNew: isNew && (name.element.client.isOfSameFile(as: client) || place.isGivenBack)))
    }
  }

  /// The place to name instead of one that went.
  private func standing(_ place: PlaceName?, left: Bool) -> PlaceName? {
    var place = place
    while let name = place, let gap = gone[name] { place = left ? gap.left : gap.right }
    return place
  }

  /// For each pending place the nearest own ones on both sides that were made before it: a stack
  /// holds those that are still the nearest ones of something to come. What is given back counts
  /// as confirmed, since it comes first.
  private func ownNeighbours() -> [PlaceName: Gap] {
    func isOld(_ place: PlaceName) -> Bool {
      recent.contains(place) || pending[place.element]?.recoveredTime != nil
    }
    let own = order.filter { recent.contains($0) || isPending($0) }
    func time(_ place: PlaceName) -> Stamp { isOld(place) ? .zero : place.stamp }
    var found: [PlaceName: Gap] = [:]
    var stack: [PlaceName] = []
    for place in own {
      while let top = stack.last, time(top) >= place.stamp { stack.removeLast() }
      if !isOld(place) { found[place, default: Gap()].left = stack.last }
      while let top = stack.last, time(top) > time(place) { stack.removeLast() }
      stack.append(place)
    }
    stack = []
    for place in own.reversed() {
      while let top = stack.last, time(top) >= place.stamp { stack.removeLast() }
      if !isOld(place) { found[place, default: Gap()].right = stack.last }
      while let top = stack.last, time(top) > time(place) { stack.removeLast() }
      stack.append(place)
    }
    return found
  }
}

extension ClientList {
  /// Makes pending what a server lacks that has other elements than the client knew it to have;
  /// says which those are, removed ones among them: others may give them back. Writes made before
  /// are of a history in which versions meant something else. To be followed by `apply`: places
  /// that elements were moved from still are in the order.
  mutating func giveBack(to server: Set<ElementID>, at time: UInt64) -> Set<ElementID> {
    var lacking: Set<ElementID> = []
    for (element, stamp) in synced where !server.contains(element) {
      synced[element] = nil
      lacking.insert(element)
      if removed[element] != nil { continue }
      if pending[element] == nil {
        pending[element] = Pending(stamp: stamp, left: nil, right: nil, cursor: .zero)
      }
      pending[element]?.recoveredTime = time
      pending[element]?.isGivenBack = true
    }
    for element in Array(pending.keys) { pending[element]?.cursor = .zero }
    var left: PlaceName?
    for place in order {
      if isPending(place), pending[place.element]?.recoveredTime != nil {
        pending[place.element]?.left = left
        left = place
      } else if isSynced(place) {
        left = place
      }
    }
    var right: PlaceName?
    for place in order.reversed() {
      if isSynced(place) {
        right = place
      } else if isPending(place), pending[place.element]?.recoveredTime != nil {
        pending[place.element]?.right = right
      }
    }
    return lacking
  }
}
