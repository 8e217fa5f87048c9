/// The order of a list on the server: all places of its elements, the old and the dead among them
/// until they are trimmed.
///
/// A place is the left or the right child of another; siblings stand in the order of their stamps;
/// the order of the list is the walk of the tree. Every place has an opening and a closing token in
/// one `OrderTree`, so that whether a place is below another one is two comparisons. The place at
/// index 0 is the root, which is no element's.
struct PlaceTree: Sendable {
  struct Place: Sendable {
    var name: PlaceName
    /// What the siblings are sorted by: the stamp, or a later one after trimming.
    var sort: Stamp
    var version: ServerVersion
    /// Since when it is not the living place of its element.
    var deadVersion = ServerVersion.zero
    var parent: Int32 = -1
    var isRightChild = true
    var left = ChildList()
    var right = ChildList()
  }

  /// The nearest that an insertion must stay between, as of the author's knowledge.
  struct Bounds {
    var left: PlaceName?
    var right: PlaceName?
    var ownLeft: PlaceName?
    var ownRight: PlaceName?
    var cursor: ServerVersion
  }

  private(set) var places: ContiguousArray<Place>
  private(set) var order: OrderTree
  private(set) var indexes: [PlaceName: Int32] = [:]
  /// How many places were named that are not there, which only a hostile client does.
  private(set) var unknownPlaces = 0
  private var free: [Int32] = []

  init() {
    let nobody = ElementID(client: .none, number: 0)
    let root = Place(
      name: PlaceName(element: nobody, stamp: .zero), sort: .zero, version: .zero)
    places = [root]
    order = OrderTree(first: 0, version: 0)
    order.insert(1, after: 0, version: .max)
  }

  static func opening(_ place: Int32) -> Int32 { place * 2 }

  private static func closing(_ place: Int32) -> Int32 { place * 2 + 1 }

  subscript(_ place: Int32) -> Place { places[Int(place)] }

  mutating func setLiving(_ place: Int32, _ isLiving: Bool, version: ServerVersion) {
    order.setLiving(Self.opening(place), isLiving)
    places[Int(place)].deadVersion = version
  }

  /// The nearest living place to the left.
  func livingBefore(_ place: Int32) -> Int32? {
    order.livingBefore(Self.opening(place)).map { $0 / 2 }
  }

  /// Puts a new place between its author's neighbours.
  ///
  /// The bounds in the order of trust: what the author had just put himself, then the neighbour on
  /// the left, then the one on the right; one that contradicts is ignored. The left bound is then
  /// raised to the last place before the right one that the author had seen, since what he removed
  /// there has hidden it from him. The new place hangs left of its right neighbour if that is below
  /// its left one, and right of the left one otherwise.
  mutating func insert(_ name: PlaceName, between bounds: Bounds, version: ServerVersion) -> Int32 {
    let rootClose = Self.closing(0)
    let ownLow = find(bounds.ownLeft) ?? 0
    let left = find(bounds.left) ?? 0
    var low = Self.opening(ownLow)
    var high = find(bounds.ownRight).map(Self.opening) ?? rootClose
    let leftToken = Self.opening(left)
    let rightToken = find(bounds.right).map(Self.opening) ?? rootClose
    let isKnown =
      ownLow == left
      ? left == 0 : order.isBefore(low, leftToken) && order.isBefore(leftToken, high)
    if isKnown { low = leftToken }
    let isInside =
      rightToken == high
      || (order.isBefore(low, rightToken) && order.isBefore(rightToken, high))
    if isInside { high = rightToken }
    if isKnown && isInside,
      let seen = order.before(high, knownTo: bounds.cursor.rawValue), order.isBefore(low, seen)
    {
      low = seen
    }
    let parent = low / 2
    let hangsLeft =
      high != rootClose
      && (order.isBefore(high, Self.closing(parent)) || !order.isBefore(leftToken, high))
    return add(
      Place(name: name, sort: name.stamp, version: version),
      under: hangsLeft ? high / 2 : parent, isRightChild: !hangsLeft, at: nil)
  }

  private mutating func find(_ name: PlaceName?) -> Int32? {
    guard let name else { return nil }
    if let place = indexes[name] { return place }
    unknownPlaces += 1
    return nil
  }
}

extension PlaceTree {
  /// Adds a child, among its siblings by its stamp or where `index` says.
  mutating func add(
    _ place: Place, under parent: Int32, isRightChild: Bool, at index: Int?
  ) -> Int32 {
    let siblings = children(of: parent, isRight: isRightChild)
    let slot = index ?? position(of: place.sort, among: siblings)
    let new = free.popLast() ?? Int32(places.count)
    var place = place
    place.parent = parent
    place.isRightChild = isRightChild
    if Int(new) == places.count {
      places.append(place)
    } else {
      places[Int(new)] = place
    }
    let opening = Self.opening(new)
    if slot > 0 {
      order.insert(
        opening, after: Self.closing(siblings[slot - 1]), version: place.version.rawValue)
    } else if isRightChild {
      order.insert(opening, after: Self.opening(parent), version: place.version.rawValue)
    } else {
      let first = siblings.isEmpty ? parent : siblings[0]
      order.insert(
        opening, before: Self.opening(firstBelow(first)), version: place.version.rawValue)
    }
    order.insert(Self.closing(new), after: opening, version: .max)
    if isRightChild {
      places[Int(parent)].right.insert(new, at: slot)
    } else {
      places[Int(parent)].left.insert(new, at: slot)
    }
    indexes[place.name] = new
    return new
  }

  /// The first place in the order of what is left of this one, or itself.
  private func firstBelow(_ start: Int32) -> Int32 {
    var at = start
    while let first = places[Int(at)].left.first { at = first }
    return at
  }

  private func children(of parent: Int32, isRight: Bool) -> ChildList {
    isRight ? places[Int(parent)].right : places[Int(parent)].left
  }

  /// After all siblings that are not later. Mostly the end.
  private func position(of sort: Stamp, among siblings: ChildList) -> Int {
    let count = siblings.count
    if count == 0 || places[Int(siblings[count - 1])].sort <= sort { return count }
    return (0..<count).partitionPoint { places[Int(siblings[$0])].sort <= sort }
  }

  /// Takes out a dead place. Its children take its spot among its siblings, which stay sorted by
  /// raising what they are sorted by.
  mutating func remove(_ place: Int32) {
    let gone = places[Int(place)]
    let below = gone.left.all + gone.right.all
    var siblings = children(of: gone.parent, isRight: gone.isRightChild).all
    guard let spot = siblings.firstIndex(of: place) else { return }
    siblings.replaceSubrange(spot...spot, with: below)
    for child in below {
      places[Int(child)].parent = gone.parent
      places[Int(child)].isRightChild = gone.isRightChild
    }
    for index in siblings.indices.dropFirst() {
      let before = places[Int(siblings[index - 1])].sort
      if places[Int(siblings[index])].sort < before { places[Int(siblings[index])].sort = before }
    }
    if gone.isRightChild {
      places[Int(gone.parent)].right = ChildList(siblings)
    } else {
      places[Int(gone.parent)].left = ChildList(siblings)
    }
    order.detach(Self.opening(place))
    order.detach(Self.closing(place))
    indexes[gone.name] = nil
    places[Int(place)].left = ChildList()
    places[Int(place)].right = ChildList()
    free.append(place)
  }
}

/// Children of a place on one side. One child, which is what most have, takes no memory of its own.
struct ChildList: Sendable {
  private var only: Int32 = -1
  private var many: [Int32] = []

  init() {}

  init(_ children: [Int32]) {
    if children.count == 1 { only = children[0] } else { many = children }
  }

  var count: Int { only >= 0 ? 1 : many.count }
  var isEmpty: Bool { count == 0 }
  var first: Int32? { only >= 0 ? only : many.first }
  var all: [Int32] { only >= 0 ? [only] : many }

  subscript(_ index: Int) -> Int32 { only >= 0 ? only : many[index] }

  mutating func insert(_ child: Int32, at index: Int) {
    if only >= 0 {
      many = index == 0 ? [child, only] : [only, child]
      only = -1
    } else if many.isEmpty {
      only = child
    } else {
      many.insert(child, at: index)
    }
  }
}
