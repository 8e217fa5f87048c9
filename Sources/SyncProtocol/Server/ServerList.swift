/// A list on the server: the places of its elements, and which of them changed when.
struct ServerList: Sendable {
  struct Element: Sendable {
    var place: Int32
    var placeVersion: ServerVersion
    /// When it was removed.
    var deadVersion: ServerVersion?
  }

  private struct Change: Sendable {
    var version: ServerVersion
    var element: ElementID
  }

  var tree = PlaceTree()
  var elements: [ElementID: Element] = [:]
  /// Oldest first; an element may be in it several times.
  private var changes: [Change] = []

  func isLiving(_ element: ElementID) -> Bool {
    guard let known = elements[element] else { return false }
    return known.deadVersion == nil
  }

  mutating func touch(_ element: ElementID, _ version: ServerVersion) {
    if let last = changes.last, last.element == element, last.version == version { return }
    changes.append(Change(version: version, element: element))
    if changes.count > 64, changes.count > 4 * elements.count { compact() }
  }

  private mutating func compact() {
    var seen: Set<ElementID> = []
    changes = changes.reversed().filter { seen.insert($0.element).inserted }.reversed()
  }

  /// The elements that changed after a version.
  func changed(after version: ServerVersion) -> Set<ElementID> {
    var found: Set<ElementID> = []
    for change in changes.reversed() {
      if change.version <= version { break }
      found.insert(change.element)
    }
    return found
  }

  /// Puts an element where its author did, unless it has gone or moved elsewhere later. Who inserts
  /// one that has gone does not know that, having gone back to an earlier state: it is told again.
  ///
  /// - Parameter later: what its author put beside it later, and is there already.
  /// - Returns: whether there is something to tell.
  mutating func put(
    _ placement: Placement, beside later: OwnPlaces?, version: ServerVersion, head: ServerVersion
  ) -> Bool {
    let name = placement.name
    guard let author = placement.authorship else { return false }
    let known = elements[name.element]
    if known == nil && !author.isNew { return false }
    let isGone = known?.deadVersion != nil
    if isGone && author.isNew { touch(name.element, version) }
    guard tree.indexes[name] == nil else { return isGone && author.isNew }
    let own = narrowed(OwnPlaces(left: author.ownLeft, right: author.ownRight), by: later)
    let bounds = PlaceTree.Bounds(
      left: placement.left, right: author.right, ownLeft: own.left, ownRight: own.right,
      cursor: min(author.cursor, head))
    let place = tree.insert(name, between: bounds, version: version)
    tree.setLiving(place, false, version: version)
    if let known {
      // What lost still is a place that its author may name as a neighbour.
      if isGone { return author.isNew }
      if tree[known.place].name.stamp > name.stamp { return false }
      tree.setLiving(known.place, false, version: version)
    }
    tree.setLiving(place, true, version: version)
    elements[name.element] = Element(place: place, placeVersion: version)
    touch(name.element, version)
    return true
  }

  /// Removes an element, and says whether it was there. If the client knows it from a history that
  /// the server does not know, a mark is made, for the case that others give the element back.
  mutating func remove(_ element: ElementID, version: ServerVersion, marking: Bool) -> Bool {
    if marking, elements[element] == nil {
      elements[element] = Element(place: 0, placeVersion: version, deadVersion: version)
      return false
    }
    guard let known = elements[element], known.deadVersion == nil else { return false }
    elements[element]?.deadVersion = version
    tree.setLiving(known.place, false, version: version)
    touch(element, version)
    return true
  }

  /// The living places that changed after a version, in the order of the list, with their left
  /// neighbours.
  func placements(of changed: Set<ElementID>, after version: ServerVersion) -> [Placement] {
    var places: [(rank: UInt32, place: Int32)] = []
    for element in changed {
      guard let known = elements[element], known.deadVersion == nil,
        known.placeVersion > version
      else { continue }
      places.append((tree.order.rank(PlaceTree.opening(known.place)), known.place))
    }
    places.sort { $0.rank < $1.rank }
    return places.map { entry in
      let left = tree.livingBefore(entry.place).map { tree[$0].name }
      return Placement(name: tree[entry.place].name, left: left)
    }
  }

  /// All living places, in the order of the list.
  var livingPlacements: [Placement] {
    var found: [Placement] = []
    found.reserveCapacity(tree.order.livingCount)
    tree.order.forEachLiving { token in
      let name = tree[token / 2].name
      found.append(Placement(name: name, left: found.last?.name))
    }
    return found
  }

  /// Whether there are places that no element is at now, or elements that are gone.
  var hasMarks: Bool {
    max(tree.indexes.count, elements.count) > tree.order.livingCount
  }

  /// The elements that are there, in the order of the list.
  var livingElements: [ElementID] {
    var found: [ElementID] = []
    found.reserveCapacity(tree.order.livingCount)
    tree.order.forEachLiving { found.append(tree[$0 / 2].name.element) }
    return found
  }

  /// Forgets the dead that no client can name; says whether there were any.
  mutating func trim(_ floor: ServerVersion) -> Bool {
    let gone = elements.filter { ($0.value.deadVersion ?? ServerVersion(.max)) <= floor }
    for element in gone.keys { elements[element] = nil }
    if !gone.isEmpty { changes.removeAll { gone[$0.element] != nil } }
    let places = Set(elements.values.map(\.place))
    let deadPlaces = tree.indexes.values.filter {
      !places.contains($0) && tree[$0].deadVersion <= floor
    }
    for place in deadPlaces { tree.remove(place) }
    return !gone.isEmpty || !deadPlaces.isEmpty
  }
}

extension ServerList {
  /// The changes that a restart must find again.
  var recordedChanges: [(version: ServerVersion, element: ElementID)] {
    changes.map { ($0.version, $0.element) }
  }

  init(tree: PlaceTree, elements: [ElementID: Element], changes: [(ServerVersion, ElementID)]) {
    self.tree = tree
    self.elements = elements
    self.changes = changes.map { Change(version: $0.0, element: $0.1) }
  }
}
