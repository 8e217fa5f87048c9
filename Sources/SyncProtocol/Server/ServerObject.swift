/// The content of a cell on the server, and which write it came from.
struct ServerRegister: Hashable, Sendable {
  var stamp: CellStamp
  /// The name of the container that the value makes, if it is not the stamp.
  var maker: Stamp?
  var value: CellValue
  var version: ServerVersion
  /// Who has it already.
  var author: ClientID

  /// The container that the value makes, if it makes one.
  var made: ContainerID { ContainerID(madeBy: maker ?? stamp.stamp) }

  func change(of slot: Slot) -> RegisterChange {
    var change = RegisterChange(slot: slot, stamp: stamp, value: value)
    change.maker = maker
    return change
  }
}

/// A container on the server.
struct ServerContainer: Sendable {
  var kind: ContainerKind
  var version: ServerVersion
  var registers: [Slot: ServerRegister] = [:]
  /// The latest removal of a key or a member of which there is no mark any more.
  var forgotten: Stamp?
  var list: ServerList?

  init(kind: ContainerKind, version: ServerVersion) {
    self.kind = kind
    self.version = version
    if kind == .list { list = ServerList() }
  }
}

/// One object on the server: its cells, with their stamps, and the version that each came in.
public struct ServerObject: Sendable {
  /// How often it was created and deleted.
  public internal(set) var generation = Generation.none
  /// The version that the generation came in.
  public internal(set) var generationVersion = ServerVersion.zero
  /// The newest version of anything in it.
  public internal(set) var version = ServerVersion.zero
  var containers = ContainerTable<ServerContainer>()
  /// It is not larger than that.
  var byteBound = 0

  /// An object that never was.
  public init() {}

  /// The value of a property of the object itself; what queries and rules look at.
  public func property(_ property: NameID) -> CellValue? {
    containers[.root]?.registers[.property(property)]?.value
  }

  /// Names of places that clients gave and that are not there.
  public var unknownPlaces: Int {
    containers.values.reduce(0) { $0 + ($1.list?.tree.unknownPlaces ?? 0) }
  }

  /// Where a place stands in the order of a list, old and dead ones counted, and since when; nil if
  /// it is not there. For checks.
  package func rank(
    of name: PlaceName?, in id: ContainerID
  ) -> (rank: UInt32, since: ServerVersion)? {
    guard let name, let tree = containers[id]?.list?.tree, let place = tree.indexes[name] else {
      return nil
    }
    return (tree.order.rank(PlaceTree.opening(place)), tree[place].version)
  }
}

extension ServerObject {
  /// Merges what a client wrote, in the generation that it is in. Merging again, or in another
  /// order, gives the same cells.
  mutating func merge(_ change: ObjectChange, from author: ClientID, as version: ServerVersion) {
    let isLacking = change.isWhole && generation == .none && change.generation.isAlive
    if change.generation > generation, change.life != nil || isLacking {
      generation = change.generation
      generationVersion = version
      self.version = version
      containers = ContainerTable()
      if generation.isAlive {
        containers[.root] = ServerContainer(kind: .object(change.id.type), version: version)
      }
    }
    guard change.generation == generation || change.isWhole, generation.isAlive else { return }
    for container in change.containers where hasContainer(for: container, as: version) {
      merge(container, from: author, as: version, isRecovered: change.isRecovered)
    }
  }

  /// Whether there is such a container; one that a property declares is there until the property
  /// has been written.
  private mutating func hasContainer(
    for change: ContainerChange, as version: ServerVersion
  ) -> Bool {
    if containers[change.id] != nil { return true }
    guard change.id.isDeclared, let kind = change.collectionKind,
      let declarer = containers[change.id.declarer], case .object = declarer.kind,
      declarer.registers[.property(change.id.property)] == nil
    else { return false }
    containers[change.id] = ServerContainer(kind: kind, version: version)
    return true
  }

  private mutating func merge(
    _ change: ContainerChange, from author: ClientID, as version: ServerVersion, isRecovered: Bool
  ) {
    var changed = false
    if let later = containers[change.id]?.list?.laterOwnPlaces(change.placements) {
      let head = version
      let valued = Set(change.registers.map(\.slot))
      for placement in change.placements {
        // An element without a value is none.
        let element = placement.name.element
        let isKnown = containers[change.id]!.list!.elements[element] != nil
        guard isKnown || valued.contains(.item(element)) else { continue }
        if containers[change.id]!.list!.put(
          placement, beside: later[placement.name], version: version, head: head)
        {
          changed = true
        }
      }
    }
    for register in change.registers {
      if write(register, in: change.id, from: author, as: version) { changed = true }
    }
    for placement in change.placements {
      // Its value was not taken: only hostile clients write one that is absent, or makes a
      // container of a name that another one has.
      let element = placement.name.element
      guard containers[change.id]?.list?.isLiving(element) == true,
        containers[change.id]?.registers[.item(element)] == nil
      else { continue }
      if containers[change.id]!.list!.remove(element, version: version, marking: false) {
        changed = true
      }
    }
    for element in change.removals {
      guard
        containers[change.id]?.list?.remove(element, version: version, marking: isRecovered) == true
      else { continue }
      changed = true
      forgetValue(at: .item(element), in: change.id)
    }
    guard changed else { return }
    containers[change.id]?.version = version
    self.version = version
  }

  /// Writes a cell if the write is later than the one that is there.
  private mutating func write(
    _ change: RegisterChange, in id: ContainerID, from author: ClientID, as version: ServerVersion
  ) -> Bool {
    guard let container = containers[id], change.slot.fits(container.kind) else { return false }
    if case .item(let element) = change.slot {
      guard change.value != .absent, container.list?.isLiving(element) == true else {
        return false
      }
    }
    if let current = container.registers[change.slot], current.stamp >= change.stamp {
      return false
    }
    if change.value.container != nil, containers[change.made] != nil { return false }
    let stamp = raised(change, over: container)
    forgetValue(at: change.slot, in: id)
    if case .property(let property) = change.slot {
      forgetContainer(ContainerID(declaredBy: property, in: id))
    }
    let maker = change.maker ?? (stamp == change.stamp ? nil : change.stamp.stamp)
    containers[id]!.registers[change.slot] = ServerRegister(
      stamp: stamp, maker: maker, value: change.value, version: version, author: author)
    if case .item(let element) = change.slot { containers[id]!.list!.touch(element, version) }
    if let kind = change.value.container {
      containers[change.made] = ServerContainer(kind: kind, version: version)
    }
    return true
  }

  /// The stamp that a write gets. What is older than a removal without a mark may be older than the
  /// removal of this very key, and nobody can tell. It stands, rather a key too many than one that
  /// is lost, and so it counts as later than the removal, for all that comes after.
  private func raised(_ change: RegisterChange, over container: ServerContainer) -> CellStamp {
    guard let forgotten = container.forgotten, container.registers[change.slot] == nil,
      change.stamp <= CellStamp(forgotten)
    else { return change.stamp }
    return CellStamp(Stamp(time: forgotten.time + 1, client: change.stamp.stamp.client))
  }

  /// Takes the value of a cell away, with the container that it made.
  private mutating func forgetValue(at slot: Slot, in id: ContainerID) {
    guard let gone = containers[id]?.registers.removeValue(forKey: slot) else { return }
    if gone.value.container != nil { forgetContainer(gone.made) }
  }

  /// Takes a container away, with all that is in it. Not by recursion: a client may have nested
  /// them deeper than a stack is.
  private mutating func forgetContainer(_ first: ContainerID) {
    var open = [first]
    while let id = open.popLast() {
      guard let gone = containers.removeValue(forKey: id) else { continue }
      for register in gone.registers.values where register.value.container != nil {
        open.append(register.made)
      }
      guard case .object = gone.kind else { continue }
      open += containers.declared(in: id)
    }
  }

  /// Forgets marks of what was removed, up to a version; says whether there were any.
  mutating func trim(_ floor: ServerVersion) -> Bool {
    var wasChanged = false
    for id in Array(containers.keys) {
      if containers[id]!.list?.trim(floor) == true { wasChanged = true }
      let gone = containers[id]!.registers.filter {
        $0.value.value == .absent && $0.value.version <= floor
      }
      for (slot, register) in gone {
        containers[id]!.registers[slot] = nil
        containers[id]!.forgotten = max(containers[id]!.forgotten ?? .zero, register.stamp.stamp)
        wasChanged = true
      }
    }
    return wasChanged
  }
}

extension ContainerChange {
  /// The kind of collection that has such cells.
  var collectionKind: ContainerKind? {
    if !placements.isEmpty || !removals.isEmpty { return .list }
    switch registers.first?.slot {
    case .item: return .list
    case .key: return .map
    case .member: return .set
    case .property, nil: return nil
    }
  }
}
