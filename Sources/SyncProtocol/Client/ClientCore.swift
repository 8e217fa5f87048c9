/// The client's part of sync, without network, clock, disk and the program's tables: notes what is
/// written, makes batches, and applies what the server says.
///
/// The methods of the program are called within its transactions, whichever process it is in, and
/// so are durable with the data that they describe. `makeBatch` and `apply` are the agent's.
public struct ClientCore<Storage: ClientStorage> {
  /// Where data and state are kept.
  public var storage: Storage
  private var beginsCommit = false
  private var pastTime: UInt64?
  /// How large batches are: less in tests.
  package var wantedBatchBytes = Limits.wantedBatchBytes
  package var fullBatchBytes = Limits.fullBatchBytes
  package var changeBytes = Limits.changeBytes
  /// Objects of which more is not acknowledged than fits into a batch, as of the last one. They
  /// wait until less is, and nothing waits for them.
  public internal(set) var tooLarge: [ObjectID] = []

  /// Goes on from what storage has.
  public init(storage: Storage) { self.storage = storage }

  /// Whether something is not acknowledged.
  public var isDirty: Bool { !storage.dirtyObjects.isEmpty }

  /// To be called before what is written in one commit: so batches end where commits do.
  public mutating func beginCommit() { beginsCommit = true }

  /// To be called before writes are noted that were made before, one after the other from that time
  /// on, which is one of the client's clock; nil: what comes is written now.
  public mutating func note(from time: UInt64?) { pastTime = time }

  mutating func stamp(now: UInt64) -> Stamp {
    if let time = pastTime {
      pastTime = HybridClock.last(of: 2, from: time)
      return Stamp(time: time, client: storage.record.author(at: time))
    }
    let now = now - min(now, storage.record.millisecondsAhead)
    let time =
      beginsCommit
      ? storage.record.clock.nextCommit(milliseconds: now)
      : storage.record.clock.next(milliseconds: now)
    beginsCommit = false
    return Stamp(time: time, client: storage.record.author)
  }

  /// Whether the program can see an object.
  public func exists(_ id: ObjectID) -> Bool { storage.state(of: id)?.generation.isAlive == true }

  /// Creates an object that does not exist.
  public mutating func create(_ id: ObjectID, now: UInt64) {
    precondition(!exists(id), "the object exists")
    let state = created(storage.takeState(of: id), id, at: stamp(now: now))
    storage.putState(state, of: id)
  }

  private mutating func created(
    _ known: ClientObject?, _ id: ObjectID, at stamp: Stamp
  ) -> ClientObject {
    var state = known ?? ClientObject(generation: .none)
    state.noteCreation(at: stamp)
    state.clear(type: id.type)
    storage.change(.create, in: id)
    return state
  }

  /// Takes note of what was done before, at times of the client's clock: an object was made, if it
  /// does not exist, and properties were written, to values that make no containers.
  public mutating func note(
    _ id: ObjectID, createdAt: UInt64?, writes: [(name: NameID, time: UInt64)]
  ) {
    let known = storage.takeState(of: id)
    var state = known
    if let createdAt, known?.generation.isAlive != true {
      let stamp = Stamp(time: createdAt, client: storage.record.author(at: createdAt))
      state = created(known, id, at: stamp)
    }
    if state?.generation.isAlive == true {
      for (name, time) in writes {
        let stamp = CellStamp(Stamp(time: time, client: storage.record.author(at: time)))
        let slot = Slot.property(name)
        if let own = state?.containers[.root]?.dirty[slot], own > stamp { continue }
        state?.containers[.root]?.dirty[slot] = stamp
        state?.noteDirty(at: time)
      }
    }
    storage.putState(state, of: id)
  }

  /// Takes note of when an object was first written to of what has been noted. That may have been
  /// written over since; but a batch that ends before the later write, and after others of the
  /// commit that made the first one, would have a part of that commit.
  public mutating func note(_ id: ObjectID, writtenSince time: UInt64) {
    guard var state = storage.takeState(of: id) else { return }
    if state.isDirty { state.noteDirty(at: time) }
    storage.putState(state, of: id)
  }

  /// Deletes an object.
  public mutating func delete(_ id: ObjectID, now: UInt64) {
    guard var state = storage.takeState(of: id), state.generation.isAlive else {
      preconditionFailure("the object does not exist")
    }
    // What it gives back may be there again by now, and is then the same.
    let heard = state.isGivenBack ? ServerVersion(.max) : storage.record.heard
    state.noteDeletion(
      at: stamp(now: now), newestBatch: storage.record.batch, heard: heard)
    state.clear(type: id.type)
    storage.change(.delete, in: id)
    storage.putState(state.hasNothingToEnd ? nil : state, of: id)
  }

  /// Changes the state and the data of an object that exists.
  mutating func withState(
    of id: ObjectID, at stamp: Stamp, _ body: (inout ClientObject, inout Storage) -> Void
  ) {
    guard var state = storage.takeState(of: id), state.generation.isAlive else {
      preconditionFailure("the object does not exist")
    }
    state.noteDirty(at: stamp.time)
    body(&state, &storage)
    storage.putState(state, of: id)
  }
}

extension ClientCore {
  /// Writes a property, a key of a map or a member of a set. A value that makes a container makes
  /// a new and empty one, whatever was there.
  public mutating func set(
    _ slot: Slot, of container: ContainerID = .root, in id: ObjectID, to value: CellValue,
    isDefault: Bool = false, now: UInt64
  ) {
    let stamp = stamp(now: now)
    withState(of: id, at: stamp) { state, storage in
      state.prepare(container, for: slot)
      state.note(slot, of: container, ContainerID(madeBy: stamp), value, id, &storage)
      state.containers[container]?.dirty[slot] = CellStamp(stamp, isExplicit: !isDefault)
      if value == .absent {
        storage.change(.remove(container, slot), in: id)
      } else {
        storage.change(.set(container, slot, value), in: id)
      }
    }
  }

  /// The number of an element that was inserted at a time. It is that time, whatever else is noted
  /// before: a file which has gone back to an earlier state, or a copy of it, gives each element
  /// the same number again, and no other one that number. The top bits count how often the clock
  /// was put back, see `ElementID.afterClockPutBack`.
  func element(at time: UInt64, after newest: UInt64) -> UInt64 {
    newest & ~ElementID.timeMask | time & ElementID.timeMask
  }

  /// Inserts an element into a list.
  public mutating func insert(
    _ value: CellValue, at index: Int, of container: ContainerID, in id: ObjectID, now: UInt64
  ) {
    let stamp = stamp(now: now)
    let newest = storage.record.elements
    let element = ElementID(client: stamp.client, number: element(at: stamp.time, after: newest))
    storage.record.elements = max(newest, element.number)
    let cursor = storage.record.cursor
    withState(of: id, at: stamp) { state, storage in
      state.prepare(container, for: .item(element))
      state.containers[container]?.list?.put(element, at: index, stamp: stamp, cursor: cursor)
      state.note(.item(element), of: container, ContainerID(madeBy: stamp), value, id, &storage)
      state.containers[container]?.dirty[.item(element)] = CellStamp(stamp)
      storage.willWrite(element, of: container, in: id)
      storage.change(.insertItem(container, index, value), in: id)
    }
  }

  /// Writes an element of a list.
  public mutating func setItem(
    _ index: Int, of container: ContainerID, in id: ObjectID, to value: CellValue, now: UInt64
  ) {
    let stamp = stamp(now: now)
    withState(of: id, at: stamp) { state, storage in
      guard let element = state.containers[container]?.list?.element(at: index) else {
        preconditionFailure("the list has no such index")
      }
      state.note(.item(element), of: container, ContainerID(madeBy: stamp), value, id, &storage)
      state.containers[container]?.dirty[.item(element)] = CellStamp(stamp)
      storage.willWrite(element, of: container, in: id)
      storage.change(.setItem(container, index, value), in: id)
    }
  }

  /// Removes an element of a list.
  public mutating func removeItem(
    _ index: Int, of container: ContainerID, in id: ObjectID, now: UInt64
  ) {
    let stamp = stamp(now: now)
    let sent = storage.record.sent.last?.element ?? storage.record.elements
    let client = storage.record.client
    withState(of: id, at: stamp) { state, storage in
      guard let list = state.containers[container]?.list, let element = list.element(at: index)
      else { preconditionFailure("the list has no such index") }
      let isKnown =
        list.synced[element] != nil || !element.client.isOfSameFile(as: client)
        || element.number <= sent
      state.containers[container]?.list?.remove(element, stamp: stamp, isKnown: isKnown)
      state.containers[container]?.dirty[.item(element)] = nil
      state.forgetMade(at: .item(element), of: container, id, &storage)
      storage.change(.removeItem(container, index), in: id)
    }
  }

  /// Moves an element of a list to an index among the others.
  public mutating func moveItem(
    _ index: Int, to target: Int, of container: ContainerID, in id: ObjectID, now: UInt64
  ) {
    let stamp = stamp(now: now)
    let cursor = storage.record.cursor
    withState(of: id, at: stamp) { state, storage in
      guard let element = state.containers[container]?.list?.element(at: index) else {
        preconditionFailure("the list has no such index")
      }
      state.containers[container]?.list?.move(element, to: target, stamp: stamp, cursor: cursor)
      storage.change(.moveItem(container, from: index, to: target), in: id)
    }
  }

  /// Changes what the program wants to see. Query sets are numbered as batches are: a file that has
  /// gone back to an earlier state gives no number to two of them.
  public mutating func subscribe(to subscriptions: [Subscription]) {
    storage.record.subscriptions = subscriptions
    storage.record.queryVersion = number(after: storage.record.queryVersion)
  }

  /// The number of a new batch or query set: by a random step after the one before and the clock.
  mutating func number(after last: UInt64) -> UInt64 {
    max(last, storage.record.clock.latest) + storage.numberStep()
  }
}

extension ClientObject {
  /// Makes the collection that a property declares when it is written for the first time.
  mutating func prepare(_ container: ContainerID, for slot: Slot) {
    guard containers[container] == nil, container.isDeclared,
      let declarer = containers[container.declarer], case .object = declarer.kind,
      declarer.made[.property(container.property)] == nil
    else { return }
    switch slot {
    case .item: containers[container] = ClientContainer(kind: .list)
    case .key: containers[container] = ClientContainer(kind: .map)
    case .member: containers[container] = ClientContainer(kind: .set)
    case .property: break
    }
  }

  /// The containers that a cell is about to lose, and the one that it gets.
  mutating func note<Storage: ClientStorage>(
    _ slot: Slot, of container: ContainerID, _ new: ContainerID, _ value: CellValue,
    _ id: ObjectID, _ storage: inout Storage
  ) {
    forgetMade(at: slot, of: container, id, &storage)
    if case .property(let property) = slot {
      let declared = ContainerID(declaredBy: property, in: container)
      for gone in forgetContainer(declared) { storage.change(.drop(gone), in: id) }
    }
    guard let kind = value.container else { return }
    containers[new] = ClientContainer(kind: kind)
    containers[container]?.made[slot] = new
    storage.willMake(new, at: slot, of: container, in: id)
  }

  mutating func forgetMade<Storage: ClientStorage>(
    at slot: Slot, of container: ContainerID, _ id: ObjectID, _ storage: inout Storage
  ) {
    guard let made = containers[container]?.made.removeValue(forKey: slot) else { return }
    for gone in forgetContainer(made) { storage.change(.drop(gone), in: id) }
  }
}
