extension ClientCore {
  /// What is not acknowledged, as one batch with a new number, or the oldest part of it if it is
  /// much; nil if there is nothing. The number is durable before the batch is handed out.
  public mutating func makeBatch() throws(SyncError) -> UploadBatch? {
    let portion = portion()
    tooLarge = portion.tooLarge
    for id in portion.leaving {
      var state = storage.takeState(of: id)
      leave(id, &state)
      storage.putState(state, of: id)
    }
    guard !portion.objects.isEmpty else {
      if !portion.leaving.isEmpty { try storage.commit() }
      return nil
    }
    storage.record.batch = number(after: storage.record.batch)
    for id in portion.leftOut {
      // What is not in the batch is not acknowledged with the rest.
      guard var state = storage.takeState(of: id) else { continue }
      state.firstBatch = storage.record.batch + 1
      storage.putState(state, of: id)
    }
    storage.record.sent.append(
      ClientRecord.SentBatch(
        number: storage.record.batch, time: storage.record.clock.latest,
        element: storage.record.elements, since: portion.since))
    try storage.commit()
    return UploadBatch(
      number: storage.record.batch, cursor: storage.record.cursor, objects: portion.objects)
  }

  /// What goes into one batch: whole objects, those that were dirty first.
  package struct Portion {
    package fileprivate(set) var objects: [ObjectChange] = []
    /// It has the objects that were dirty since then or longer, without `leftOut`.
    var since: UInt64 = 0
    var leftOut: [ObjectID] = []
    /// Some of these: they are too large for any batch.
    fileprivate(set) var tooLarge: [ObjectID] = []
    /// Objects out of view of which nothing is to be sent any more.
    fileprivate(set) var leaving: [ObjectID] = []

    fileprivate func ended(at end: End) -> Portion {
      Portion(
        objects: Array(objects[..<end.objects]), since: end.since,
        leftOut: Array(leftOut[..<end.leftOut]), tooLarge: tooLarge, leaving: leaving)
    }
  }

  /// Where a batch can end: all commits are whole on either side.
  fileprivate struct End {
    var objects: Int
    var leftOut: Int
    var since: UInt64
  }

  /// Ends where a commit does: when all that was written in the objects so far was written before
  /// anything in the others, and the first such write began a commit. Only if there is no such end
  /// within a batch of full size, or one commit is larger, it ends somewhere.
  package func portion() -> Portion {
    let spans = storage.dirtySpans.sorted { $0.since < $1.since }
    let setAside = Set(storage.record.setAside)
    var portion = Portion()
    var end: End?
    var bytes = 0
    var until: UInt64 = 0
    for (index, span) in spans.enumerated() {
      if index > 0, until < span.since, HybridClock.beginsCommit(span.since) {
        let here = End(
          objects: portion.objects.count, leftOut: portion.leftOut.count, since: span.since - 1)
        if bytes > wantedBatchBytes { return portion.ended(at: end ?? here) }
        end = portion.objects.isEmpty ? nil : here
      }
      if bytes > wantedBatchBytes, let end { return portion.ended(at: end) }
      if bytes > fullBatchBytes { return cut(portion, before: index, of: spans) }
      guard let id = storage.dirtyObject(span.handle), let state = storage.state(of: id) else {
        continue
      }
      guard state.isDirty else {
        portion.leaving.append(id)
        continue
      }
      if isSetAside(id, state, setAside) {
        portion.leftOut.append(id)
        continue
      }
      let change = change(of: id, state)
      let size = change.byteEstimate
      if size > changeBytes {
        portion.leftOut.append(id)
        portion.tooLarge.append(id)
        continue
      }
      if bytes > 0, bytes + size > changeBytes {
        return end.map { portion.ended(at: $0) } ?? cut(portion, before: index, of: spans)
      }
      bytes += size
      until = max(until, span.until)
      portion.objects.append(change)
    }
    portion.since = storage.record.clock.latest
    return portion
  }

  /// Ends in the midst of a commit.
  private func cut(
    _ portion: Portion, before index: Int, of spans: [DirtySpan<Storage.DirtyHandle>]
  ) -> Portion {
    var portion = portion
    portion.since = spans[index - 1].since
    leaveOut(spans[index...], &portion)
    return portion
  }

  /// The objects that cannot be told by time from those that are in.
  private func leaveOut(
    _ rest: ArraySlice<DirtySpan<Storage.DirtyHandle>>, _ portion: inout Portion
  ) {
    for span in rest {
      guard span.since <= portion.since else { return }
      if let id = storage.dirtyObject(span.handle) { portion.leftOut.append(id) }
    }
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
    let claim = state.lifeChange
    var change = ObjectChange(
      id: id, generation: claim?.generation ?? state.generation, life: claim?.life)
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
