extension ClientList {
  /// What the server says of a list, and how far it has taken what the client said.
  struct News {
    var placements: [Placement] = []
    var removals: [ElementID] = []
    /// Whether the placements are all there are.
    var isWhole = false
    /// The newest write of the client that counts as answered, or none.
    var answered = Answered()
    /// Elements that the server has had; those that it does not have any more are gone.
    var known: Set<ElementID> = []
  }

  /// Up to where the server has answered the client's writes.
  struct Answered {
    var time: UInt64 = 0
    var element: UInt64 = 0
  }

  /// Takes over the server's order, and puts the places that are still pending back where they
  /// hung. Says which elements are gone for good, or nothing if a neighbour is not known, which
  /// means that the server and the client do not speak of the same list.
  mutating func apply(_ news: News, client: ClientID) -> Set<ElementID>? {
    let dead = deadElements(news, client: client)
    let old = order
    var own = recent
    for place in old where isPending(place) { own.insert(place) }
    var settled: Set<ElementID> = []
    for (element, place) in pending
    where place.time <= news.answered.time || dead.contains(element) {
      settled.insert(element)
    }
    for placement in news.placements {
      let name = placement.name
      if let mine = pending[name.element], mine.stamp <= name.stamp { settled.insert(name.element) }
    }
    dropPending(settled)
    for placement in news.placements { synced[placement.name.element] = placement.name.stamp }
    for element in dead {
      synced[element] = nil
      removed[element] = nil
    }
    // What was removed up to then and is there all the same: the removal was refused.
    removed = removed.filter { $0.value.time > news.answered.time }
    guard let server = serverOrder(old, news) else { return nil }
    rehang(old: old, own: own, onto: server)
    recount()
    return dead
  }

  private func deadElements(_ news: News, client: ClientID) -> Set<ElementID> {
    guard news.isWhole else { return Set(news.removals) }
    let kept = Set(news.placements.map(\.name.element))
    var dead = Set(synced.keys).union(news.known)
    for element in pending.keys
    where element.client.isOfSameFile(as: client) && element.number <= news.answered.element {
      dead.insert(element)
    }
    for (element, place) in pending {
      guard let time = place.recoveredTime else { continue }
      if time <= news.answered.time { dead.insert(element) } else { dead.remove(element) }
    }
    return dead.subtracting(kept)
  }

  /// The server's places: those that stay, with the new ones after their left neighbours.
  private func serverOrder(_ old: [PlaceName], _ news: News) -> [PlaceName]? {
    let new = Set(news.placements.map(\.name))
    if Set(new.map(\.element)).count < news.placements.count { return nil }
    var after: [PlaceName: PlaceName] = [:]
    var first: PlaceName?
    for placement in news.placements {
      if let left = placement.left {
        if after.updateValue(placement.name, forKey: left) != nil { return nil }
      } else if first == nil {
        first = placement.name
      } else {
        return nil
      }
    }
    var order: [PlaceName] = []
    order.reserveCapacity(old.count + new.count)
    func follow(_ start: PlaceName?) {
      var next = start
      while let place = next {
        order.append(place)
        next = after.removeValue(forKey: place)
      }
    }
    follow(first)
    for place in old where isSynced(place) && !new.contains(place) { follow(place) }
    return after.isEmpty ? order : nil
  }
}

extension ClientList {
  /// Where a place stands among the server's places: at one of them, or in the gap before one.
  private struct Spot {
    /// Twice the index in the server's order for a gap, one more for the place itself.
    var position: Int
    var inGap: Int

    func isBefore(_ other: Spot) -> Bool {
      position != other.position ? position < other.position : inGap < other.inGap
    }
  }

  /// Own pending places, in their old order: each after what it hung on, and never past own ones.
  private mutating func rehang(old: [PlaceName], own: Set<PlaceName>, onto server: [PlaceName]) {
    var spots: [PlaceName: Spot] = [:]
    for (index, place) in server.enumerated() {
      spots[place] = Spot(position: 2 * index + 1, inGap: 0)
    }
    noteGaps(old: old, here: spots)
    let isConfirmed = old.map { own.contains($0) && spots[$0] != nil }
    let end = Spot(position: 2 * server.count, inGap: .max)
    let (nextHere, nextConfirmed) = nextSpots(old, spots, isConfirmed, end)
    recent = Set(zip(old, isConfirmed).filter(\.1).map(\.0))
    var gaps: [Int: [PlaceName]] = [:]
    var lastOwn = (place: PlaceName?.none, spot: Spot(position: -1, inGap: 0))
    var lastHere = lastOwn
    for (index, place) in old.enumerated() {
      if spots[place] != nil {
        lastHere = (place, spots[place]!)
        if isConfirmed[index] { lastOwn = lastHere }
        continue
      }
      guard isPending(place) else { continue }
      var low = lastOwn
      var high = nextConfirmed[index]
      if low.spot.isBefore(lastHere.spot), lastHere.spot.isBefore(high) { low = lastHere }
      let here = nextHere[index]
      if low.spot.isBefore(here), here.isBefore(high) { high = here }
      let isAfterOwn = low.place.map { own.contains($0) } ?? false
      let spot: Spot
      if lastHere.spot.isBefore(high), isAfterOwn, let hook = low.place {
        spot = insert(place, after: hook, at: low.spot, into: &gaps)
      } else {
        spot = append(place, before: high, to: &gaps)
      }
      spots[place] = spot
      lastOwn = (place, spot)
      lastHere = lastOwn
    }
    order = join(server, gaps)
    if pending.isEmpty {
      gone = [:]
      recent = []
    }
  }

  /// What pending places name and is gone names its surviving neighbours.
  private mutating func noteGaps(old: [PlaceName], here: [PlaceName: Spot]) {
    var left: PlaceName?
    var open: [PlaceName] = []
    for place in old {
      if here[place] != nil {
        for waiting in open { gone[waiting]?.right = place }
        open = []
        left = place
      } else if !isPending(place) {
        gone[place] = Gap(left: left, right: nil)
        open.append(place)
      }
    }
    for place in here.keys { gone[place] = nil }
  }

  private func nextSpots(
    _ old: [PlaceName], _ spots: [PlaceName: Spot], _ isConfirmed: [Bool], _ end: Spot
  ) -> (here: [Spot], confirmed: [Spot]) {
    var here = [Spot](repeating: end, count: old.count)
    var confirmed = here
    var nextHere = end
    var nextConfirmed = end
    for index in old.indices.reversed() {
      here[index] = nextHere
      confirmed[index] = nextConfirmed
      guard let spot = spots[old[index]] else { continue }
      nextHere = spot
      if isConfirmed[index] { nextConfirmed = spot }
    }
    return (here, confirmed)
  }

  private func insert(
    _ place: PlaceName, after hook: PlaceName, at spot: Spot, into gaps: inout [Int: [PlaceName]]
  ) -> Spot {
    if spot.position % 2 == 1 {
      let gap = spot.position + 1
      gaps[gap, default: []].insert(place, at: 0)
      return Spot(position: gap, inGap: 0)
    }
    let index = (gaps[spot.position]?.lastIndex(of: hook) ?? -1) + 1
    gaps[spot.position, default: []].insert(place, at: index)
    return Spot(position: spot.position, inGap: index)
  }

  private func append(
    _ place: PlaceName, before spot: Spot, to gaps: inout [Int: [PlaceName]]
  ) -> Spot {
    let gap = spot.position & ~1
    gaps[gap, default: []].append(place)
    return Spot(position: gap, inGap: gaps[gap]!.count - 1)
  }

  private func join(_ server: [PlaceName], _ gaps: [Int: [PlaceName]]) -> [PlaceName] {
    guard !gaps.isEmpty else { return server }
    var joined: [PlaceName] = []
    for (index, place) in server.enumerated() {
      if let before = gaps[2 * index] { joined += before }
      joined.append(place)
    }
    if let last = gaps[2 * server.count] { joined += last }
    return joined
  }
}
