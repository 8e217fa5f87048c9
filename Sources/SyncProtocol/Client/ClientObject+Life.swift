/// A creation of an object by the client.
struct OwnCreation: Sendable, Equatable {
  var stamp: Stamp
  /// What it was taken for.
  var generation: Generation
  /// When the client deleted it; 0: it has not.
  var deletionTime: UInt64 = 0
}

/// A deletion of an object by the client.
struct OwnDeletion: Sendable, Equatable {
  var deleted: DeletedGeneration
  /// When it did.
  var time: UInt64

  /// Whether the object was given back, and the client has not heard since what is there.
  var isOfWhateverIsThere: Bool { deleted.heard == ServerVersion(.max) }
}

extension ClientObject {
  /// It is created, at a time at which it is not there. The number of the generation is what the
  /// server makes it in if it knows no more than the client.
  mutating func noteCreation(at stamp: Stamp) {
    turn(at: stamp)
    creations.append(OwnCreation(stamp: stamp, generation: generation))
  }

  /// It goes to the next generation.
  private mutating func turn(at stamp: Stamp) {
    generation = generation.next
    isGenerationDirty = true
    generationTime = stamp.time
    tombstone = nil
    isLeaving = false
    noteDirty(at: stamp.time)
  }

  /// It is deleted. If the server has not answered its creation, the server may have it in another
  /// generation than the client thinks, or not at all: that one is told by its creation.
  ///
  /// - Parameters:
  ///   - newest: the newest batch. Numbers of batches are later than what is in them, so a later
  ///     creation was never sent.
  ///   - heard: up to where the client has heard of the server.
  mutating func noteDeletion(
    at stamp: Stamp, newestBatch newest: UInt64, heard: ServerVersion
  ) {
    // What was given back may be there in spite of an unanswered creation: by another client.
    let wasSent = creations.contains { $0.stamp.time <= newest }
    let mayBeThere = isGivenBack && deletion == nil && wasSent
    if !isGenerationDirty || mayBeThere {
      deletion = OwnDeletion(
        deleted: DeletedGeneration(generation, heard: heard), time: stamp.time)
    }
    creations.removeAll { $0.stamp.time > newest }
    if let last = creations.indices.last, creations[last].deletionTime == 0 {
      creations[last].deletionTime = stamp.time
    }
    turn(at: stamp)
  }

  /// Whether it was created, and it is not known whether the server has that.
  package var isUnanswered: Bool { generation.isAlive && !creations.isEmpty }

  /// Whether the server has heard nothing that the deletion could be of.
  var hasNothingToEnd: Bool { !generation.isAlive && deletion == nil && creations.isEmpty }

  /// What is to be sent of that, with the generation that it is taken for.
  var lifeChange: (life: LifeChange, generation: Generation)? {
    guard isGenerationDirty else { return nil }
    let new = generation.isAlive ? creations.last : nil
    let before = generation.isAlive ? creations.dropLast() : creations[...]
    let life = LifeChange(
      creation: new?.stamp, deleted: deletion?.deleted,
      deletedSince: before.first?.stamp.time ?? 0)
    return (life, new?.generation ?? generation)
  }

  /// Whether the client has deleted a generation of the server that the server does not know to be.
  func hasDeleted(_ generation: Generation) -> Bool {
    isGenerationDirty && deletion?.deleted.generation == generation
  }

  /// The server has a creation in a generation, and so all that came before it.
  mutating func learn(_ merged: MergedCreation) {
    guard let index = creations.firstIndex(where: { $0.stamp == merged.stamp }) else { return }
    let time = creations[index].deletionTime
    creations.removeSubrange(...index)
    guard creations.isEmpty, generation.isAlive else {
      // It was deleted since.
      let deleted = DeletedGeneration(merged.generation, heard: merged.version)
      return deletion = OwnDeletion(deleted: deleted, time: time)
    }
    generation = merged.generation
    endClaim()
  }

  /// The server has merged a batch with what it then was: if it were not in the generation that it
  /// was taken for, the server would say so.
  ///
  /// - Parameters:
  ///   - version: up to where the client had heard of everything before.
  ///   - heard: the version as of which it says so.
  mutating func acknowledgeLife(
    _ batch: ClientRecord.SentBatch, from version: ServerVersion, heard: ServerVersion
  ) {
    if let known = deletion, known.time <= batch.time { deletion = nil }
    if let index = creations.lastIndex(where: { $0.stamp.time <= batch.time }) {
      let last = creations[index]
      if last.deletionTime > 0, last.deletionTime <= batch.time {
        // The batch had that it is deleted.
        creations.removeSubrange(...index)
      } else {
        learn(MergedCreation(stamp: last.stamp, generation: last.generation, version: heard))
      }
    }
    // A creation is none any more.
    guard isGenerationDirty, generationTime <= batch.time else { return }
    endClaim()
    tombstone = version
  }

  /// The server has refused what was done up to a time.
  mutating func takeBackLife(upTo time: UInt64) {
    creations.removeAll { $0.stamp.time <= time }
    if let known = deletion, known.time <= time { deletion = nil }
    if isGenerationDirty && generationTime <= time { endClaim() }
  }

  /// The server has refused its creation. What was written since is to an object of the server's.
  mutating func follow(refusedCreation other: Generation) {
    if generation.isAlive, other.isAlive, !isGenerationDirty { generation = other }
  }

  /// Whether it can be one with the server's object, so that there is nothing left to create: if it
  /// was never sent, and nothing else is to be said of it.
  func canJoin(newestBatch newest: UInt64) -> Bool {
    creations.count == 1 && creations[0].stamp.time > newest
  }

  /// The object is the server's, which the client has whole.
  mutating func join(_ other: Generation) {
    generation = other
    endClaim()
  }

  /// Nothing is to be said of its creation or deletion any more.
  private mutating func endClaim() {
    isGenerationDirty = false
    deletion = nil
    creations = []
  }
}
