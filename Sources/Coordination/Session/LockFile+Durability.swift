import Synchronization

/// What the session knows of the disk. All three words are written by the holder of the writer role
/// and read by any process; they record what has been flushed, and do not order anything
/// themselves.
extension LockFile {
  /// The newest version that a durable slot names: recovery goes back to it at the worst.
  public var durableVersion: Version {
    get { Version(load(LockFileLayout.durableVersion)) }
    set { store(newValue.rawValue, LockFileLayout.durableVersion) }
  }

  /// The newest version whose nodes, and those of every version before it, are known to be on disk,
  /// whether or not a durable slot names it. At least `durableVersion`, but for a session that a
  /// reader began (`isDurableVersionUncertain`).
  public var flushedVersion: Version {
    get { Version(load(LockFileLayout.flushedVersion)) }
    set { store(newValue.rawValue, LockFileLayout.flushedVersion) }
  }

  /// Whether the durable version has been found by a reader, who began the session, and nobody has
  /// made certain yet that it is on disk: until then a power loss may lead to an older one.
  public var isDurableVersionUncertain: Bool { flushedVersion < durableVersion }

  /// The newest version that is known to survive a power loss, as far as this process has looked;
  /// 0: none is. Never less than it was.
  public var certainVersion: Version {
    // Whoever confirms a version raises this first, so that the two may not fit for a moment, or
    // for as long as that process is stopped.
    let durable = durableVersion
    if flushedVersion >= durable { noteCertain(durable) }
    return Version(certain.load(ordering: .relaxed))
  }

  /// This process knows that a version survives a power loss.
  public func noteCertain(_ version: Version) {
    _ = certain.max(version.rawValue, ordering: .relaxed)
  }

  /// Raises `flushedVersion`. Unlike the rest this needs no writer role: a flush that has returned
  /// has flushed what had been written before it began, regardless of other processes.
  public func raiseFlushedVersion(to version: Version) {
    requireUsable()
    _ = memory[LockFileLayout.flushedVersion].max(
      version.rawValue, ordering: .sequentiallyConsistent)
  }

  /// Raises `durableVersion`. For the holder of the writer role.
  public func raiseDurableVersion(to version: Version) {
    requireUsable()
    _ = memory[LockFileLayout.durableVersion].max(
      version.rawValue, ordering: .sequentiallyConsistent)
  }

  /// The durable version had only been found, and is not on the disk; this older one is. For the
  /// holder of the writer role, before anything has been written that relies on the durable one.
  public func goBack(toDurable version: Version) {
    // In this order: what is flushed is never more than what is true.
    flushedVersion = version
    durableVersion = version
  }

  /// The version of a durable slot that has been written and not yet been flushed; 0: none. A power
  /// loss may lead to it or to `durableVersion`, so both count as pinned. For the holder of the
  /// writer role.
  public var pendingSlot: Version {
    get {
      // Who has confirmed it may have died before this word could say so.
      let version = Version(load(LockFileLayout.pendingSlot))
      return version > durableVersion ? version : .zero
    }
    set { store(newValue.rawValue, LockFileLayout.pendingSlot) }
  }

  /// Odd once a flush has failed in this session, in any process, until what lies beyond
  /// `durableVersion` has been written again: until then it may be missing from the disk although
  /// it can be read. Rises by one at each change.
  public var flushFailure: UInt64 { load(LockFileLayout.flushFailure) }

  /// A flush has failed.
  public func noteFlushFailure() {
    requireUsable()
    _ = memory[LockFileLayout.flushFailure].bitwiseOr(
      1, ordering: .sequentiallyConsistent)
    tellNextSession()
  }

  /// What a failed flush had left uncertain has been written again and flushed. For the holder of
  /// the writer role.
  public func noteFlushRepair() {
    store(load(LockFileLayout.flushFailure) + 1, LockFileLayout.flushFailure)
    tellNextSession()
  }

  /// The memory of a process that has the file exclusively ends with it.
  private func tellNextSession() {
    guard mode == .exclusive else { return }
    SessionJoiner(path: path, dataFile: dataFile, system: system)
      .noteFailedFlush(failures: flushFailure)
  }

  private func load(_ offset: Int) -> UInt64 {
    requireUsable()
    return memory[offset].load(ordering: .sequentiallyConsistent)
  }

  private func store(_ value: UInt64, _ offset: Int) {
    requireUsable()
    memory[offset].store(value, ordering: .sequentiallyConsistent)
  }
}
