/// What a client has of a rebase under way.
public struct RebaseProgress: Sendable {
  /// The objects that were mentioned.
  var mentioned: Set<ObjectID> = []
  /// Whether the server has another history than the one that the client knows: a backup was
  /// restored, and what the client has may never have been, for the server.
  let isOtherHistory: Bool
  /// Whether that is given back only what the program has written to: the rest was another file's.
  let isSeed: Bool
  /// What the client had written when it began and the server has not acknowledged, if that is to
  /// go: as if it had been refused.
  var discarded: ClientRecord.SentBatch?

  /// Whether it was begun on an earlier connection, and it is not known what was mentioned then.
  var isResumed = false

  /// Nothing was mentioned yet.
  public init(isOtherHistory: Bool = false, isSeed: Bool = false) {
    self.isOtherHistory = isOtherHistory
    self.isSeed = isSeed
  }

  /// Whether the client has deleted an object before the rebase has told it of that: then it means
  /// the one of the history before.
  ///
  /// - Parameter began: where the client was when the rebase began.
  func isBeforeMention(
    _ deletion: OwnDeletion, of id: ObjectID, began: ClientRecord.SentBatch?
  ) -> Bool {
    guard isOtherHistory || discarded != nil, !mentioned.contains(id) else { return false }
    return !isResumed || deletion.time <= began?.time ?? 0
  }

  /// Whether the server is given back what it lacks of an object.
  func givesBack(_ state: ClientObject) -> Bool {
    isOtherHistory && (!isSeed || state.isDirty)
  }
}

extension ClientCore {
  /// After a rebase: what was not mentioned goes, but for what is not acknowledged of it. If the
  /// server has another history, it may lack the object, and gets it back.
  mutating func forget(_ id: ObjectID, _ last: DownloadSlice, _ rebase: RebaseProgress) {
    guard var state = storage.takeState(of: id) else { return }
    // Versions of the history before say nothing of this one. Where what is unsynced is discarded
    // it is not known whether there is another one.
    if rebase.isOtherHistory {
      state.deletion?.deleted.heard = last.to
    } else if let deletion = state.deletion, !deletion.isOfWhateverIsThere {
      state.deletion!.deleted.heard = min(deletion.deleted.heard, last.to)
    }
    if let discarded = rebase.discarded {
      state.takeBack(discarded)
      state.settleLists(discarded)
      state.noteClean(upTo: discarded.time)
    }
    if state.generation.isAlive && rebase.givesBack(state) {
      giveBack(id, &state)
      storage.putState(state, of: id)
    } else if state.isDirty {
      if state.generation.isAlive && !state.isGenerationDirty { state.isLeaving = true }
      if state.generation.isAlive && state.isGenerationDirty { keepOwn(id, &state, rebase) }
      storage.putState(state, of: id)
    } else {
      if state.generation.isAlive { storage.change(.delete, in: id) }
      storage.putState(nil, of: id)
    }
  }

  /// Only what the client has written itself is part of what it creates; for a server with another
  /// history all that it has.
  mutating func keepOwn(_ id: ObjectID, _ state: inout ClientObject, _ rebase: RebaseProgress) {
    if rebase.isOtherHistory { return giveBack(id, &state) }
    takeOverNothing(id, &state)
  }

  private mutating func takeOverNothing(_ id: ObjectID, _ state: inout ClientObject) {
    let nothing = ObjectChange(id: id, generation: state.generation)
    _ = takeOver(
      ObjectNews(kind: .snapshot, change: nothing), &state, ClientList.Answered())
  }

  /// The server forgets deletions up to a version, and so does the client.
  mutating func forgetTombstone(of id: ObjectID, before floor: ServerVersion) {
    // Nothing else is known of an object that has one.
    guard let tombstone = storage.state(of: id)?.tombstone, tombstone < floor || tombstone == .zero
    else { return }
    _ = storage.takeState(of: id)
    storage.putState(nil, of: id)
  }
}

extension ClientCore {
  /// The server lacks an object, or the client does not know what it has of it: all cells are
  /// written as if for the first time, in the order of lists.
  mutating func giveBack(_ id: ObjectID, _ state: inout ClientObject) {
    guard state.generation.isAlive else { return }
    let nothing = ObjectChange(id: id, generation: state.generation)
    noteLacking(nothing, &state)
    state.isGivenBack = true
    takeOverNothing(id, &state)
  }

  /// Writes what a server with another history lacks, as its snapshot shows.
  ///
  /// What stands there stays. What is not there is given back as defaults, of the time that the
  /// client knew the other history to have come to: so it loses to whatever was written since, and
  /// of two clients the one that knew more wins. Containers keep the names that they had, so that
  /// clients which write into them write into the same ones.
  mutating func noteLacking(_ snapshot: ObjectChange, _ state: inout ClientObject) {
    let id = snapshot.id
    var changes: [ContainerID: ContainerChange] = [:]
    for container in snapshot.containers { changes[container.id] = container }
    let time = storage.record.clock.next(milliseconds: 0)
    let stamp = CellStamp(
      Stamp(time: storage.record.receivedTime, client: storage.record.author), isExplicit: false)
    var isLacking = changes.isEmpty
    var there: Set<ContainerID> = [.root]
    for name in state.containers.keys.sorted() {
      let change = changes[name] ?? ContainerChange(id: name)
      if name.isDeclared, there.contains(name.declarer) {
        let slot = Slot.property(name.property)
        let written = changes[name.declarer]?.registers.contains { $0.slot == slot }
        let isReplaced = state.containers[name.declarer]?.made[slot] != nil || written == true
        if !isReplaced { there.insert(name) }
      }
      guard there.contains(name), var container = state.containers[name] else { continue }
      var slots: [Slot] = []
      if container.list != nil {
        let elements = Set(change.placements.map(\.name.element))
        let lacking = container.list!.giveBack(to: elements, at: time)
        if !lacking.isEmpty { isLacking = true }
        // The value of an own element may be acknowledged, and a later place not.
        slots = container.list!.pending.keys
          .filter { lacking.contains($0) || !elements.contains($0) }.map(Slot.item)
      } else {
        slots = storage.slots(of: name, in: id)
      }
      var known: [Slot: ContainerID] = [:]
      for register in change.registers { known[register.slot] = register.made }
      for slot in slots where known[slot] == nil && container.dirty[slot] == nil {
        container.dirty[slot] = container.made[slot].map { CellStamp($0.maker) } ?? stamp
        isLacking = true
      }
      for (slot, made) in container.made {
        if container.dirty[slot] == nil, known[slot] != made {
          guard state.isDirty(within: made) else { continue }
          container.dirty[slot] = CellStamp(made.maker)
          isLacking = true
        }
        there.insert(made)
      }
      state.containers[name] = container
    }
    guard isLacking else { return }
    state.recoveredTime = time
    state.noteDirty(at: time)
    state.firstBatch = storage.record.batch + 1
  }
}

extension ClientObject {
  /// What the client has deleted in another history, or after it gave it back, is the object that
  /// is there.
  ///
  /// - Parameter heard: the version as of which the object is there.
  mutating func retargetDeletion(to other: Generation, heard: ServerVersion) {
    if other.isAlive { deletion?.deleted = DeletedGeneration(other, heard: heard) }
  }

  /// In another history numbers of generations say nothing of an object that is there.
  mutating func adopt(_ other: Generation) {
    guard generation.isAlive, other.isAlive, !isGenerationDirty, other < generation else { return }
    generation = other
  }

  /// Whether something in a container, or in one in it, is not acknowledged.
  func isDirty(within first: ContainerID) -> Bool {
    var open = [first]
    var seen: Set<ContainerID> = []
    while let id = open.popLast() {
      guard seen.insert(id).inserted, let container = containers[id] else { continue }
      if container.isDirty { return true }
      open.append(contentsOf: container.made.values)
      guard case .object = container.kind else { continue }
      open += containers.declared(in: id)
    }
    return false
  }
}
