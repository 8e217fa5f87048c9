extension ClientCore {
  /// Takes over the server's cells of an object in the same generation, where the client has not
  /// written later ones. Only what differs is written. False if a list is not the client's.
  mutating func takeOver(
    _ news: ObjectNews, _ state: inout ClientObject, _ answered: ClientList.Answered
  ) -> Bool {
    let id = news.change.id
    let isWhole = news.kind == .snapshot
    var changes: [ContainerID: ContainerChange] = [:]
    for container in news.change.containers { changes[container.id] = container }
    // Parents first; what the changes make on the way is among the changes.
    var isSound = true
    for name in Set(state.containers.keys).union(changes.keys).sorted() {
      let change = changes[name] ?? ContainerChange(id: name)
      if let first = change.firstSlot { state.prepare(name, for: first) }
      guard let container = state.containers[name] else { continue }
      if isWhole { removeUnmentioned(change, &state, id) }
      if container.list != nil {
        if !takeOverList(change, &state, id, isWhole: isWhole, answered) { isSound = false }
      } else {
        for register in change.registers where register.slot.fits(container.kind) {
          takeOver(register, of: name, &state, id)
        }
      }
    }
    return isSound
  }

  private mutating func takeOver(
    _ register: RegisterChange, of name: ContainerID, _ state: inout ClientObject, _ id: ObjectID
  ) {
    let slot = register.slot
    if let own = state.containers[name]?.dirty[slot] {
      if own > register.stamp { return }
      state.containers[name]?.dirty[slot] = nil
    }
    if register.value.container != nil, state.containers[name]?.made[slot] == register.made {
      return
    }
    // What one cell holds, another one cannot.
    if register.value.container != nil, state.containers[register.made] != nil { return }
    let isContainer =
      register.value.container != nil || state.containers[name]?.made[slot] != nil
    let value = storage.value(slot, of: name, in: id)
    if !isContainer, value == (register.value == .absent ? nil : register.value) { return }
    state.note(slot, of: name, register.made, register.value, id, &storage)
    if register.value == .absent {
      storage.change(.remove(name, slot), in: id)
    } else {
      storage.change(.set(name, slot, register.value), in: id)
    }
  }

  /// What is not in a snapshot and was not written since is not there.
  private mutating func removeUnmentioned(
    _ change: ContainerChange, _ state: inout ClientObject, _ id: ObjectID
  ) {
    guard let container = state.containers[change.id], container.list == nil else { return }
    let mentioned = Set(change.registers.map(\.slot))
    for slot in storage.slots(of: change.id, in: id)
    where !mentioned.contains(slot) && container.dirty[slot] == nil {
      state.forgetMade(at: slot, of: change.id, id, &storage)
      storage.change(.remove(change.id, slot), in: id)
    }
  }

  private mutating func takeOverList(
    _ change: ContainerChange, _ state: inout ClientObject, _ id: ObjectID, isWhole: Bool,
    _ answered: ClientList.Answered
  ) -> Bool {
    let name = change.id
    guard isWhole || !change.isEmpty || state.containers[name]!.list!.isDirty else { return true }
    let before = state.containers[name]!.list!.shown.map(\.element)
    let news = ClientList.News(
      placements: change.placements, removals: change.removals, isWhole: isWhole,
      answered: answered, known: isWhole ? state.knownElements(of: name) : [])
    let client = storage.record.client
    guard let dead = state.containers[name]!.list!.apply(news, client: client) else {
      return false
    }
    for element in dead {
      state.containers[name]!.dirty[.item(element)] = nil
      state.forgetMade(at: .item(element), of: name, id, &storage)
    }
    let values = newValues(change, &state, id, shown: Set(before))
    guard let after = state.containers[name]?.list?.shown.map(\.element) else { return false }
    let steps = ListDifference.steps(from: before, to: after)
    return write(steps, after, values, name, id)
  }

  /// The values that the server has and the client has not written later. An element that the
  /// program has removed gets none, nor the container that it would make, until the server has
  /// answered that. Of one that it did not see, since its removal is taken back, nothing of the
  /// client's counts.
  private mutating func newValues(
    _ change: ContainerChange, _ state: inout ClientObject, _ id: ObjectID,
    shown: Set<ElementID>
  ) -> [ElementID: CellValue] {
    let name = change.id
    var values: [ElementID: CellValue] = [:]
    for register in change.registers {
      guard case .item(let element) = register.slot,
        let list = state.containers[name]?.list, list.removed[element] == nil,
        list.synced[element] != nil || list.pending[element] != nil
      else { continue }
      if !shown.contains(element) {
        state.forgetMade(at: register.slot, of: name, id, &storage)
      }
      if let own = state.containers[name]?.dirty[register.slot] {
        if own > register.stamp, shown.contains(element) { continue }
        state.containers[name]?.dirty[register.slot] = nil
      }
      if register.value.container != nil,
        state.containers[name]?.made[register.slot] == register.made
      {
        continue
      }
      if register.value.container != nil, state.containers[register.made] != nil { continue }
      values[element] = register.value
      state.note(register.slot, of: name, register.made, register.value, id, &storage)
    }
    return values
  }

  /// Brings the program's list from one order to the other.
  private mutating func write(
    _ steps: [ListDifference.Step], _ after: [ElementID],
    _ values: [ElementID: CellValue], _ name: ContainerID, _ id: ObjectID
  ) -> Bool {
    var isSound = true
    var inserted: Set<ElementID> = []
    for step in steps {
      switch step {
      case .remove(let index): storage.change(.removeItem(name, index), in: id)
      case .move(let from, let to):
        storage.change(.moveItem(name, from: from, to: to), in: id)
      case .insert(let element, let index):
        let value = values[element]
        if value == nil { isSound = false }
        storage.willWrite(element, of: name, in: id)
        storage.change(.insertItem(name, index, value ?? .null), in: id)
        inserted.insert(element)
      }
    }
    guard !values.isEmpty else { return isSound }
    for (index, element) in after.enumerated() where !inserted.contains(element) {
      guard let value = values[element] else { continue }
      if value.container != nil || storage.item(index, of: name, in: id) != value {
        storage.willWrite(element, of: name, in: id)
        storage.change(.setItem(name, index, value), in: id)
      }
    }
    return isSound
  }
}

extension ClientObject {
  /// Elements that the server must have had, because their values are acknowledged.
  fileprivate func knownElements(of id: ContainerID) -> Set<ElementID> {
    guard let container = containers[id], let list = container.list else { return [] }
    return Set(list.pending.keys.filter { container.dirty[.item($0)] == nil })
  }
}

extension ContainerChange {
  /// A cell that shows what kind of collection this is.
  fileprivate var firstSlot: Slot? {
    if let element = placements.first?.name.element ?? removals.first { return .item(element) }
    return registers.first?.slot
  }
}
