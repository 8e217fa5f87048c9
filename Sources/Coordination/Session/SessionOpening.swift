import Platform

/// The steps of `LockFile.open`. On failure everything is left as if it had never been begun.
struct SessionOpening<Failure: Error> {
  typealias OpenError = LockFileOpenError<Failure>
  typealias Recover = (_ hasFailedFlush: inout Bool) throws(Failure) -> LockFile.Recovered

  let joiner: SessionJoiner
  let mode: LockFile.Mode

  func open(_ recover: Recover) throws(OpenError) -> LockFile {
    switch mode {
    case .shared:
      try checking { () throws(LockFileError) in
        try joiner.requireCoherentFileSystem()
        try joiner.beginOpening()
      }
      defer { joiner.endOpening() }
      return try openShared(recover)
    case .exclusive:
      try checking { () throws(LockFileError) in try joiner.takeAlone() }
      return try openAlone(recover)
    case .privateReader:
      try checking { () throws(LockFileError) in try joiner.takeAsPrivateReader() }
      return try openAlone(recover)
    }
  }

  // MARK: With others

  private func openShared(_ recover: Recover) throws(OpenError) -> LockFile {
    let entry = try checking { () throws(LockFileError) in try joiner.join() }
    switch entry {
    case .alone(let file, let previous):
      return try settling(file) { () throws(OpenError) in
        var hasFailedFlush = previous.hasFailedFlush
        let recovered: LockFile.Recovered
        do throws(OpenError) {
          recovered = try recovery(recover, &hasFailedFlush)
        } catch {
          if hasFailedFlush, !previous.hasFailedFlush {
            joiner.noteFailedFlush(file, after: previous)
          }
          throw error
        }
        return try checking { () throws(LockFileError) in
          let generation =
            previous.generation == 0
            ? SessionHeader.firstGeneration() : previous.generation &+ 1
          let lockFile = try begin(file, recovered, hasFailedFlush, generation: generation)
          try joiner.becomeMember(file)
          return lockFile
        }
      }
    case .member(let file):
      return try settling(file) { () throws(OpenError) in
        try checking { () throws(LockFileError) in
          let lockFile = try join(try map(file))
          _ = try lockFile.newest()
          return lockFile
        }
      }
    }
  }

  private func begin(
    _ file: any SystemFile, _ recovered: LockFile.Recovered, _ hasFailedFlush: Bool,
    generation: UInt64
  ) throws(LockFileError) -> LockFile {
    try joiner.makeRoom(file)
    let memory = try map(file)
    memory.begin(
      recovered, pins: LockFileLayout.pinsInitially, hasFailedFlush: hasFailedFlush)
    memory.store(
      SessionHeader(
        boot: joiner.system.bootIdentifier(), file: joiner.dataFile.identity, generation: generation
      ))
    return try join(memory)
  }

  private func map(_ file: any SystemFile) throws(LockFileError) -> SharedMemory {
    try doing("map the lock-file") { () throws(SystemError) in try SharedMemory(file: file) }
  }

  /// Takes a participant number, and back what an earlier owner of the number left.
  private func join(_ memory: SharedMemory) throws(LockFileError) -> LockFile {
    let participants = Participants(file: memory.file!, memory: memory)
    let participant = try participants.join()
    let lockFile = try make(memory, participants, participant)
    _ = lockFile.pinTable.freeSlots(of: UInt64(participant))
    return lockFile
  }

  private func make(
    _ memory: SharedMemory, _ participants: Participants?, _ participant: Int
  ) throws(LockFileError) -> LockFile {
    try doing("make room for pins") { () throws(SystemError) in
      try LockFile(
        path: joiner.path, mode: mode, dataFile: joiner.dataFile, memory: memory,
        participants: participants, participant: participant, system: joiner.system)
    }
  }

  private func settling(
    _ file: any SystemFile, _ body: () throws(OpenError) -> LockFile
  ) throws(OpenError) -> LockFile {
    do {
      return try body()
    } catch {
      joiner.leave(file)
      throw error
    }
  }

  // MARK: Without others

  private func openAlone(_ recover: Recover) throws(OpenError) -> LockFile {
    do throws(OpenError) {
      let hadFailedFlush = joiner.previousSession().hasFailedFlush
      var hasFailedFlush = hadFailedFlush
      let recovered: LockFile.Recovered
      do throws(OpenError) {
        recovered = try recovery(recover, &hasFailedFlush)
      } catch {
        if hasFailedFlush, !hadFailedFlush { joiner.noteFailedFlush(failures: 1) }
        throw error
      }
      if hadFailedFlush, !hasFailedFlush { joiner.noteFailedFlush(failures: 0) }
      return try checking { () throws(LockFileError) in
        let memory = try doing("make memory for pins") { () throws(SystemError) in
          try SharedMemory()
        }
        memory.begin(
          recovered, pins: LockFileLayout.pinsMax, hasFailedFlush: hasFailedFlush)
        memory[LockFileLayout.headerGeneration].store(
          SessionHeader.firstGeneration(), ordering: .relaxed)
        return try make(memory, nil, 0)
      }
    } catch {
      try? joiner.dataFile.unlock(byte: LockFileLayout.sessionByte)
      try? joiner.dataFile.unlock(byte: LockFileLayout.privateReaderByte)
      throw error
    }
  }

  // MARK: Errors

  private func checking<Result>(
    _ body: () throws(LockFileError) -> Result
  ) throws(OpenError) -> Result {
    do {
      return try body()
    } catch {
      throw .lockFile(error)
    }
  }

  private func recovery(
    _ recover: Recover, _ hasFailedFlush: inout Bool
  ) throws(OpenError) -> LockFile.Recovered {
    do {
      return try recover(&hasFailedFlush)
    } catch {
      throw .recovery(error)
    }
  }
}
