/// The bytes of an object's state in a client's file. A format of this version of the client, not
/// of the protocol.
extension ClientObject {
  /// The bytes of the state.
  public func row(names: Names) -> [UInt8] {
    var writer = ChangeWriter(names: names)
    for number in [generation.rawValue, generationTime, firstBatch] { writer.body.number(number) }
    for flag in [isGenerationDirty, isLeaving, tombstone != nil] { writer.body.flag(flag) }
    let hasLife = !creations.isEmpty || deletion != nil
    writer.body.byte(
      (recoveredTime != nil ? 1 : 0) | (dirtySince != nil ? 2 : 0) | (hasLife ? 4 : 0))
    if let dirtySince { writer.body.number(dirtySince) }
    if let tombstone { writer.body.number(tombstone.rawValue) }
    if let recoveredTime {
      writer.body.number(recoveredTime)
      writer.body.flag(isGivenBack)
    }
    if hasLife {
      writer.body.flag(deletion != nil)
      if let deletion {
        for number in [
          deletion.deleted.generation.rawValue, deletion.deleted.heard.rawValue, deletion.time,
        ] { writer.body.number(number) }
      }
      writer.body.count(creations.count)
      for creation in creations {
        writer.stamp(creation.stamp)
        writer.body.number(creation.generation.rawValue)
        writer.body.number(creation.deletionTime)
      }
    }
    writer.body.count(containers.count)
    for (id, container) in containers {
      writer.container(id)
      writer.kind(container.kind)
      writer.body.count(container.dirty.count)
      for (slot, stamp) in container.dirty {
        writer.slot(slot)
        writer.body.flag(stamp.isExplicit)
        writer.stamp(stamp.stamp)
      }
      writer.body.count(container.made.count)
      for (slot, made) in container.made {
        writer.slot(slot)
        writer.container(made)
      }
      if let list = container.list { writer.list(list) }
    }
    return writer.finish()
  }

  /// Whether a state has a tombstone. Its containers are not decoded for that.
  public static func hasTombstone(row: [UInt8]) throws(WireError) -> Bool {
    var names = Names()
    var reader = try ChangeReader(row, known: &names, adding: true)
    for _ in 0..<3 { _ = try reader.body.number() }
    for _ in 0..<2 { _ = try reader.body.flag() }
    return try reader.body.flag()
  }

  /// Reads a state.
  public init(row: [UInt8], names: Names) throws(WireError) {
    var names = names
    var reader = try ChangeReader(row, known: &names, adding: true)
    self.init(generation: try reader.generation())
    generationTime = try reader.body.number()
    firstBatch = try reader.body.number()
    isGenerationDirty = try reader.body.flag()
    isLeaving = try reader.body.flag()
    let isTombstone = try reader.body.flag()
    let flags = try reader.body.byte()
    guard flags < 8 else { throw .unknownKind(flags) }
    if flags & 2 != 0 { dirtySince = try reader.body.number() }
    if isTombstone { tombstone = ServerVersion(try reader.body.number()) }
    if flags & 1 != 0 {
      recoveredTime = try reader.body.number()
      isGivenBack = try reader.body.flag()
    }
    if flags & 4 != 0 {
      if try reader.body.flag() {
        let generation = try reader.generation()
        let heard = ServerVersion(try reader.body.number())
        deletion = OwnDeletion(
          deleted: DeletedGeneration(generation, heard: heard), time: try reader.body.number())
      }
      for _ in 0..<(try reader.body.count(of: 4)) {
        creations.append(
          OwnCreation(
            stamp: try reader.stamp(), generation: try reader.generation(),
            deletionTime: try reader.body.number()))
      }
    }
    for _ in 0..<(try reader.body.count(of: 3)) {
      let id = try reader.container()
      var container = ClientContainer(kind: try reader.kind())
      for _ in 0..<(try reader.body.count(of: 4)) {
        let slot = try reader.slot()
        let isExplicit = try reader.body.flag()
        container.dirty[slot] = CellStamp(try reader.stamp(), isExplicit: isExplicit)
      }
      for _ in 0..<(try reader.body.count(of: 2)) {
        let slot = try reader.slot()
        container.made[slot] = try reader.container()
      }
      if container.kind == .list { container.list = try reader.list() }
      containers[id] = container
    }
    try reader.body.finish()
  }
}

extension ChangeWriter {
  fileprivate mutating func gap(_ gap: ClientList.Gap) {
    place(gap.left)
    place(gap.right)
  }

  private mutating func elementStamps(_ stamps: [ElementID: Stamp]) {
    body.count(stamps.count)
    for (element, stamp) in stamps {
      self.element(element)
      self.stamp(stamp)
    }
  }

  fileprivate mutating func list(_ list: ClientList) {
    body.count(list.order.count)
    for name in list.order { place(name) }
    elementStamps(list.synced)
    body.count(list.pending.count)
    for (element, pending) in list.pending {
      self.element(element)
      stamp(pending.stamp)
      gap(ClientList.Gap(left: pending.left, right: pending.right))
      body.number(pending.cursor.rawValue)
      body.flag(pending.recoveredTime != nil)
      if let time = pending.recoveredTime { body.number(time) }
      body.flag(pending.isGivenBack)
    }
    elementStamps(list.removed)
    body.count(list.gone.count)
    for (name, gap) in list.gone {
      place(name)
      self.gap(gap)
    }
    body.count(list.recent.count)
    for name in list.recent { place(name) }
  }
}

extension ChangeReader {
  private mutating func named() throws(WireError) -> PlaceName {
    guard let name = try place() else { throw .numberOutOfRange }
    return name
  }

  private mutating func gap() throws(WireError) -> ClientList.Gap {
    ClientList.Gap(left: try place(), right: try place())
  }

  private mutating func elementStamps() throws(WireError) -> [ElementID: Stamp] {
    var stamps: [ElementID: Stamp] = [:]
    for _ in 0..<(try body.count(of: 4)) {
      let element = try element()
      stamps[element] = try stamp()
    }
    return stamps
  }

  fileprivate mutating func list() throws(WireError) -> ClientList {
    var list = ClientList()
    for _ in 0..<(try body.count(of: 5)) { list.order.append(try named()) }
    list.synced = try elementStamps()
    for _ in 0..<(try body.count(of: 5)) {
      let element = try element()
      let stamp = try stamp()
      let gap = try gap()
      var pending = ClientList.Pending(
        stamp: stamp, left: gap.left, right: gap.right, cursor: ServerVersion(try body.number()))
      if try body.flag() { pending.recoveredTime = try body.number() }
      pending.isGivenBack = try body.flag()
      list.pending[element] = pending
    }
    list.removed = try elementStamps()
    for _ in 0..<(try body.count(of: 5)) {
      let name = try named()
      list.gone[name] = try gap()
    }
    for _ in 0..<(try body.count(of: 5)) { list.recent.insert(try named()) }
    list.recount()
    return list
  }
}
