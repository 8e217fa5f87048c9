/// The order of a list on a client: the server's places, and the client's own that the server has
/// not confirmed.
///
/// The client knows no tree. A pending place has its neighbours and the cursor as of the time when
/// it was made. The server's place of an element that was removed or moved since stays in `order`,
/// hidden, because the server names it until it knows.
public struct ClientList: Sendable, Equatable {
  struct Pending: Sendable, Equatable {
    var stamp: Stamp
    var left: PlaceName?
    var right: PlaceName?
    var cursor: ServerVersion
    /// When it was found that the server lacks the element, which is given back to it.
    var recoveredTime: UInt64?
    /// Whether the server may not know the element, whoever made it.
    var isGivenBack = false

    /// What counts as answered up to here is this place's, too.
    var time: UInt64 { recoveredTime ?? stamp.time }
  }

  /// The neighbours that a place had when it went.
  struct Gap: Sendable, Equatable {
    var left: PlaceName?
    var right: PlaceName?
  }

  var order: [PlaceName] = []
  /// The server's place of each element.
  var synced: [ElementID: Stamp] = [:]
  var pending: [ElementID: Pending] = [:]
  /// Elements that were removed here and are, or may be, known to the server.
  var removed: [ElementID: Stamp] = [:]
  var gone: [PlaceName: Gap] = [:]
  /// Own places that were confirmed while others are pending.
  var recent: Set<PlaceName> = []
  private var movedCount = 0

  var isDirty: Bool { !pending.isEmpty || !removed.isEmpty }

  var hasHidden: Bool { !removed.isEmpty || movedCount > 0 }

  func isShown(_ place: PlaceName) -> Bool {
    if let own = pending[place.element] { return own.stamp == place.stamp }
    return removed[place.element] == nil
  }

  func isPending(_ place: PlaceName) -> Bool { pending[place.element]?.stamp == place.stamp }

  func isSynced(_ place: PlaceName) -> Bool { synced[place.element] == place.stamp }

  /// What the program sees.
  var shown: [PlaceName] { hasHidden ? order.filter(isShown) : order }

  var count: Int { hasHidden ? order.count(where: isShown) : order.count }

  /// Where in `order` the element at an index of the program is.
  private func position(of index: Int) -> Int? {
    guard hasHidden else { return index < order.count ? index : nil }
    var left = index
    for (position, place) in order.enumerated() where isShown(place) {
      if left == 0 { return position }
      left -= 1
    }
    return nil
  }

  func element(at index: Int) -> ElementID? { position(of: index).map { order[$0].element } }

  /// Puts an element at an index of the program.
  mutating func put(_ element: ElementID, at index: Int, stamp: Stamp, cursor: ServerVersion) {
    let next = position(of: index)
    let left = index > 0 ? position(of: index - 1).map { order[$0] } : nil
    let right = next.map { order[$0] }
    order.insert(PlaceName(element: element, stamp: stamp), at: next ?? order.count)
    pending[element] = Pending(stamp: stamp, left: left, right: right, cursor: cursor)
    if synced[element] != nil { movedCount += 1 }
  }

  /// Removes an element, which the server may know.
  mutating func remove(_ element: ElementID, stamp: Stamp, isKnown: Bool) {
    dropPending([element])
    if isKnown { removed[element] = stamp }
  }

  /// Moves an element to an index among the others.
  mutating func move(_ element: ElementID, to index: Int, stamp: Stamp, cursor: ServerVersion) {
    let isGivenBack = pending[element]?.isGivenBack == true
    dropPending([element])
    // Hidden while its new neighbours are looked for.
    removed[element] = stamp
    let next = position(of: index)
    let left = index > 0 ? position(of: index - 1).map { order[$0] } : nil
    let right = next.map { order[$0] }
    removed[element] = nil
    order.insert(PlaceName(element: element, stamp: stamp), at: next ?? order.count)
    pending[element] = Pending(
      stamp: stamp, left: left, right: right, cursor: cursor, isGivenBack: isGivenBack)
    if synced[element] != nil { movedCount += 1 }
  }

  /// Takes pending places away. Others that name them get the synced neighbours that they had.
  mutating func dropPending(_ elements: Set<ElementID>) {
    let places = Set(
      elements.compactMap { element in
        pending[element].map { PlaceName(element: element, stamp: $0.stamp) }
      })
    guard !places.isEmpty else { return }
    var left: PlaceName?
    var open: [PlaceName] = []
    for place in order {
      if places.contains(place) {
        gone[place] = Gap(left: left, right: nil)
        open.append(place)
      } else if isSynced(place) {
        left = place
        for waiting in open { gone[waiting]?.right = place }
        open = []
      }
    }
    order.removeAll(where: places.contains)
    for place in places { pending[place.element] = nil }
    recount()
  }

  /// The server has merged what was written up to a time, and does not say where it put it: the
  /// list stands as the client has it, until the server sends it whole.
  mutating func settle(upTo time: UInt64) {
    var gone: Set<PlaceName> = []
    for (element, place) in pending where place.time <= time {
      if let old = synced[element] { gone.insert(PlaceName(element: element, stamp: old)) }
      synced[element] = place.stamp
      pending[element] = nil
    }
    for (element, stamp) in removed where stamp.time <= time {
      if let old = synced.removeValue(forKey: element) {
        gone.insert(PlaceName(element: element, stamp: old))
      }
      removed[element] = nil
    }
    order.removeAll(where: gone.contains)
    recount()
  }

  mutating func recount() {
    movedCount = pending.keys.count { synced[$0] != nil }
  }
}
