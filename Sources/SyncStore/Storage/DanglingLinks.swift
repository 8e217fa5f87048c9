import SyncProtocol

/// The links of one object that lead to what is not there, by the containers that hold them.
///
/// What is done to one link costs about the same however many there are; what is done to all that
/// lead to some objects goes through them once, however many these are.
struct DanglingLinks {
  /// Those of one container.
  struct Holder {
    /// Of properties and keys.
    fileprivate(set) var cells: [Places.Dangling.Spot: ObjectID] = [:]
    fileprivate(set) var members: Set<ObjectID> = []
    fileprivate(set) var items = HiddenItems()

    fileprivate var isEmpty: Bool { cells.isEmpty && members.isEmpty && items.isEmpty }
  }

  private(set) var holders: [ContainerID: Holder] = [:]

  var isEmpty: Bool { holders.isEmpty }

  var count: Int {
    holders.values.reduce(0) { $0 + $1.cells.count + $1.members.count + $1.items.count }
  }

  /// What they lead to.
  var targets: Set<ObjectID> {
    var targets: Set<ObjectID> = []
    for holder in holders.values {
      targets.formUnion(holder.cells.values)
      targets.formUnion(holder.members)
      for item in holder.items.items { targets.insert(item.target) }
    }
    return targets
  }

  /// Those of a list's elements.
  func items(of container: ContainerID) -> HiddenItems {
    holders[container]?.items ?? HiddenItems()
  }

  /// What the link of a property or a key leads to.
  func target(of container: ContainerID, _ spot: Places.Dangling.Spot) -> ObjectID? {
    holders[container]?.cells[spot]
  }

  /// What an element's link leads to.
  func itemTarget(_ index: Int, of container: ContainerID) -> ObjectID? {
    holders[container]?.items.item(at: index)?.target
  }

  /// What the members of a set lead to that the program's set is without.
  func members(of container: ContainerID) -> Set<ObjectID> {
    holders[container]?.members ?? []
  }

  func hasMember(_ target: ObjectID, _ container: ContainerID) -> Bool {
    holders[container]?.members.contains(target) == true
  }

  /// Whether the program's list is without an element.
  func isMissing(_ index: Int, of container: ContainerID) -> Bool {
    holders[container]?.items.item(at: index)?.isMissing == true
  }

  /// How many elements the program's list is without in front of an index.
  func missingItems(before index: Int, of container: ContainerID) -> Int {
    holders[container]?.items.missing(before: index) ?? 0
  }

  mutating func append(_ link: Places.Dangling) {
    let (container, target) = (link.container, link.target)
    switch link.spot {
    case .property, .key: holders[container, default: Holder()].cells[link.spot] = target
    case .member: holders[container, default: Holder()].members.insert(target)
    case .item(let index):
      holders[container, default: Holder()].items.insert(
        HiddenItems.Item(index: index, isMissing: true, target: target))
    case .nullItem(let index):
      holders[container, default: Holder()].items.insert(
        HiddenItems.Item(index: index, isMissing: false, target: target))
    }
  }

  /// The elements of a list of which nothing is known.
  ///
  /// - Parameter items: in any order.
  mutating func append(_ items: [HiddenItems.Item], of container: ContainerID) {
    var rising: [HiddenItems.Item] = []
    rising.reserveCapacity(items.count)
    for item in items.sorted(by: { $0.index < $1.index }) where item.index != rising.last?.index {
      rising.append(item)
    }
    if !rising.isEmpty { holders[container, default: Holder()].items = HiddenItems(rising) }
  }

  /// The link of a property or a key goes.
  mutating func forget(_ container: ContainerID, _ spot: Places.Dangling.Spot) {
    change(container) { $0.cells[spot] = nil }
  }

  mutating func forgetMember(_ target: ObjectID, of container: ContainerID) {
    change(container) { $0.members.remove(target) }
  }

  /// Takes the link of an element out.
  mutating func takeItem(_ index: Int, of container: ContainerID) -> HiddenItems.Item? {
    change(container) { $0.items.take(at: index) } ?? nil
  }

  mutating func moveItem(_ from: Int, _ to: Int, of container: ContainerID) {
    change(container) {
      let taken = $0.items.take(at: from)
      $0.items.shift(from: from, by: -1)
      $0.items.shift(from: to, by: 1)
      guard var item = taken else { return }
      item.index = to
      $0.items.insert(item)
    }
  }

  /// Elements at or behind an index have others, by `distance`.
  mutating func shift(_ container: ContainerID, from index: Int, by distance: Int) {
    holders[container]?.items.shift(from: index, by: distance)
  }

  mutating func drop(_ container: ContainerID) { holders[container] = nil }

  mutating func rename(_ old: ContainerID, _ new: ContainerID) {
    if let holder = holders.removeValue(forKey: old) { holders[new] = holder }
  }

  @discardableResult
  private mutating func change<Result>(
    _ container: ContainerID, _ body: (inout Holder) -> Result
  ) -> Result? {
    guard let place = holders.index(forKey: container) else { return nil }
    let result = body(&holders.values[place])
    if holders.values[place].isEmpty { holders.remove(at: place) }
    return result
  }
}

extension DanglingLinks {
  /// Links of one container that come to life.
  struct Found {
    struct Item {
      /// Where it is in the program's list, or is to be put in after those in front of it.
      var place: Int
      var isMissing: Bool
      var target: ObjectID
    }

    var cells: [(spot: Places.Dangling.Spot, target: ObjectID)] = []
    var members: [ObjectID] = []
    /// In their order.
    var items: [Item] = []

    var isEmpty: Bool { cells.isEmpty && members.isEmpty && items.isEmpty }
  }

  /// Takes out all of a container that lead to some objects.
  mutating func take(
    from container: ContainerID, where isThere: (ObjectID) -> Bool
  ) -> Found {
    var found = Found()
    change(container) { holder in
      found.cells = holder.cells.filter { isThere($0.value) }.map { ($0.key, $0.value) }
      for cell in found.cells { holder.cells[cell.spot] = nil }
      found.members = holder.members.filter(isThere)
      holder.members.subtract(found.members)
      var left: [HiddenItems.Item] = []
      var missing = 0
      for item in holder.items.items {
        if isThere(item.target) {
          found.items.append(
            Found.Item(
              place: item.index - missing, isMissing: item.isMissing, target: item.target))
        } else {
          left.append(item)
          if item.isMissing { missing += 1 }
        }
      }
      if !found.items.isEmpty { holder.items = HiddenItems(left) }
    }
    return found
  }
}
