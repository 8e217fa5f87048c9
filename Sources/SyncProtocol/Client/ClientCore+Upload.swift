extension ClientCore {
  /// All that is not acknowledged, as one batch with a new number; nil if there is nothing.
  /// The number is durable before the batch is handed out.
  public mutating func makeBatch() throws(SyncError) -> UploadBatch? {
    let objects = unacknowledged()
    guard !objects.isEmpty else { return nil }
    storage.record.batch += 1
    let included = Set(objects.map(\.id))
    for id in storage.dirtyObjects where !included.contains(id) {
      // What is set aside is not acknowledged with the rest.
      guard var state = storage.takeState(of: id) else { continue }
      state.firstBatch = storage.record.batch + 1
      storage.putState(state, of: id)
    }
    storage.record.sent.append(
      ClientRecord.SentBatch(
        number: storage.record.batch, time: storage.record.clock.latest,
        element: storage.record.elements))
    try storage.commit()
    return UploadBatch(
      number: storage.record.batch, cursor: storage.record.cursor, objects: objects)
  }

  /// What is not acknowledged and the server would take.
  package func unacknowledged() -> [ObjectChange] {
    let setAside = Set(storage.record.setAside)
    var objects: [ObjectChange] = []
    for id in storage.dirtyObjects {
      guard let state = storage.state(of: id), !isSetAside(id, state, setAside) else { continue }
      objects.append(change(of: id, state))
    }
    return objects
  }

  /// Whether the server does not know the class, or a property that was written.
  private func isSetAside(
    _ id: ObjectID, _ state: ClientObject, _ setAside: Set<Schema.Conflict>
  ) -> Bool {
    guard !setAside.isEmpty else { return false }
    let names = storage.record.names
    func isRefused(_ type: NameID, _ property: NameID) -> Bool {
      setAside.contains(Schema.Conflict(type: names[type], property: names[property]))
    }
    if setAside.contains(Schema.Conflict(type: names[id.type], property: "")) { return true }
    for (name, container) in state.containers where container.isDirty {
      if name.isDeclared, case .object(let type) = state.containers[name.declarer]?.kind,
        isRefused(type, name.property)
      {
        return true
      }
      guard case .object(let type) = container.kind else { continue }
      for case .property(let property) in container.dirty.keys where isRefused(type, property) {
        return true
      }
    }
    return false
  }

  /// What is not acknowledged of one object.
  private func change(of id: ObjectID, _ state: ClientObject) -> ObjectChange {
    var change = ObjectChange(
      id: id, generation: state.generation, isGenerationNew: state.isGenerationDirty)
    change.isRecovered = state.recoveredTime != nil && !state.isGenerationDirty
    change.isWhole = change.isRecovered && state.isGivenBack
    for (name, container) in state.containers where container.isDirty {
      var part = ContainerChange(id: name)
      if let list = container.list {
        part.placements = list.placements(of: storage.record.client)
        part.removals = list.removed.keys.sorted()
      }
      part.registers = registers(of: name, container, in: id)
      change.containers.append(part)
    }
    change.containers.sort { $0.id < $1.id }
    return change
  }

  private func registers(
    of name: ContainerID, _ container: ClientContainer, in id: ObjectID
  ) -> [RegisterChange] {
    var registers: [RegisterChange] = []
    registers.reserveCapacity(container.dirty.count)
    if let list = container.list {
      guard !container.dirty.isEmpty else { return [] }
      for (index, place) in list.shown.enumerated() {
        let slot = Slot.item(place.element)
        guard let stamp = container.dirty[slot] else { continue }
        let value = storage.item(index, of: name, in: id)
        registers.append(RegisterChange(slot: slot, stamp: stamp, value: value))
      }
    } else {
      for (slot, stamp) in container.dirty {
        let value = storage.value(slot, of: name, in: id) ?? .absent
        registers.append(RegisterChange(slot: slot, stamp: stamp, value: value))
      }
    }
    return registers.sorted { $0.stamp.stamp < $1.stamp.stamp }
  }
}
