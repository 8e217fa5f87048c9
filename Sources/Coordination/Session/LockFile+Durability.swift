import Synchronization

/// What the session knows of the disk. All three words are written by the holder of the writer role
/// and read by anybody; they say what has been flushed, and do not order anything themselves.
extension LockFile {
  /// The newest version that a durable slot names: recovery goes back to it at the worst.
  public var durableVersion: UInt64 {
    get { load(LockFileLayout.durableVersion) }
    set { store(newValue, LockFileLayout.durableVersion) }
  }

  /// The newest version whose nodes, and those of every version before it, are known to be on disk,
  /// whether or not a durable slot names it. At least `durableVersion`.
  public var flushedVersion: UInt64 {
    get { load(LockFileLayout.flushedVersion) }
    set { store(newValue, LockFileLayout.flushedVersion) }
  }

  /// Not 0 once a flush has failed in this session, in any process. What lies beyond
  /// `durableVersion` may then be missing from the disk although it can be read, and must be
  /// written again or given up before it counts as durable.
  public var flushFailure: UInt64 {
    get { load(LockFileLayout.flushFailure) }
    set { store(newValue, LockFileLayout.flushFailure) }
  }

  private func load(_ offset: Int) -> UInt64 {
    requireUsable()
    return memory.word(offset).pointee.load(ordering: .sequentiallyConsistent)
  }

  private func store(_ value: UInt64, _ offset: Int) {
    requireUsable()
    memory.word(offset).pointee.store(value, ordering: .sequentiallyConsistent)
  }
}
