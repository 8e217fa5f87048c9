import SyncProtocol

/// A batch that the server has merged.
struct Merge {
  var author: ClientID
  var objects: [ObjectChange]
  var version: ServerVersion
}

/// What the server should hold after the batches that it has merged, said in the plainest way: all
/// writes are kept, and the result does not depend on their order.
struct MergeModel {
  private struct Place: Hashable {
    var object: ObjectID
    var generation: Generation
    var container: ContainerID
  }

  private struct CellName: Hashable {
    var place: Place
    var slot: Slot
  }

  private var generations: [ObjectID: Generation] = [:]
  private struct Write {
    var stamp: CellStamp
    var value: CellValue
    var made: ContainerID
    var version: ServerVersion
  }

  private var writes: [CellName: Write] = [:]
  /// The latest removal of which the mark was trimmed.
  private var forgotten: [Place: Stamp] = [:]
  private var cells: [Place: Set<Slot>] = [:]
  private var inserted: [Place: Set<ElementID>] = [:]
  private var removed: [Place: [ElementID: ServerVersion]] = [:]
  /// Elements of which the marks were trimmed.
  private var trimmed: [Place: Set<ElementID>] = [:]
  private var moved: [CellName: Stamp] = [:]
  /// Containers that were out of reach when a mark was trimmed that kept them from coming back.
  private var fallen: Set<Place> = []
  private(set) var batches = 0

  mutating func merge(_ objects: [ObjectChange], as version: ServerVersion) {
    batches += 1
    for object in objects {
      let known = generations[object.id] ?? .none
      if object.isWhole {
        guard known == .none || known.isAlive else { continue }
        if known == .none { generations[object.id] = object.generation }
      } else if object.generation > known {
        guard object.life != nil else { continue }
        generations[object.id] = object.generation
      }
      let generation = object.isWhole ? self.generation(of: object.id) : object.generation
      for container in object.containers {
        // What is written in a container that is not there goes nowhere.
        if generation == self.generation(of: object.id) && !isThere(container.id, in: object.id) {
          continue
        }
        let place = Place(object: object.id, generation: generation, container: container.id)
        merge(container, at: place, isRecovered: object.isRecovered, as: version)
      }
    }
  }

  private mutating func merge(
    _ container: ContainerChange, at place: Place, isRecovered: Bool, as version: ServerVersion
  ) {
    // What is written of an element that was forgotten, or never was, is written to nothing.
    for placement in container.placements {
      let element = placement.name.element
      let isValued = container.registers.contains { $0.slot == .item(element) }
      if placement.authorship?.isNew == true && isValued {
        inserted[place, default: []].insert(element)
      }
      guard inserted[place]?.contains(element) == true else { continue }
      let cell = CellName(place: place, slot: .item(element))
      moved[cell] = max(moved[cell] ?? .zero, placement.name.stamp)
    }
    for register in container.registers {
      let cell = CellName(place: place, slot: register.slot)
      cells[place, default: []].insert(register.slot)
      if case .item(let element) = register.slot, inserted[place]?.contains(element) != true {
        continue
      }
      if let known = writes[cell], !Self.beats(register.stamp, known.stamp) { continue }
      var stamp = register.stamp
      if let removal = forgotten[place], writes[cell] == nil,
        !Self.beats(stamp, CellStamp(removal))
      {
        stamp = CellStamp(Stamp(time: removal.time + 1, client: stamp.stamp.client))
      }
      writes[cell] = Write(
        stamp: stamp, value: register.value, made: register.made, version: version)
    }
    for element in container.removals where removed[place]?[element] == nil {
      guard isRecovered || inserted[place]?.contains(element) == true else { continue }
      removed[place, default: [:]][element] = version
    }
  }

  /// Whether a write stays where another one was made. Said once more here: a mistake in what the
  /// server goes by is not to be the model's as well.
  private static func beats(_ new: CellStamp, _ old: CellStamp) -> Bool {
    if new.isExplicit != old.isExplicit { return new.isExplicit }
    if new.stamp.time != old.stamp.time { return new.stamp.time > old.stamp.time }
    return new.stamp.client.rawValue > old.stamp.client.rawValue
  }

  /// Forgets an object of which the server keeps nothing.
  mutating func forget(_ id: ObjectID) {
    generations[id] = nil
    writes = writes.filter { $0.key.place.object != id }
    moved = moved.filter { $0.key.place.object != id }
    cells = cells.filter { $0.key.object != id }
    forgotten = forgotten.filter { $0.key.object != id }
    inserted = inserted.filter { $0.key.object != id }
    removed = removed.filter { $0.key.object != id }
    trimmed = trimmed.filter { $0.key.object != id }
    fallen = fallen.filter { $0.object != id }
  }

  /// Forgets removed keys, members and elements of which the server has trimmed the marks.
  ///
  /// - Parameter floor: up to where it may have trimmed them.
  mutating func trim(_ object: ServerObject, _ id: ObjectID, _ floor: ServerVersion) {
    var kept: [ContainerID: Set<Slot>] = [:]
    for container in object.snapshot(of: id).containers {
      kept[container.id] = Set(container.registers.map(\.slot))
    }
    let generation = generation(of: id)
    var isForgotten = false
    for (cell, write) in writes where cell.place.object == id && write.value == .absent {
      guard cell.place.generation == generation, write.version <= floor,
        kept[cell.place.container]?.contains(cell.slot) != true
      else { continue }
      writes[cell] = nil
      forgotten[cell.place] = max(forgotten[cell.place] ?? .zero, write.stamp.stamp)
      isForgotten = true
    }
    if isForgotten { forgetOutOfReach(id, generation) }
    var gone: [Place] = []
    for (place, elements) in removed where place.object == id && place.generation == generation {
      for (element, version) in elements where version <= floor {
        let write = writes[CellName(place: place, slot: .item(element))]
        if let write, write.value.container != nil { gone.append(self.place(id, write.made)) }
        removed[place]?[element] = nil
        inserted[place]?.remove(element)
        // Whoever gives the element back makes a new one with the old name.
        writes[CellName(place: place, slot: .item(element))] = nil
        moved[CellName(place: place, slot: .item(element))] = nil
        trimmed[place, default: []].insert(element)
      }
    }
    while let place = gone.popLast() { gone += forget(place) }
  }

  /// Forgets what is in containers that are not there. They may come back without it where the mark
  /// of what took their place is forgotten.
  private mutating func forgetOutOfReach(_ id: ObjectID, _ generation: Generation) {
    let known = containers(of: id)
    for place in Set(cells.keys).union(inserted.keys)
    where place.object == id && place.generation == generation && !known.contains(place.container) {
      _ = forget(place)
      fallen.insert(place)
    }
  }

  /// Forgets what is in a container.
  ///
  /// - Returns: the containers in it.
  private mutating func forget(_ place: Place) -> [Place] {
    var children: [Place] = []
    for (cell, write) in writes where cell.place == place {
      if write.value.container != nil { children.append(self.place(place.object, write.made)) }
      writes[cell] = nil
      moved[cell] = nil
    }
    let declared = Set(cells.keys).union(inserted.keys).filter {
      $0.object == place.object && $0.generation == place.generation
        && $0.container.isDeclared && $0.container.declarer == place.container
    }
    (cells[place], inserted[place], removed[place]) = (nil, nil, nil)
    return children + declared
  }

  var deadObjects: [ObjectID] { generations.filter { !$0.value.isAlive }.map(\.key) }

  var livingObjects: [ObjectID] { generations.filter { $0.value.isAlive }.map(\.key) }

  func generation(of id: ObjectID) -> Generation { generations[id] ?? .none }

  /// Whether a write was merged, or a later one of the same cell, or the cell is gone.
  func accountsFor(
    _ register: RegisterChange, _ container: ContainerID, _ object: ObjectChange,
    in known: Set<ContainerID>
  ) -> Bool {
    let place = Place(object: object.id, generation: object.generation, container: container)
    if generation(of: object.id) != object.generation { return true }
    if !known.contains(container) { return true }
    if case .item(let element) = register.slot, isRemoved(element, place) { return true }
    guard let write = writes[CellName(place: place, slot: register.slot)] else {
      // The mark of a removal may have been trimmed.
      return cells[place]?.contains(register.slot) == true
    }
    return !Self.beats(register.stamp, write.stamp)
  }

  /// Whether the element of a list that a cell belongs to was merged, if it belongs to one.
  func isInserted(_ slot: Slot, _ container: ContainerID, _ object: ObjectChange) -> Bool {
    guard case .item(let element) = slot else { return true }
    let place = Place(object: object.id, generation: object.generation, container: container)
    return inserted[place]?.contains(element) == true
  }

  /// Whether an inserted element was merged, or is gone.
  func accountsFor(
    _ element: ElementID, _ container: ContainerID, _ object: ObjectChange,
    in known: Set<ContainerID>
  ) -> Bool {
    let place = Place(object: object.id, generation: object.generation, container: container)
    if generation(of: object.id) != object.generation { return true }
    if !known.contains(container) { return true }
    return inserted[place]?.contains(element) == true || isRemoved(element, place)
  }

  private func isRemoved(_ element: ElementID, _ place: Place) -> Bool {
    removed[place]?[element] != nil || trimmed[place]?.contains(element) == true
  }

  private func place(_ id: ObjectID, _ container: ContainerID) -> Place {
    Place(object: id, generation: generation(of: id), container: container)
  }

  private func elements(_ place: Place) -> Set<ElementID> {
    (inserted[place] ?? []).filter { removed[place]?[$0] == nil }
  }

  /// The containers of an object: the root, those of the writes that won, and declared ones that
  /// were not replaced.
  ///
  /// - Parameter skipsRisen: without those that were removed and came back when the mark was
  ///   forgotten, and those in elements of which that is so. Such an element or container is a new
  ///   one with the old name: what was written to the old one before it was removed went with it.
  func containers(of id: ObjectID, skipsRisen: Bool = false) -> Set<ContainerID> {
    let generation = generation(of: id)
    let declared = Set(cells.keys).union(inserted.keys).filter {
      $0.object == id && $0.generation == generation && $0.container.isDeclared
    }
    var found: Set<ContainerID> = []
    var open: [ContainerID] = [.root]
    while let container = open.popLast() {
      let here = place(id, container)
      if skipsRisen && fallen.contains(here) { continue }
      guard found.insert(container).inserted else { continue }
      let living = elements(here)
      for slot in cells[here] ?? [] {
        if case .item(let element) = slot {
          let hasRisen = trimmed[here]?.contains(element) == true
          if !living.contains(element) || (skipsRisen && hasRisen) { continue }
        }
        guard let write = writes[CellName(place: here, slot: slot)] else { continue }
        if write.value.container != nil { open.append(write.made) }
      }
      for child in declared where child.container.declarer == container {
        let slot = Slot.property(child.container.property)
        if writes[CellName(place: here, slot: slot)] == nil { open.append(child.container) }
      }
    }
    return found
  }

  /// Whether a container is there, or would be with the first write to it.
  private func isThere(_ container: ContainerID, in id: ObjectID) -> Bool {
    let known = containers(of: id)
    guard container.isDeclared else { return known.contains(container) }
    let cell = CellName(
      place: place(id, container.declarer), slot: .property(container.property))
    return known.contains(container.declarer) && writes[cell] == nil
  }

  /// What is wrong with an object of the server, if anything is.
  func complaint(about object: ServerObject?, _ id: ObjectID, _ names: Names) -> String? {
    let generation = generation(of: id)
    let word = Describer(names: names)
    guard generation.isAlive else {
      return object?.generation.isAlive == true ? "\(word.object(id)) lives" : nil
    }
    guard let object, object.generation == generation else {
      return "\(word.object(id)) is not of \(generation)"
    }
    let snapshot = object.snapshot(of: id)
    let known = containers(of: id)
    for container in snapshot.containers where !known.contains(container.id) {
      return "\(word.object(id)) has container \(word.container(container.id))"
    }
    for container in known {
      let change =
        snapshot.containers.first { $0.id == container } ?? ContainerChange(id: container)
      if let complaint = complaint(about: change, place(id, container), word) {
        return "\(word.object(id)) \(word.container(container)): \(complaint)"
      }
    }
    return nil
  }

  private func complaint(
    about change: ContainerChange, _ place: Place, _ word: Describer
  ) -> String? {
    let living = elements(place)
    let there = change.placements.map(\.name.element)
    if there.count != living.count || Set(there) != living { return "elements lost or risen" }
    for placement in change.placements {
      let cell = CellName(place: place, slot: .item(placement.name.element))
      if moved[cell] != placement.name.stamp { return "not the last move of an element" }
    }
    var values: [Slot: CellValue] = [:]
    for register in change.registers {
      values[register.slot] = register.value
      let write = writes[CellName(place: place, slot: register.slot)]
      if let write, write.stamp != register.stamp {
        return "\(word.slot(register.slot)) has another stamp than the last write"
      }
    }
    for slot in cells[place] ?? [] {
      if case .item(let element) = slot, !living.contains(element) { continue }
      let expected = writes[CellName(place: place, slot: slot)]?.value ?? .absent
      if (values[slot] ?? .absent) != expected {
        return "\(word.slot(slot)) is not the last write"
      }
    }
    return nil
  }
}
