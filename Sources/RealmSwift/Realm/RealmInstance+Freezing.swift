import Storage

extension _RealmInstance {
  /// The immutable instance of the present version.
  func frozen() -> _RealmInstance {
    if isFrozen { return self }
    checkThread()
    ensureReading()
    if let frozenCopy, frozenCopy.version == version { return frozenCopy }
    let copy = engine { () throws(StorageError) in
      try _RealmInstance(
        shared: shared, opened: opened, scheduler: FrozenScheduler.shared,
        classes: classes, snapshot: try snapshot!.duplicate())
    }
    frozenCopy = copy
    return copy
  }

  /// The live instance of the same configuration, here.
  func thawed() -> _RealmInstance {
    if !isFrozen { return self }
    if let live = shared.currentInstance(readOnly: configuration.readOnly) { return live }
    do {
      return try RealmOpening.instance(configuration, Schedulers.current(queue: nil))
    } catch {
      throwRealmException("The frozen realm could not be thawed: \(error.localizedDescription)")
    }
  }

  /// The live counterpart, here, of something in this frozen instance; nil if it is gone. The live
  /// realm may be at an older version, in which the thing is yet to come: then it moves on.
  func thawed<Thing>(_ counterpart: (_RealmInstance) -> Thing?) -> Thing? {
    let live = thawed()
    if let thing = counterpart(live) { return thing }
    if live.isInWriteTransaction || live.version >= version { return nil }
    _ = engine { () throws(StorageError) in try live.refresh() }
    return counterpart(live)
  }
}
