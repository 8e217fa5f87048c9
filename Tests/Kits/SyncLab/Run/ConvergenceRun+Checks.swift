import SyncProtocol

extension ConvergenceRun {
  /// What must hold whenever a client has caught up: transactions are seen whole.
  mutating func check(_ number: Int) {
    guard finding == nil else { return }
    for writer in devices.indices where !halved.contains(writer) {
      let values = pair(of: writer, on: devices[number])
      if values[0] == values[1] {
        halves[number]?.remove(writer)
      } else if halves[number]?.contains(writer) != true {
        finding = "device \(number) sees half of a transaction of \(writer): \(values)"
      }
    }
  }

  /// What a device has of the two objects that a program always writes together.
  private func pair(of writer: Int, on device: Device) -> [CellValue?] {
    let type = device.name(LabClasses.pair)
    let property = Slot.property(device.name("value"))
    return (0..<2).map { half in
      let id = ObjectID(type: type, key: .int(Int64(writer * 2 + half)))
      return device.core.storage.value(property, of: .root, in: id)
    }
  }

  /// A backup is restored. Clients that were in the middle of a download may have half of a
  /// transaction that the backup lacks, and give that back; or half of one of their own is
  /// acknowledged, and they send the other half. What the server has stands then, so it is whole
  /// again when its program writes the next one; and such a client has but one half until it gets
  /// that.
  mutating func noteHalves() {
    for number in devices.indices where devices[number].core.storage.record.mustStartOver {
      let writers = writersOfHalves(on: number)
      halves[number, default: []].formUnion(writers)
      halved.formUnion(writers)
      halved.formUnion(writersOfAcknowledgedHalves(on: number))
    }
  }

  private func writersOfAcknowledgedHalves(on number: Int) -> [Int] {
    let device = devices[number]
    let type = device.name(LabClasses.pair)
    return devices.indices.filter { writer in
      let dirty = (0..<2).map { half in
        let id = ObjectID(type: type, key: .int(Int64(writer * 2 + half)))
        return device.core.storage.state(of: id)?.isDirty == true
      }
      return dirty[0] != dirty[1]
    }
  }

  /// A device's file is put back to what it was in the middle of a download. If the server has lost
  /// the other half meanwhile, the device has but one until it gets what the program writes next.
  mutating func noteHalves(putBack number: Int) {
    let writers = writersOfHalves(on: number)
    halves[number] = Set(writers)
    halved.formUnion(writers)
    if devices[number].core.storage.record.mustStartOver {
      halved.formUnion(writersOfAcknowledgedHalves(on: number))
    }
  }

  private func writersOfHalves(on number: Int) -> [Int] {
    devices.indices.filter { writer in
      let values = pair(of: writer, on: devices[number])
      return values[0] != values[1]
    }
  }

  /// A program has written both of its objects, and so they are whole whatever came before.
  mutating func noteWholePair(_ batch: UploadBatch, by writer: Int) {
    guard halved.contains(writer), let type = server.head.names.find(LabClasses.pair)
    else { return }
    let written = batch.objects.filter { change in
      change.id.type == type && !change.isRecovered
        && change.containers.contains { $0.registers.contains(where: \.stamp.isExplicit) }
    }
    let keys = Set(written.map(\.id.key))
    if (0..<2).allSatisfy({ keys.contains(.int(Int64(writer * 2 + $0))) }) {
      halved.remove(writer)
    }
  }

  /// The server has taken transactions whole.
  mutating func checkServer() {
    let names = server.head.names
    guard finding == nil, let type = names.find(LabClasses.pair),
      let property = names.find("value")
    else { return }
    for writer in devices.indices where !halved.contains(writer) {
      let values = (0..<2).map { half in
        let id = ObjectID(type: type, key: .int(Int64(writer * 2 + half)))
        return server.merged(id)?.property(property)
      }
      if values[0] != values[1] {
        finding = "the server has half of a transaction of \(writer): \(values)"
      }
    }
  }

  /// What an author put beside what it had put there before stands on that side of it.
  /// What is given back to a server that lacks it comes as others had put it; an author that has
  /// gone back itself may not know that, and puts other elements on either side of it.
  mutating func checkOrder(_ change: ObjectChange, of client: ClientID) {
    if change.isRecovered {
      for container in change.containers {
        recoveredPlaces.formUnion(container.placements.map(\.name))
      }
      return
    }
    guard finding == nil, let object = server.merged(change.id) else { return }
    for container in change.containers {
      for placement in container.placements {
        guard placement.name.stamp.client.isOfSameFile(as: client),
          let author = placement.authorship,
          let place = object.rank(of: placement.name, in: container.id)
        else { continue }
        let ownLeft = object.rank(of: author.ownLeft, in: container.id)
        let ownRight = object.rank(of: author.ownRight, in: container.id)
        guard [place, ownLeft, ownRight].contains(where: { $0?.since == server.head.version })
        else { continue }
        let left = ownLeft?.rank ?? 0
        let right = ownRight?.rank ?? .max
        if left > right,
          [author.ownLeft, author.ownRight].contains(where: {
            $0.map(recoveredPlaces.contains) ?? false
          })
        {
          continue
        }
        if left > place.rank || place.rank > right {
          finding = "\(placement.name) is not where its author put it among its own"
        }
      }
    }
  }

  /// Whether creations and writes can be told by their stamps for good. A file that has gone back
  /// does not know that it had sent them, and a server neither what had been deleted.
  private var remembersAll: Bool { !goesBack && seeding == nil && epoch == 1 }

  /// What was deleted stays so, whenever its author hears that it had arrived.
  mutating func checkLife(_ change: ObjectChange, of author: ClientID) {
    guard finding == nil, remembersAll, !change.isRecovered else { return }
    let now = model.generation(of: change.id)
    let begun = server.merged(change.id)?.generationVersion ?? .zero
    guard let complaint = mergedLives.note(change, of: author, now: now, begun: begun) else {
      return
    }
    finding = "\(Describer(names: server.head.names).object(change.id)) \(complaint)"
  }

  /// A client knows since when it has what is not acknowledged. If it thought that this is newer
  /// than its newest batch, it would send it for ever.
  mutating func checkSpans(_ number: Int) {
    let storage = devices[number].core.storage
    let unsound = storage.dirtyObjects.first { storage.state(of: $0)?.isSpanSound == false }
    guard finding == nil, let unsound else { return }
    let object = Describer(names: storage.record.names).object(unsound)
    finding = "device \(number) has had what is dirty of \(object) for longer than it thinks"
  }

  /// Where nothing is lost and nothing comes in another order, no session ends but for want of
  /// room, and where a client has to start over.
  mutating func checkFailure(of session: ClientSession, _ number: Int) {
    guard !hasLoss, finding == nil, let failure = session.failure else { return }
    if failure.code == .storage || failure.code == .divergence { return }
    finding = "the session of device \(number) ended: \(failure.code) \(failure.message.string)"
  }

  /// Everything is delivered; then all must hold the same, and nothing may be missing.
  mutating func finish() throws(SyncError) {
    hasLoss = false
    server.isSchemaOpen = true
    server.storage.failsNextCommit = false
    _ = server.addClasses(LabClasses.classes(isNew: true))
    for number in devices.indices {
      devices[number].isAway = false
      devices[number].core.storage.failsNextCommit = false
      disconnect(number)
    }
    var rounds = 0
    while try !isQuiet() {
      rounds += 1
      if rounds > 400 {
        finding = finding ?? "no end: \(state)"
        return
      }
      for number in devices.indices {
        clock += 1
        for _ in 0..<4 { try exchangeAll(number) }
      }
    }
    guard finding == nil else { return }
    checkServer()
    for number in devices.indices { check(number) }
    guard finding == nil else { return }
    try compare()
  }

  private var state: String {
    devices.map { device in
      let record = device.core.storage.record
      return "dirty \(device.core.storage.dirtyObjects.count) batch \(record.batch)"
        + " failed \(String(describing: device.session?.failure))"
    }.joined(separator: "; ")
  }

  private mutating func exchangeAll(_ number: Int) throws(SyncError) {
    if devices[number].session == nil { try exchange(number) }
    try pollClient(number)
    while !devices[number].toServer.isEmpty { try deliverToServer(number) }
    pollServer(number)
    while !devices[number].toClient.isEmpty { try deliverToClient(number) }
  }

  private func isQuiet() throws(SyncError) -> Bool {
    for device in devices {
      let record = device.core.storage.record
      guard let file = server.files[device.id], sessions[device.number]?.client != nil,
        !device.core.isDirty, record.cursor == server.head.version,
        file.cursor == record.cursor, record.completeQueryVersion == record.queryVersion,
        device.toServer.isEmpty, device.toClient.isEmpty
      else { return false }
    }
    return true
  }

  private mutating func compare() throws(SyncError) {
    let names = server.head.names
    var whole = Contents()
    let word = Describer(names: names)
    for id in try server.storage.objects(changedAfter: .zero) {
      guard let object = try server.storage.object(id) else { continue }
      if object.unknownPlaces > 0 { return finding = "a place was named that is not there" }
      if let complaint = model.complaint(about: object, id, names) { return finding = complaint }
      if object.generation.isAlive {
        whole.objects[word.object(id)] = word.contents(of: object, id)
      }
    }
    let refused = devices.reduce(into: Set<ObjectID>()) { $0.formUnion($1.refused.keys) }
    for id in givenBack.subtracting(refused) where model.generation(of: id) == .none {
      return finding = "\(word.object(id)) was not given back"
    }
    for id in model.livingObjects where whole.objects[word.object(id)] == nil {
      return finding = "\(word.object(id)) is missing"
    }
    for device in devices {
      try compare(device, names)
      if finding == nil { checkPromises(of: device) }
      if finding != nil { return }
    }
  }

  private mutating func compare(_ device: Device, _ names: Names) throws(SyncError) {
    let word = Describer(names: names)
    var expected = Contents()
    for id in try server.storage.objects(changedAfter: .zero) {
      guard let object = try server.storage.object(id), object.generation.isAlive else { continue }
      let isInView = device.core.storage.record.subscriptions.contains {
        $0.type == names[id.type] && server.storage.selects($0, id, object)
      }
      if isInView, server.storage.shows(id, object, to: device.user) {
        expected.objects[word.object(id)] = word.contents(of: object, id)
      }
    }
    let here = Describer(names: device.core.storage.record.names)
      .contents(of: device.core.storage)
    if let difference = here.difference(from: expected) {
      finding = "device \(device.number) differs from the server: \(difference)"
    }
  }

  /// What was committed on a device reached the server, or something later stands in its place.
  private mutating func checkPromises(of device: Device) {
    guard device.skew <= Int64(Limits.clockAheadMilliseconds) else { return }
    let promised = UploadBatch(number: 1, cursor: .zero, objects: device.promises.changes)
    let bytes = promised.encoded(names: device.core.storage.record.names)
    guard let batch = try? UploadBatch.decode(bytes, names: server.head.names).batch else {
      return finding = "promises could not be read"
    }
    let word = Describer(names: server.head.names)
    var containers: [ObjectID: Set<ContainerID>] = [:]
    for promise in batch.objects {
      guard let object = inItsGeneration(promise) else { continue }
      let known = containers[object.id] ?? model.containers(of: object.id, skipsRisen: true)
      containers[object.id] = known
      let refused = device.refused[object.id] ?? 0
      let elements = device.refusedElements[object.id] ?? []
      let gone = device.refusedContainers[object.id] ?? [:]
      for container in object.containers.map({ $0.without(gone) })
      where !isKept(container, of: object, after: refused, without: elements, in: known) {
        return finding = "a write of device \(device.number) to \(word.object(object.id)) is lost"
      }
    }
  }

  /// What was written to an object, in the generation that the server has it in: of one that the
  /// device has created itself that is known when it is merged.
  private func inItsGeneration(_ promise: ObjectChange) -> ObjectChange? {
    var object = promise
    if let creation = promise.life?.creation, remembersAll {
      guard let merged = mergedLives.generation(of: creation, of: promise.id) else { return nil }
      object.generation = merged
      return object
    }
    // A creation after a deletion may be in another generation; and in another history numbers of
    // generations mean something else.
    let isUncertain = promise.life != nil || epoch > 1
    return isUncertain && object.generation > Generation(1) ? nil : object
  }

  /// Whether the writes to a container that came after those that were refused have reached the
  /// server, or something later. What elements hold went with them, if they were refused.
  private func isKept(
    _ container: ContainerChange, of object: ObjectChange, after refused: UInt64,
    without elements: Set<ElementID>, in known: Set<ContainerID>
  ) -> Bool {
    let lost = container.registers.first { register in
      if register.stamp.stamp.time <= refused { return false }
      if refused > 0, !model.isInserted(register.slot, container.id, object) { return false }
      return !model.accountsFor(register, container.id, object, in: known)
    }
    if let lost {
      trace("lost: \(Describer(names: server.head.names).container(container.id)) \(lost)")
    }
    if lost != nil { return false }
    let lostPlace = container.placements.first { placement in
      let element = placement.name.element
      guard placement.authorship?.isNew == true, placement.name.stamp.time > refused else {
        return false
      }
      // It was moved after it was inserted by what was refused, and written to, perhaps.
      if elements.contains(element) { return false }
      return !model.accountsFor(element, container.id, object, in: known)
    }
    if let lostPlace {
      trace("lost: \(Describer(names: server.head.names).container(container.id)) \(lostPlace)")
    }
    return lostPlace == nil
  }
}

extension ContainerChange {
  /// Without what was written up to the times of the containers that it is in.
  fileprivate func without(_ gone: [ContainerID: UInt64]) -> ContainerChange {
    var time = gone[id] ?? 0
    var owner = id
    while owner.isDeclared {
      owner = owner.declarer
      time = max(time, gone[owner] ?? 0)
    }
    var rest = self
    rest.registers.removeAll { $0.stamp.stamp.time <= time }
    rest.placements.removeAll { $0.name.stamp.time <= time }
    return rest
  }
}
