import Platform

extension SharedMemory {
  /// Puts the memory into the state of a new session. For whoever is alone.
  func begin(_ recovered: LockFile.Recovered, pins: Int) {
    // The magic is the first to go and comes back with the header, last.
    word(LockFileLayout.magic).pointee.store(0, ordering: .sequentiallyConsistent)
    clear(from: 0, to: LockFileLayout.participants)
    if file != nil {
      clear(from: LockFileLayout.pins, to: pinOffset(LockFileLayout.pinsInitially))
    }
    word(LockFileLayout.pinCapacity).pointee.store(UInt64(pins), ordering: .relaxed)
    word(LockFileLayout.durableVersion).pointee.store(recovered.durable, ordering: .relaxed)
    word(LockFileLayout.flushedVersion).pointee.store(recovered.flushed, ordering: .relaxed)
    NewestVersion(memory: self).publish(recovered.newest)
  }

  private func clear(from: Int, to: Int) {
    (base + from).initializeMemory(as: UInt8.self, repeating: 0, count: to - from)
  }

  func store(_ header: SessionHeader) {
    let bytes = header.encoded()
    bytes.withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[8...])
      (base + 8).copyMemory(from: rest.baseAddress!, byteCount: rest.count)
    }
    word(LockFileLayout.magic).pointee.store(
      LockFileLayout.magicValue, ordering: .sequentiallyConsistent)
  }
}
