extension ClientCore {
  /// Compares the machine's clock with the server's. If it is too far ahead, so is what was written
  /// and not acknowledged: the server would not take it, and if it did, such writes would win
  /// against all others for as long. It gets new times, in the same order; nobody else has seen
  /// the old ones.
  mutating func correctClock(now: UInt64, server: UInt64) throws(SyncError) {
    let limit = server + Limits.clockAheadMilliseconds
    storage.record.millisecondsAhead = now > limit ? now - server : 0
    let latest = HybridClock.time(milliseconds: limit)
    if storage.record.clock.latest > latest {
      let dirty = storage.dirtyObjects
      var times: Set<UInt64> = []
      var base = max(HybridClock.time(milliseconds: server), storage.record.receivedTime)
      // Later than every batch that may still be acknowledged, or it would count as part of it.
      for sent in storage.record.sent where sent.time <= latest { base = max(base, sent.time) }
      for id in dirty {
        for time in storage.state(of: id)?.ownTimes(of: storage.record.client) ?? [] {
          if time > latest { times.insert(time) } else { base = max(base, time) }
        }
      }
      var clock = HybridClock(latest: base)
      var renamed: [UInt64: UInt64] = [:]
      for time in times.sorted() {
        renamed[time] =
          HybridClock.beginsCommit(time)
          ? clock.nextCommit(milliseconds: server) : clock.next(milliseconds: server)
      }
      for id in dirty { rename(id, renamed) }
      storage.record.clock = clock
      if storage.record.elements & ElementID.timeMask > clock.latest {
        storage.record.elements = ElementID.afterClockPutBack(storage.record.elements)
      }
      storage.record.sent.removeAll { $0.time > latest }
    }
    try storage.commit()
  }

  private mutating func rename(_ id: ObjectID, _ times: [UInt64: UInt64]) {
    guard var state = storage.takeState(of: id) else { return }
    for (old, new) in state.rename(times, of: storage.record.client, by: storage.record.author) {
      storage.change(.rename(old, new), in: id)
    }
    storage.putState(state, of: id)
  }
}

extension ClientObject {
  /// The times of the client's writes that are not acknowledged.
  func ownTimes(of client: ClientID) -> [UInt64] {
    func isOwn(_ stamp: Stamp) -> Bool { stamp.client.isOfSameFile(as: client) }
    var times: [UInt64] = isGenerationDirty ? [generationTime] : []
    if let recoveredTime { times.append(recoveredTime) }
    times += creations.map(\.stamp).filter(isOwn).map(\.time)
    times += creations.map(\.deletionTime).filter { $0 > 0 }
    if let deletion { times.append(deletion.time) }
    for (name, container) in containers {
      if name.maker.client.isOfSameFile(as: client) { times.append(name.maker.time) }
      times += container.dirty.values.map(\.stamp).filter(isOwn).map(\.time)
      guard let list = container.list else { continue }
      times += list.pending.values.map(\.stamp).filter(isOwn).map(\.time)
      times += list.pending.values.compactMap(\.recoveredTime)
      times += list.removed.values.map(\.time)
    }
    return times
  }

  /// Gives writes of the client other times, and the writer of now; says which containers have
  /// other names so.
  mutating func rename(
    _ times: [UInt64: UInt64], of client: ClientID, by writer: ClientID
  ) -> [(ContainerID, ContainerID)] {
    func stamp(_ old: Stamp) -> Stamp {
      guard old.client.isOfSameFile(as: client), let time = times[old.time] else { return old }
      return Stamp(time: time, client: writer)
    }
    func container(_ old: ContainerID) -> ContainerID {
      let owner = ContainerID(madeBy: stamp(old.maker))
      return old.isDeclared ? ContainerID(declaredBy: old.property, in: owner) : owner
    }
    var renamed: [(ContainerID, ContainerID)] = []
    var after = ContainerTable<ClientContainer>()
    for (name, old) in containers {
      var new = old
      new.made = old.made.mapValues(container)
      new.dirty = old.dirty.mapValues { CellStamp(stamp($0.stamp), isExplicit: $0.isExplicit) }
      new.list?.rename(stamp) { times[$0] ?? $0 }
      let newName = container(name)
      if newName != name { renamed.append((name, newName)) }
      after[newName] = new
    }
    containers = after
    generationTime = times[generationTime] ?? generationTime
    if let old = deletion?.time { deletion?.time = times[old] ?? old }
    creations = creations.map {
      OwnCreation(
        stamp: stamp($0.stamp), generation: $0.generation,
        deletionTime: times[$0.deletionTime] ?? $0.deletionTime)
    }
    recoveredTime = recoveredTime.map { times[$0] ?? $0 }
    // An earlier write at that time may have been written over since.
    dirtySince = dirtySince.map { since in
      times[since] ?? min(since, times.filter { $0.key > since }.values.min() ?? since)
    }
    return renamed
  }
}

extension ClientList {
  /// Gives stamps other values, in the same order.
  mutating func rename(_ stamp: (Stamp) -> Stamp, _ time: (UInt64) -> UInt64) {
    func place(_ old: PlaceName) -> PlaceName {
      PlaceName(element: old.element, stamp: stamp(old.stamp))
    }
    func gap(_ old: Gap) -> Gap { Gap(left: old.left.map(place), right: old.right.map(place)) }
    order = order.map(place)
    synced = synced.mapValues(stamp)
    pending = pending.mapValues {
      Pending(
        stamp: stamp($0.stamp), left: $0.left.map(place), right: $0.right.map(place),
        cursor: $0.cursor, recoveredTime: $0.recoveredTime.map(time),
        isGivenBack: $0.isGivenBack)
    }
    removed = removed.mapValues(stamp)
    gone = Dictionary(uniqueKeysWithValues: gone.map { (place($0.key), gap($0.value)) })
    recent = Set(recent.map(place))
  }
}
