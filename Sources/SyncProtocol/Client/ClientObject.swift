/// What a client keeps about a container beside its values.
public struct ClientContainer: Sendable, Equatable {
  /// What the container holds.
  public internal(set) var kind: ContainerKind
  /// Cells that were written and are not acknowledged.
  var dirty: [Slot: CellStamp] = [:]
  /// The containers that cells hold.
  var made: [Slot: ContainerID] = [:]
  var list: ClientList?

  init(kind: ContainerKind) {
    self.kind = kind
    if kind == .list { list = ClientList() }
  }

  var isDirty: Bool { !dirty.isEmpty || list?.isDirty == true }
}

/// What a client keeps about an object beside its values. An object that was never deleted and has
/// neither lists, containers nor dirty cells has nothing that needs to be stored.
public struct ClientObject: Sendable, Equatable {
  /// How often it was created and deleted.
  public internal(set) var generation: Generation
  /// Whether the client created or deleted it and that is not acknowledged.
  public internal(set) var isGenerationDirty = false
  /// When it did.
  var generationTime: UInt64 = 0
  /// Its creations of which it is not known whether the server has them, oldest first. The newest
  /// is that of the object, if it is alive; the others were deleted. None is one that was deleted
  /// and never sent.
  var creations: [OwnCreation] = []
  /// The newest generation that the client has deleted and the server had, until that is
  /// acknowledged, or the server says that the object is dead or in a later one.
  var deletion: OwnDeletion?
  /// Whether it is out of view and goes when nothing of it is dirty.
  public internal(set) var isLeaving = false
  /// When it was found to have what a server lacks that a backup was restored on; until that is
  /// acknowledged.
  var recoveredTime: UInt64?
  /// Whether the server may lack the whole object.
  var isGivenBack = false
  /// What the server says of earlier batches does not count: they were of another history, or did
  /// not have what was written.
  var firstBatch: UInt64 = 0
  /// Not later than the first write of it that is not acknowledged; nil if there is none.
  var dirtySince: UInt64?
  /// Since when it is known to be dead: it may be forgotten when the server forgets that.
  var tombstone: ServerVersion?
  var containers = ContainerTable<ClientContainer>()

  init(generation: Generation) { self.generation = generation }

  /// Whether something of it is not acknowledged.
  public var isDirty: Bool {
    isGenerationDirty || recoveredTime != nil || containers.values.contains { $0.isDirty }
  }

  /// Whether something is to be done about it: sent, or, where the program has taken back what was
  /// to be sent of an object out of view, the object to be taken out of the file.
  var isPending: Bool { isDirty || isLeaving }

  /// From when to when what is not acknowledged was written: not later than the first such write,
  /// and the newest one. From 0 to 0 of an object out of view of which nothing is.
  public var dirtySpan: ClosedRange<UInt64>? {
    guard isPending else { return nil }
    var until = isGenerationDirty ? generationTime : 0
    until = max(until, recoveredTime ?? 0)
    for container in containers.values {
      for stamp in container.dirty.values { until = max(until, stamp.stamp.time) }
      guard let list = container.list, list.isDirty else { continue }
      for pending in list.pending.values { until = max(until, pending.stamp.time, pending.time) }
      for stamp in list.removed.values { until = max(until, stamp.time) }
    }
    return min(dirtySince ?? 0, until)...until
  }

  /// Whether what is not acknowledged was written since the beginning of its span; for checks. What
  /// is given back has times of its own.
  package var isSpanSound: Bool {
    guard isDirty, recoveredTime == nil else { return true }
    guard let since = dirtySince else { return false }
    if isGenerationDirty, generationTime < since { return false }
    return containers.values.allSatisfy { container in
      container.dirty.values.allSatisfy { $0.stamp.time >= since }
        && container.list?.pending.values.allSatisfy { $0.time >= since } != false
        && container.list?.removed.values.allSatisfy { $0.time >= since } != false
    }
  }

  /// Something of it was written.
  mutating func noteDirty(at time: UInt64) { dirtySince = min(dirtySince ?? time, time) }

  /// What was written up to a time is acknowledged, or not there any more.
  mutating func noteClean(upTo time: UInt64) {
    guard isDirty else { return dirtySince = nil }
    if let since = dirtySince, since <= time { dirtySince = time + 1 }
  }

  /// Whether a batch may have had the object, so that it counts what became of that.
  func isConcerned(by batch: ClientRecord.SentBatch) -> Bool { batch.number >= firstBatch }

  /// Whether a batch had what was written of it until then. Only of the newest one that was
  /// acknowledged is it known that the server has it: those before may never have come.
  func isIn(_ batch: ClientRecord.SentBatch) -> Bool {
    isConcerned(by: batch) && (dirtySince ?? 0) <= batch.since
  }

  /// The containers of it that are there, and what they hold.
  public var containerKinds: [ContainerID: ContainerKind] { containers.mapValues(\.kind) }

  /// The elements of a list in their order, as the program sees them.
  public func elements(of id: ContainerID) -> [ElementID] {
    containers[id]?.list?.shown.map(\.element) ?? []
  }

  /// How many elements of a list the program sees.
  public func elementCount(of id: ContainerID) -> Int { containers[id]?.list?.count ?? 0 }

  /// The container that a cell holds, if it holds one.
  public func container(at slot: Slot, of id: ContainerID) -> ContainerID? {
    containers[id]?.made[slot]
  }

  /// The collection of a property: what it was replaced by, or the one that its class declares.
  public func collection(_ property: NameID, of id: ContainerID = .root) -> ContainerID {
    containers[id]?.made[.property(property)] ?? ContainerID(declaredBy: property, in: id)
  }

  /// Makes an object with nothing in it.
  mutating func clear(type: NameID) {
    containers = ContainerTable()
    if generation.isAlive { containers[.root] = ClientContainer(kind: .object(type)) }
  }

  /// Takes a container away with all that is in it, and says which are gone.
  mutating func forgetContainer(_ first: ContainerID) -> [ContainerID] {
    var open = [first]
    var gone: [ContainerID] = []
    while let id = open.popLast() {
      guard let container = containers.removeValue(forKey: id) else { continue }
      gone.append(id)
      open.append(contentsOf: container.made.values)
      guard case .object = container.kind else { continue }
      open += containers.declared(in: id)
    }
    return gone
  }

  /// Takes away what is in properties that the program had no place for until now.
  ///
  /// - Parameter properties: the new ones, by class.
  /// - Returns: the containers that are gone.
  public mutating func forget(newProperties properties: [NameID: Set<NameID>]) -> [ContainerID] {
    var gone: [ContainerID] = []
    for (id, container) in containers {
      guard case .object(let type) = container.kind, let new = properties[type] else { continue }
      for property in new {
        gone += forgetContainer(ContainerID(declaredBy: property, in: id))
        let made = containers[id]?.made.removeValue(forKey: .property(property))
        if let made { gone += forgetContainer(made) }
      }
    }
    return gone
  }
  /// Takes away what was written in properties that are gone, or are of another type now, and is
  /// not acknowledged: there is nothing left of it that could be sent.
  ///
  /// - Returns: whether there was something.
  public mutating func forgetWrites(in properties: [NameID: Set<NameID>]) -> Bool {
    var isChanged = false
    for (id, container) in containers {
      guard case .object(let type) = container.kind, let gone = properties[type] else { continue }
      for property in gone where container.dirty[.property(property)] != nil {
        containers[id]?.dirty[.property(property)] = nil
        isChanged = true
      }
    }
    if !isDirty { dirtySince = nil }
    return isChanged
  }
}
