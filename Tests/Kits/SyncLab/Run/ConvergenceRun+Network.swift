import SyncProtocol
import TestSupport

extension ConvergenceRun {
  /// A device and the server have a moment: one of the things happens that can be next.
  mutating func exchange(_ number: Int) throws(SyncError) {
    guard !devices[number].isAway else { return }
    guard devices[number].session != nil, sessions[number] != nil else { return connect(number) }
    for _ in 0..<(1 + random.below(8)) {
      switch random.below(4) {
      case 0: try deliverToServer(number)
      case 1: try deliverToClient(number)
      case 2: try pollClient(number)
      default: pollServer(number)
      }
    }
  }

  private mutating func connect(_ number: Int) {
    disconnect(number)
    let classes = LabClasses.classes(isNew: devices[number].isNew)
    let session = ClientSession(
      app: "lab", token: devices[number].user, classes: classes,
      goingOnWith: devices[number].interrupted)
    devices[number].session = session
    sessions[number] = ServerSession(app: "lab")
    if isVaried {
      sessions[number]?.cellsOfOneTransaction = 40
      sessions[number]?.cellsOfSlice = 10
    }
    obey(session.start(), number, isServer: false)
  }

  /// Puts frames on their way, if they are not lost; a lost frame is the end of a connection.
  private mutating func obey(_ actions: [SessionAction], _ number: Int, isServer: Bool) {
    for action in actions {
      switch action {
      case .close: return disconnect(number)
      case .verify(let token):
        let answers =
          sessions[number]?.authenticate(token, expiry: .max, now: clock) ?? []
        obey(answers, number, isServer: true)
      case .send(let frame):
        if hasLoss && chance(1) { return disconnect(number) }
        let copies = hasLoss && chance(1) ? 2 : 1
        for _ in 0..<copies {
          if isServer {
            devices[number].toClient.append(frame)
          } else {
            devices[number].toServer.append(frame)
          }
        }
      }
    }
  }

  /// Mostly the oldest frame.
  private mutating func take(_ frames: inout [[UInt8]]) -> [UInt8]? {
    guard !frames.isEmpty else { return nil }
    let isEarly = hasLoss && frames.count > 1 && chance(1)
    return frames.remove(at: isEarly ? 1 : 0)
  }

  mutating func deliverToServer(_ number: Int) throws(SyncError) {
    var frames = devices[number].toServer
    guard let bytes = take(&frames) else { return }
    devices[number].toServer = frames
    let client = devices[number].id
    let before = server.files[client]?.acknowledged ?? 0
    let received = bug?.received(bytes, names: server.head.names) ?? bytes
    guard let actions = sessions[number]?.receive(received, &server, now: clock) else { return }
    if (server.files[client]?.acknowledged ?? 0) > before { noteUpload(number) }
    obey(actions, number, isServer: true)
  }

  /// The model takes what the server has taken; but not before it is durable.
  private mutating func noteUpload(_ number: Int) {
    let client = devices[number].id
    guard let file = server.files[client], let bytes = batches[client]?[file.acknowledged],
      let received = try? UploadBatch.decode(bytes, names: server.head.names)
    else {
      finding = "a batch was merged that nobody made"
      return
    }
    let refused = Set(file.refusedObjects(in: file.acknowledged))
    let sent = devices[number].core.storage.record.sent.last { $0.number == file.acknowledged }
    refusals += refused.count
    for change in received.batch.objects where refused.contains(change.id) {
      // With what made the object all goes that was written to it until the client knows. What is
      // given back makes the object, too, where the server has none.
      let isGivenBack = change.isWhole && model.generation(of: change.id) == .none
      let time = change.life != nil || isGivenBack ? .max : sent?.time ?? .max
      devices[number].refused[change.id] = max(devices[number].refused[change.id] ?? 0, time)
      devices[number].refusedElements[change.id, default: []].formUnion(
        change.insertedElements(for: model))
      for container in change.madeContainers {
        devices[number].refusedContainers[change.id, default: [:]][container] = .max
      }
    }
    trace(upload: received.batch, number, refused: refused)
    for change in received.batch.objects where !refused.contains(change.id) {
      checkOrder(change, of: client)
    }
    if refused.isEmpty { noteWholePair(received.batch, by: number) }
    unflushed.append(
      Merge(
        author: client,
        objects: received.batch.objects.filter { !refused.contains($0.id) }.map {
          resolved($0, of: client)
        },
        version: server.head.version))
    checkServer()
    if !isVaried { _ = flush() }
  }

  /// A change in the generation that the server has merged it in: what it decides of creations and
  /// deletions is checked by `MergedLives`, not by the model.
  private func resolved(_ change: ObjectChange, of client: ClientID) -> ObjectChange {
    var change = change
    if let creation = change.life?.creation {
      let merged = server.files[client]?.merged(creation, of: change.id)
      change.generation = merged?.generation ?? .none
    } else if change.life != nil {
      change.generation = server.merged(change.id)?.generation ?? .none
    }
    return change
  }

  /// Makes durable what was merged, and tells the model; else it is as if it had never come.
  mutating func flush() -> Bool {
    do {
      try server.flush()
      for merge in unflushed {
        model.merge(merge.objects, as: merge.version)
        for change in merge.objects { checkLife(change, of: merge.author) }
      }
      unflushed = []
      return true
    } catch {
      unflushed = []
      try? server.reload()
      for device in devices.indices { disconnect(device) }
      return false
    }
  }

  mutating func deliverToClient(_ number: Int) throws(SyncError) {
    var frames = devices[number].toClient
    guard let bytes = take(&frames) else { return }
    devices[number].toClient = frames
    let before = devices[number].core.storage.record
    guard var session = devices[number].session else { return }
    trace(download: bytes, number)
    let received = bug?.sent(bytes, to: devices[number].core, names: server.head.names) ?? bytes
    let actions = session.receive(
      received, &devices[number].core, now: devices[number].now(clock))
    devices[number].session = session
    noteRefusals(session.applied?.refused ?? [], number)
    let after = devices[number].core.storage.record
    let hasMoved = after.cursor != before.cursor || after.epoch != before.epoch
    if hasMoved, !after.mustStartOver { check(number) }
    if let failure = session.failure {
      trace("device \(number): the session ends: \(failure.code) \(failure.message.string)")
    }
    checkSpans(number)
    checkFailure(of: session, number)
    obey(actions, number, isServer: false)
  }

  /// The device knows what was refused: what it writes from now on is not gone with that.
  private mutating func noteRefusals(_ refused: [RefusedChange], _ number: Int) {
    let record = devices[number].core.storage.record
    for change in refused {
      let name = record.names[change.object.type]
      guard let type = server.head.names.find(name) else { continue }
      let id = ObjectID(type: type, key: change.object.key)
      devices[number].refusedContainers[id] =
        devices[number].refusedContainers[id]?.mapValues { min($0, record.clock.latest) }
    }
  }

  mutating func pollClient(_ number: Int) throws(SyncError) {
    guard var session = devices[number].session else { return }
    do {
      let actions = try session.poll(&devices[number].core)
      devices[number].session = session
      noteBatch(number, actions)
      obey(actions, number, isServer: false)
    } catch {
      devices[number].core.storage.rollback()
      disconnect(number)
    }
  }

  /// Keeps the bytes of a batch, for the model.
  private mutating func noteBatch(_ number: Int, _ actions: [SessionAction]) {
    for case .send(let bytes) in actions {
      guard case .upload(let batch, let count, _, let part)? = try? Frame.decode(bytes) else {
        continue
      }
      if count == 0 { batches[devices[number].id, default: [:]][batch] = [] }
      batches[devices[number].id, default: [:]][batch, default: []] += part
    }
  }

  mutating func pollServer(_ number: Int) {
    guard flush() else { return }
    guard var session = sessions[number] else { return }
    let wasRebase = server.files[devices[number].id]?.needsRebase == true
    let actions = session.poll(&server, now: clock)
    if wasRebase && !actions.isEmpty { rebases += 1 }
    sessions[number] = session
    obey(actions, number, isServer: true)
  }
}

extension ObjectChange {
  fileprivate var madeContainers: [ContainerID] {
    containers.flatMap { $0.registers.filter { $0.value.container != nil }.map(\.made) }
  }

  /// The elements that a program has inserted by this, value and all, and those that are given back
  /// to a server that has none: their values may be such as the program's version begins with.
  fileprivate func insertedElements(for model: MergeModel) -> [ElementID] {
    containers.flatMap { container in
      let written = Set(container.registers.filter(\.stamp.isExplicit).map(\.slot))
      return container.placements.filter { placement in
        let slot = Slot.item(placement.name.element)
        if placement.authorship?.isNew == true, written.contains(slot) { return true }
        return placement.isFirst && !model.isInserted(slot, container.id, self)
      }.map(\.name.element)
    }
  }
}

extension Placement {
  /// Whether this is where the element was inserted, which its number says the time of.
  fileprivate var isFirst: Bool { name.stamp.time == name.element.number & (1 << 58 - 1) }
}
