import SyncProtocol

/// In which generation of its object each write was merged, creations among them. A write ends with
/// its generation: what is merged in a later one, though another device has deleted it, has come
/// back.
struct MergedLives {
  private struct Write: Hashable {
    var object: ObjectID
    var slot: Slot?
    var stamp: Stamp
  }

  private var generations: [Write: Generation] = [:]
  private var creations: [ObjectID: [Stamp]] = [:]

  /// The generation that a creation was merged in; nil if it never was.
  func generation(of creation: Stamp, of id: ObjectID) -> Generation? {
    generations[Write(object: id, slot: nil, stamp: creation)]
  }

  /// Takes note of a change that was merged, in the generation that it was merged in.
  ///
  /// - Parameters:
  ///   - author: whose it is.
  ///   - now: the generation of the object since.
  ///   - begun: the version in which that began.
  /// - Returns: what is wrong with that, if anything is.
  mutating func note(
    _ change: ObjectChange, of author: ClientID, now: Generation, begun: ServerVersion
  ) -> String? {
    var isBack = false
    if let creation = change.life?.creation {
      let write = Write(object: change.id, slot: nil, stamp: creation)
      let before = generations.updateValue(change.generation, forKey: write)
      if before == nil { creations[change.id, default: []].append(creation) }
      if let before, before != change.generation { isBack = true }
    }
    for container in change.containers
    where container.id == .root && change.generation == now {
      for register in container.registers where register.stamp.isExplicit {
        let write = Write(object: change.id, slot: register.slot, stamp: register.stamp.stamp)
        let before = generations.updateValue(change.generation, forKey: write)
        if let before, before < change.generation { isBack = true }
      }
    }
    if isBack { return "has come back" }
    return isAlive(afterItsDeletion: change, of: author, now, begun)
      ? "lives on, though its author has deleted it" : nil
  }

  private func isAlive(
    afterItsDeletion change: ObjectChange, of author: ClientID, _ now: Generation,
    _ begun: ServerVersion
  ) -> Bool {
    guard let life = change.life, now.isAlive, now == change.generation else { return false }
    if let deleted = life.deleted, deleted.generation == now, begun <= deleted.heard { return true }
    guard life.deletedSince > 0 else { return false }
    return creations[change.id]?.contains { creation in
      creation != life.creation && creation.time >= life.deletedSince
        && creation.client.isOfSameFile(as: author)
        && generation(of: creation, of: change.id) == now
    } == true
  }
}
