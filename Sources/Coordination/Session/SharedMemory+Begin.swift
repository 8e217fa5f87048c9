import Platform

extension SharedMemory {
  /// Puts the memory into the state of a new session. For a process that has the file exclusively.
  ///
  /// - Parameter hasFailedFlush: whether a flush has failed before, and what it should have covered
  ///   has not been written again since.
  func begin(_ recovered: LockFile.Recovered, pins: Int, hasFailedFlush: Bool) {
    // Never cleared: whoever comes after a process that is killed in here must find the word, which
    // is believed of a lock-file that has no header.
    self[LockFileLayout.flushFailure].store(
      hasFailedFlush ? 1 : 0, ordering: .sequentiallyConsistent)
    // The magic is the first of the others to go and comes back with the header, last.
    self[LockFileLayout.magic].store(0, ordering: .sequentiallyConsistent)
    clear(from: 0, to: LockFileLayout.flushFailure)
    clear(from: LockFileLayout.flushFailure + 8, to: LockFileLayout.participants)
    if file != nil {
      clear(from: LockFileLayout.pins, to: pinOffset(LockFileLayout.pinsInitially))
    }
    self[LockFileLayout.pinCapacity].store(UInt64(pins), ordering: .relaxed)
    self[LockFileLayout.durableVersion].store(recovered.durable.rawValue, ordering: .relaxed)
    self[LockFileLayout.flushedVersion].store(recovered.flushed.rawValue, ordering: .relaxed)
    NewestVersion(memory: self).publish(recovered.newest)
  }

  func store(_ header: SessionHeader) {
    copy(header.encoded()[8...], to: 8)
    self[LockFileLayout.magic].store(
      LockFileLayout.magicValue, ordering: .sequentiallyConsistent)
  }
}
