import SyncProtocol

/// All that the programs of a device have written and committed, by cell the latest.
struct Promises {
  private struct Place: Hashable {
    var object: ObjectID
    var generation: Generation
    var life: LifeChange?
    var container: ContainerID
  }

  private var registers: [Place: [Slot: RegisterChange]] = [:]
  private var placements: [Place: [ElementID: Placement]] = [:]

  private var forgotten: Set<ElementID> = []

  /// The program itself has removed an element, which the server may never hear of.
  mutating func forget(_ element: ElementID) { forgotten.insert(element) }

  /// The program itself has deleted an object. The server may never hear of it, or have another one
  /// of the same number by then.
  mutating func forget(_ object: ObjectID) {
    registers = registers.filter { $0.key.object != object }
    placements = placements.filter { $0.key.object != object }
  }

  /// Takes what is not acknowledged at the end of a transaction; of an object that the program has
  /// created, by its creation until the server has answered that.
  mutating func add(_ changes: [ObjectChange]) {
    for change in changes {
      for container in change.containers {
        let place = Place(
          object: change.id, generation: change.generation,
          life: change.life.map { LifeChange(creation: $0.creation) }, container: container.id)
        for register in container.registers where isWritten(register, change) {
          let known = registers[place]?[register.slot]
          if let known, known.stamp >= register.stamp { continue }
          registers[place, default: [:]][register.slot] = register
        }
        for placement in container.placements where placement.authorship?.isNew == true {
          placements[place, default: [:]][placement.name.element] = placement
        }
      }
    }
  }

  private func isForgotten(_ slot: Slot) -> Bool {
    if case .item(let element) = slot { forgotten.contains(element) } else { false }
  }

  private func isWritten(_ register: RegisterChange, _ change: ObjectChange) -> Bool {
    register.stamp.isExplicit || !change.isRecovered
  }

  /// The writes, as changes of objects.
  var changes: [ObjectChange] {
    Set(registers.keys).union(placements.keys).map { place in
      var container = ContainerChange(id: place.container)
      container.registers = (registers[place] ?? [:]).values.filter { !isForgotten($0.slot) }
      container.placements = (placements[place] ?? [:]).values.filter {
        !forgotten.contains($0.name.element)
      }
      var change = ObjectChange(
        id: place.object, generation: place.generation, life: place.life)
      change.containers = [container]
      return change
    }
  }
}
