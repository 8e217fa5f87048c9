/// What became of a batch.
public enum UploadOutcome: Hashable, Sendable {
  /// It is merged, and durable after the next flush.
  case merged
  /// It was merged before.
  case duplicate
  /// The client has to apply what it is sent first, and upload again.
  case mustRebase
}

extension ServerCore {
  /// Merges a batch as one version, or not at all. Objects whose changes the client may not make
  /// are left out and named in the next download.
  public mutating func upload(
    _ received: ReceivedBatch, from id: ClientID, now: UInt64
  ) throws(SyncError) -> UploadOutcome {
    let batch = received.batch
    guard var file = files[id] else {
      throw SyncError(.unexpectedFrame, "There is no such client file.")
    }
    if batch.number <= file.acknowledged { return .duplicate }
    if file.needsRebase || batch.cursor < head.floor { return .mustRebase }
    guard batch.cursor >= file.cursor else {
      // What the client may repeat of before that is forgotten.
      throw SyncError(
        .unexpectedFrame, "The batch was made before what the client has confirmed.")
    }
    guard batch.objects.count <= unansweredObjects else {
      throw SyncError(.beyondLimit, "A batch has too many objects.")
    }
    let unanswered = file.refusals.count + file.claims.count + batch.objects.count
    // Without those of this batch, which may be the last one once more. A client that comes anew
    // takes it all before it is heard.
    guard max(unanswered, file.creationCount) <= unansweredObjects else {
      throw SyncError(.divergence, "Too many objects whose state the client has not taken.")
    }
    latestNow = max(latestNow, now)
    let latest = try latestTime(of: batch)
    try readObjects(of: batch)
    // What the client holds may be much, and is changed in place: nobody else has it meanwhile.
    files[id] = nil
    defer { files[id] = file }
    let version = head.version.next
    for (index, sent) in batch.objects.enumerated() {
      var object = objects[sent.id]
      let change = sent.resolved(on: object, by: file)
      if let reason = problem(
        of: change, in: object, isUnknown: received.unknown.contains(index), user: file.user)
      {
        file.refusals[change.id] = ClientFile.PendingRefusal(
          version: version, refusal: ObjectNews.Refusal(batch: batch.number, reason: reason))
        continue
      }
      let known = object?.generation ?? .none
      objects[change.id] = nil
      guard merge(change, into: &object, from: id, as: version) else {
        objects[change.id] = object
        file.refusals[change.id] = ClientFile.PendingRefusal(
          version: version, refusal: ObjectNews.Refusal(batch: batch.number, reason: .tooLarge))
        continue
      }
      noteWriter(id, of: change.id)
      note(change, sentAs: sent, on: known, in: &file, version)
    }
    file.acknowledged = batch.number
    noteFile(id)
    head.version = version
    head.time = max(head.time, latest)
    noteHead()
    return .merged
  }

  /// Takes into memory what a batch changes: once something of it is merged nothing may fail.
  private mutating func readObjects(of batch: UploadBatch) throws(SyncError) {
    for change in batch.objects where objects[change.id] == nil {
      objects[change.id] = try object(change.id)
    }
  }

  /// Whether the client has the object whole now, or has to be sent it.
  ///
  /// It has what it makes, and what it was sent and changes. If it creates what is there, or is in
  /// another generation than it thinks, it does not have it, whatever it was sent: it has ignored
  /// that. What it gives back may have been removed since. And while it does not know that an
  /// earlier batch was refused, it will take back what was in that one, though it may be in this
  /// one as well.
  private func note(
    _ change: ObjectChange, sentAs sent: ObjectChange, on known: Generation,
    in file: inout ClientFile, _ version: ServerVersion
  ) {
    let id = change.id
    let isOffered = file.offer?.removed.contains(id) == true
    if let creation = sent.life?.creation {
      let merged = MergedCreation(
        stamp: creation, generation: change.generation, version: version)
      file.note(merged, of: id, version)
    }
    let isAsSent = change.generation == sent.generation
    let isMaking = change.life != nil && change.generation > known
    if change.isRecovered || file.refusals[id] != nil {
      file.claims[id] = version
    } else if isMaking && isAsSent {
      file.holds.insert(id)
      if isOffered { file.claims[id] = version }
    } else if isOffered || !isAsSent || change.generation < known || !file.holds.contains(id)
      || change.life != nil
    {
      file.claims[id] = version
    }
  }

  /// The object is not in the table meanwhile, so that it is changed in place; unless it may become
  /// too large: then it is changed in a copy, which counts if it is not.
  ///
  /// - Returns: false if it would be too large; then `object` is as it was.
  private mutating func merge(
    _ change: ObjectChange, into object: inout ServerObject?, from id: ClientID,
    as version: ServerVersion
  ) -> Bool {
    var merged = object ?? ServerObject()
    let bound = merged.byteBound + change.byteEstimate
    if bound > objectBytes {
      guard let new = merged.merged(change, from: id, as: version, upTo: objectBytes) else {
        return false
      }
      merged = new
    } else {
      object = nil
      merged.merge(change, from: id, as: version)
      merged.byteBound = bound
    }
    // A change of what never was leaves nothing behind.
    guard merged.generation != .none else { return true }
    objects[change.id] = merged
    noteObject(change.id)
    return true
  }

  private func problem(
    of change: ObjectChange, in object: ServerObject?, isUnknown: Bool, user: Text
  ) -> RefusalReason? {
    if isUnknown { return .notInSchema }
    // A number near the largest would leave none for whoever creates the object again.
    let known = object?.generation.rawValue ?? 0
    if change.generation.rawValue > known + Limits.generationsAtOnce { return .notAllowed }
    if let problem = head.schema.problem(
      of: change, in: object, names: head.names, isSimplest: storage.isSimplest)
    {
      return problem
    }
    return storage.allows(change, by: user, to: object) ? nil : .notAllowed
  }

  /// The latest time in a batch, none of which may be far ahead of the clock. The name of a
  /// container is one of them: who gives it back after a backup was restored writes with that time.
  private func latestTime(of batch: UploadBatch) throws(SyncError) -> UInt64 {
    let limit = HybridClock.time(milliseconds: latestNow + Limits.clockAheadMilliseconds)
    var latest: UInt64 = 0
    for object in batch.objects {
      latest = max(latest, object.life?.creation?.time ?? 0)
      for container in object.containers {
        for register in container.registers {
          latest = max(latest, register.stamp.stamp.time, register.maker?.time ?? 0)
        }
        for placement in container.placements { latest = max(latest, placement.name.stamp.time) }
      }
    }
    if latest > limit {
      throw SyncError(.clockAhead, "The client's clock is more than a minute ahead.")
    }
    return latest
  }
}

extension ObjectChange {
  /// The change in the generation that it is in, whatever its author has taken it for. A creation
  /// that has come before is in the generation that it was in then, and no creation any more;
  /// another one joins what there is, or follows what there was. What the author has deleted ends:
  /// what it knew the number of, and what it has created itself.
  fileprivate func resolved(on object: ServerObject?, by file: ClientFile) -> ObjectChange {
    guard let life else { return self }
    var change = self
    if let creation = life.creation, let merged = file.merged(creation, of: id) {
      change.generation = merged.generation
      change.life = nil
      return change
    }
    var now = object?.generation ?? .none
    if let deleted = life.deleted, now <= deleted.generation,
      !now.isAlive || object?.generationVersion ?? .zero <= deleted.heard
    {
      now = deleted.generation.next
    } else if now.isAlive, life.deletedSince > 0,
      file.hasCreated(id, in: now, since: life.deletedSince)
    {
      now = now.next
    }
    change.generation = life.creation == nil ? now : now.alive
    return change
  }
}
