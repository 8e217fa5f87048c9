extension ClientCore {
  /// Applies a slice in one transaction: what the server says, the acknowledgement, and the cursor.
  ///
  /// The order matters. What the server says of a creation comes first, then what was refused goes;
  /// then what is acknowledged is clean; then the server's cells are compared with what still is
  /// dirty.
  public mutating func apply(
    _ slice: DownloadSlice, rebase: inout RebaseProgress
  ) throws(SyncError) {
    guard slice.from == (slice.isRebase ? .zero : storage.record.cursor) else {
      throw SyncError(.divergence, "The download does not start at the client's cursor.")
    }
    // With each slice: the program writes over what it sees between them.
    storage.record.clock.receive(slice.time)
    storage.record.heard = slice.to
    let answered = horizon(of: slice.acknowledged)
    var isSound = true
    var seen: Set<ObjectID> = []
    for news in slice.objects {
      seen.insert(news.change.id)
      if !apply(news, slice, answered, rebase) { isSound = false }
    }
    // An acknowledgement counts at once for what the slice mentions, which is as it is with the
    // batch merged; for the rest with the last slice, because it may still be mentioned.
    if slice.isLast, answered.number > 0 {
      let spans = storage.dirtySpans.filter { $0.since <= answered.since }
      for id in spans.compactMap({ storage.dirtyObject($0.handle) }) where !seen.contains(id) {
        var state = storage.takeState(of: id)
        if state?.isIn(answered) == true {
          state?.acknowledge(answered, from: slice.from, heard: slice.to)
          state?.settleLists(answered)
          state?.noteClean(upTo: answered.time)
        }
        leave(id, &state)
        storage.putState(state, of: id)
      }
    }
    guard isSound else {
      throw SyncError(.divergence, "A list of the server is not the client's.")
    }
    if slice.isRebase { rebase.mentioned.formUnion(seen) }
    storage.record.mustStartOver = !slice.isLast
    if slice.isLast { finish(slice, rebase) }
    try storage.commit()
  }

  private func horizon(of batch: UInt64) -> ClientRecord.SentBatch {
    storage.record.sent.last { $0.number <= batch }
      ?? .none
  }

  private mutating func finish(_ slice: DownloadSlice, _ rebase: RebaseProgress) {
    if slice.isRebase {
      for id in storage.objects where !rebase.mentioned.contains(id) { forget(id, slice, rebase) }
    }
    if slice.floor > storage.record.floor || slice.isRebase {
      for id in storage.tombstones { forgetTombstone(of: id, before: slice.floor) }
      storage.record.floor = slice.floor
    }
    storage.record.cursor = slice.to
    storage.record.receivedTime = max(storage.record.receivedTime, slice.time)
    storage.record.acknowledged = slice.acknowledged
    storage.record.reset = nil
    if slice.isRebase { storage.record.isSeed = false }
    storage.record.sent.removeAll { $0.number <= slice.acknowledged }
    if rebase.discarded != nil { storage.record.sent = [] }
    storage.record.completeQueryVersion = slice.queryVersion
  }

  /// An object out of view goes when nothing of it is dirty.
  mutating func leave(_ id: ObjectID, _ state: inout ClientObject?) {
    guard let current = state, current.isLeaving, !current.isDirty else { return }
    if current.generation.isAlive { storage.change(.delete, in: id) }
    state = nil
  }
}

extension ClientCore {
  /// Applies what the server says of one object; false if it cannot be about the client's one.
  private mutating func apply(
    _ news: ObjectNews, _ slice: DownloadSlice, _ answered: ClientRecord.SentBatch,
    _ rebase: RebaseProgress
  ) -> Bool {
    let id = news.change.id
    let generation = news.change.generation
    switch news.kind {
    case .dead where generation.isAlive: return false
    case .update where !generation.isAlive, .snapshot where !generation.isAlive: return false
    default: break
    }
    var state = storage.takeState(of: id)
    var refused = ClientRecord.SentBatch.none
    var counts = false
    defer {
      state?.noteClean(upTo: max(counts ? answered.time : 0, refused.time))
      storage.putState(state, of: id)
    }
    if let deletion = state?.deletion,
      deletion.isOfWhateverIsThere
        || rebase.isBeforeMention(deletion, of: id, began: storage.record.reset)
    {
      state?.retargetDeletion(to: generation, heard: slice.to)
    }
    // After that: this is what became of it in the history that the server has now.
    if let creation = news.creation { state?.learn(creation) }
    let isUnanswered = state?.isUnanswered == true
    if let refusal = news.refusal {
      // A batch that did not have the object, or was of another history, says nothing of it.
      let batch = horizon(of: refusal.batch)
      if state?.isConcerned(by: batch) != false { refused = batch }
      state?.takeBack(refused)
    }
    if let discarded = rebase.discarded {
      refused = discarded
      state?.takeBack(discarded)
      state?.adopt(generation)
    }
    if isUnanswered { state?.follow(refusedCreation: generation) }
    if rebase.isOtherHistory || state?.isGivenBack == true { state?.adopt(generation) }
    counts = state?.isIn(answered) != false
    if counts { state?.acknowledge(answered, from: slice.from, heard: slice.to) }
    let settled = counts && answered.number >= refused.number ? answered : refused
    switch news.kind {
    case .evicted:
      state?.settleLists(settled)
      if rebase.isOtherHistory, state?.isDirty == true { giveBack(id, &state!) }
      state?.isLeaving = true
      leave(id, &state)
      return true
    case .dead:
      die(id, &state, generation, slice, rebase)
      return true
    case .update, .snapshot:
      guard follow(news, &state, rebase) else {
        state?.settleLists(settled)
        if slice.isRebase { keepOwn(id, &state!, rebase) }
        return true
      }
      if rebase.givesBack(state!) { noteLacking(news.change, &state!) }
      state?.isLeaving = false
      return takeOver(
        news, &state!,
        ClientList.Answered(time: settled.time, element: settled.element))
    }
  }

  private mutating func die(
    _ id: ObjectID, _ state: inout ClientObject?, _ generation: Generation,
    _ slice: DownloadSlice, _ rebase: RebaseProgress
  ) {
    if let current = state {
      // What the client had deleted is dead, and its number may come again when that is forgotten.
      state!.deletion = nil
      // The server has not had it yet: it is another one than what has died.
      if current.isUnanswered {
        if slice.isRebase { keepOwn(id, &state!, rebase) }
        return
      }
      if current.isGenerationDirty && !current.creations.isEmpty { return }
      if current.generation.isAlive { storage.change(.delete, in: id) }
    }
    guard generation != .none else { return state = nil }
    var dead = ClientObject(generation: generation)
    dead.tombstone = slice.from
    state = dead
  }

  /// Brings the object into the generation of the server; false if the client has deleted that one,
  /// or may have, or has created one that is not answered yet: the answer brings the whole object.
  private mutating func follow(
    _ news: ObjectNews, _ state: inout ClientObject?, _ rebase: RebaseProgress
  ) -> Bool {
    let id = news.change.id
    let generation = news.change.generation
    if let current = state {
      if current.hasDeleted(generation) { return false }
      // The server is past that one.
      state!.deletion = nil
      if current.isUnanswered {
        // Nothing is on its way to a server with another history. An update is whole too: it is
        // of a generation that began after what the client had.
        guard rebase.isOtherHistory || current.canJoin(newestBatch: storage.record.batch)
        else { return false }
        state!.join(generation)
        return true
      }
      if !current.creations.isEmpty { return false }
      if current.generation == generation { return true }
      if current.generation.isAlive { storage.change(.delete, in: id) }
    }
    var fresh = ClientObject(generation: generation)
    fresh.clear(type: id.type)
    storage.change(.create, in: id)
    state = fresh
    return true
  }
}

extension ClientObject {
  /// Takes back what the server refused; newer writes stay, if there is something to write to.
  mutating func takeBack(_ refused: ClientRecord.SentBatch) {
    takeBackLife(upTo: refused.time)
    forgetRecovery(upTo: refused.time)
    for name in Array(containers.keys) where !containers[name]!.dirty.isEmpty {
      let dirty = containers[name]!.dirty
      containers[name]!.dirty = dirty.filter { $0.value.stamp.time > refused.time }
    }
  }

  /// What was given back up to a time is answered.
  fileprivate mutating func forgetRecovery(upTo time: UInt64) {
    guard let recovered = recoveredTime, recovered <= time else { return }
    recoveredTime = nil
    isGivenBack = false
  }

  /// The server has merged a batch: what it had is clean.
  mutating func acknowledge(
    _ batch: ClientRecord.SentBatch, from: ServerVersion, heard: ServerVersion
  ) {
    acknowledgeLife(batch, from: from, heard: heard)
    forgetRecovery(upTo: batch.time)
    for name in Array(containers.keys) where !containers[name]!.dirty.isEmpty {
      let dirty = containers[name]!.dirty
      containers[name]!.dirty = dirty.filter { $0.value.stamp.time > batch.time }
    }
  }

  /// The like for places, of what is acknowledged or taken back, where the server says nothing of
  /// them. Otherwise it is done together with taking its places over, so that what hangs on them
  /// stays where it is.
  mutating func settleLists(_ batch: ClientRecord.SentBatch) {
    for name in Array(containers.keys) where containers[name]!.list?.isDirty == true {
      containers[name]!.list!.settle(upTo: batch.time)
    }
  }
}
