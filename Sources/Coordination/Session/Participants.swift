import Platform
import Synchronization

/// The processes of a session. Participant i is whoever holds lock byte `firstParticipantByte + i`
/// of the lock-file; the kernel lets go of it when the process dies in any way. The process number
/// and name beside it are for people.
struct Participants: Sendable {
  let file: any SystemFile
  let memory: SharedMemory

  private func byte(_ participant: Int) -> UInt64 {
    LockFileLayout.firstParticipantByte + UInt64(participant)
  }

  /// Takes a free number for life. For the holder of the opening byte.
  func join() throws(LockFileError) -> Int {
    for participant in 0..<LockFileLayout.participantsMax where try tryHold(participant) {
      _ = memory.word(LockFileLayout.participantsUsed).pointee.max(
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

  private func tryHold(_ participant: Int) throws(LockFileError) -> Bool {
    try doing("join the processes that have the file open") { () throws(SystemError) in
      try file.lock(byte: byte(participant), kind: .exclusive, wait: false)
    }
  }

  /// Calls `body` while nobody owns the number; false if somebody does, who is alive then. Never
  /// for a number of this handle's own, and not by two threads at once.
  func whileDead(_ participant: Int, _ body: () -> Void) -> Bool {
    guard (try? tryHold(participant)) == true else { return false }
    body()
    try? file.unlock(byte: byte(participant))
    return true
  }

  func isAlive(_ participant: Int) -> Bool {
    (try? file.isLockedByOther(byte: byte(participant), kind: .exclusive)) ?? true
  }

  // MARK: For show

  private func offset(_ participant: Int) -> UInt64 {
    UInt64(LockFileLayout.participants + participant * LockFileLayout.participantSize)
  }

  /// Written with a system call and not through the mapping: a full disk is no reason to die.
  private func record(_ participant: Int) {
    var bytes = [UInt8](repeating: 0, count: LockFileLayout.participantSize)
    bytes.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(
        of: ProcessDescription.number.littleEndian,
        toByteOffset: LockFileLayout.participantProcess, as: UInt64.self)
      bytes.storeBytes(
        of: MonotonicClock.now().littleEndian, toByteOffset: LockFileLayout.participantSince,
        as: UInt64.self)
      let name = ProcessDescription.name.utf8.prefix(LockFileLayout.participantNameSize)
      for (index, byte) in name.enumerated() {
        bytes[LockFileLayout.participantName + index] = byte
      }
    }
    bytes.withUnsafeBytes { try? file.write($0, at: offset(participant)) }
  }

  func description(_ participant: Int) -> (process: UInt64, name: String) {
    guard participant < LockFileLayout.participantsMax else { return (0, "") }
    var bytes = [UInt8](repeating: 0, count: LockFileLayout.participantSize)
    _ = bytes.withUnsafeMutableBytes { try? file.read(into: $0, at: offset(participant)) }
    let number = bytes.withUnsafeBytes {
      $0.load(fromByteOffset: LockFileLayout.participantProcess, as: UInt64.self)
    }
    let name = bytes[LockFileLayout.participantName...].prefix { $0 != 0 }
    return (UInt64(littleEndian: number), String(decoding: name, as: UTF8.self))
  }
}
