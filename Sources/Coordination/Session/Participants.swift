import Platform
import Synchronization

/// The processes of a session. Participant i is the holder of lock byte `firstParticipantByte + i`
/// of the lock-file exclusively; the kernel releases it when the process dies in any way. While
/// a process holds the byte shared, its owner is dead and the number is not given to a new one. The
/// process number and name beside it are for people.
final class Participants: Sendable {
  let file: any SystemFile
  let memory: SharedMemory
  /// Held while bytes of dead participants are locked and unlocked: the locks are those of the open
  /// file, so one thread would give back what another relies on.
  private let deaths = LockedValue(())

  init(file: any SystemFile, memory: SharedMemory) {
    self.file = file
    self.memory = memory
  }

  private func byte(_ participant: Int) -> UInt64 {
    LockFileLayout.firstParticipantByte + UInt64(participant)
  }

  /// Takes a free number for life. For the holder of the opening byte.
  func join() throws(LockFileError) -> Int {
    for participant in 0..<LockFileLayout.participantsMax where try tryOwn(participant) {
      try makeRoom(participant)
      _ = memory[LockFileLayout.participantsUsed].max(
        UInt64(participant + 1), ordering: .relaxed)
      record(participant)
      return participant
    }
    throw LockFileError(
      .tooManyProcesses, path: file.path,
      "\(LockFileLayout.participantsMax) processes have the file open; close some of them")
  }

  func leave(_ participant: Int) {
    try? file.unlock(byte: byte(participant))
  }

  private func tryOwn(_ participant: Int) throws(LockFileError) -> Bool {
    try doing("join the processes that have the file open") { () throws(SystemError) in
      try file.lock(byte: byte(participant), kind: .exclusive, wait: false)
    }
  }

  /// The participant's record is written through the mapping too, which a full disk must not stop.
  private func makeRoom(_ participant: Int) throws(LockFileError) {
    try doing("make room for one more process") { () throws(SystemError) in
      try file.allocate(
        offset: offset(participant), length: UInt64(LockFileLayout.participantSize))
    }
  }

  // MARK: Deaths

  /// Calls `body` while the number is not owned and cannot be; false if a process owns it, which is
  /// alive then. Never for a number of this handle's own.
  func whileDead(_ participant: Int, _ body: () -> Void) -> Bool {
    deaths.withLock { _ in
      let isDead = try? file.lock(byte: byte(participant), kind: .shared, wait: false)
      guard isDead == true else { return false }
      body()
      try? file.unlock(byte: byte(participant))
      return true
    }
  }

  func isAlive(_ participant: Int) -> Bool {
    (try? file.isLockedByOther(byte: byte(participant), kind: .shared)) ?? true
  }

  /// As `whileDead`, on some thread, once the participant has died; unless the wait is given up
  /// before.
  func waitForDeath(
    _ participant: Int, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> any LockWait {
    try file.waitForLock(byte: byte(participant), kind: .shared) { result in
      // The byte is held already, and given back afterwards.
      if case .success = result { _ = self.whileDead(participant, body) }
    }
  }

  /// Giving up drops a lock that the wait may just have got.
  func giveUp(_ wait: any LockWait) { deaths.withLock { _ in _ = wait.cancel() } }

  // MARK: For show

  private func offset(_ participant: Int) -> UInt64 {
    UInt64(LockFileLayout.participants + participant * LockFileLayout.participantSize)
  }

  /// Written with a system call and not through the mapping: a full disk is no reason to die.
  private func record(_ participant: Int) {
    var bytes = [UInt8](repeating: 0, count: LockFileLayout.participantSize)
    bytes.store(ProcessDescription.number, at: LockFileLayout.participantProcess)
    bytes.store(MonotonicClock.now(), at: LockFileLayout.participantSince)
    let name = ProcessDescription.name.utf8.prefix(LockFileLayout.participantNameSize)
    for (index, byte) in name.enumerated() {
      bytes[LockFileLayout.participantName + index] = byte
    }
    try? file.write(bytes, at: offset(participant))
  }

  func description(_ participant: Int) -> (process: UInt64, name: String) {
    guard participant < LockFileLayout.participantsMax else { return (0, "") }
    let size = LockFileLayout.participantSize
    guard let bytes = try? file.read(at: offset(participant), count: size), bytes.count == size
    else { return (0, "") }
    let name = bytes[LockFileLayout.participantName...].prefix { $0 != 0 }
    let number: UInt64 = bytes.number(at: LockFileLayout.participantProcess)
    return (number, String(decoding: name, as: UTF8.self))
  }
}
