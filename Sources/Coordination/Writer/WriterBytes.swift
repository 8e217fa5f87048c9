import Platform
import Synchronization

/// The writer role between processes: one byte of the data file, and one more for whoever is next.
///
/// A process that unlocks and locks again at once would always outrun one that has to be woken. So
/// whoever does not get the writer byte at once takes the next-writer byte, says so in shared
/// memory, and waits for the writer byte; a process that sees this queues up at the next-writer
/// byte too. The word in shared memory is a hint only: if it is missing, somebody is outrun once
/// more; if it is left over from a dead process, the next one to pass clears it.
///
/// Both bytes are in the data file, so that whatever happens to the lock-file there is one writer.
struct WriterBytes: Sendable {
  let file: any SystemFile
  let memory: SharedMemory
  let system: any System

  private var awaited: UnsafeMutablePointer<Atomic<UInt64>> {
    memory.word(LockFileLayout.writerAwaited)
  }

  /// Whether another process waits for the byte.
  var isAwaited: Bool { awaited.pointee.load(ordering: .sequentiallyConsistent) != 0 }

  private var askedWord: UnsafeMutablePointer<Atomic<UInt32>> {
    memory.halfWord(LockFileLayout.writerAsked)
  }

  /// How often anybody has asked for a byte that was taken.
  var asked: UInt32 { askedWord.pointee.load(ordering: .acquiring) }

  /// Sleeps until somebody asks, or `timeout` nanoseconds.
  func waitForAsking(since asked: UInt32, timeout: UInt64) {
    system.wait(on: UnsafeMutableRawPointer(askedWord), while: asked, timeout: timeout)
  }

  private func ask() {
    askedWord.pointee.wrappingAdd(1, ordering: .releasing)
    system.wake(UnsafeMutableRawPointer(askedWord), count: .max)
  }

  private func tryTake(_ byte: UInt64) throws(SystemError) -> Bool {
    try file.lock(byte: byte, kind: .exclusive, wait: false)
  }

  /// False also where a process keeps the byte that is not writing; then it gives it back at once.
  func tryLock() throws(SystemError) -> Bool {
    guard isAwaited else {
      if try tryTake(LockFileLayout.writerByte) { return true }
      ask()
      return false
    }
    guard try tryTake(LockFileLayout.nextWriterByte) else { return false }
    defer { unlockNext() }
    return try tryLockAsNext()
  }

  func lock() throws(SystemError) {
    if !isAwaited, try tryTake(LockFileLayout.writerByte) { return }
    _ = try file.lock(byte: LockFileLayout.nextWriterByte, kind: .exclusive, wait: true)
    defer { unlockNext() }
    if try tryLockAsNext() { return }
    // In this order: a keeper that is woken, or that looks later, sees that somebody waits.
    awaited.pointee.store(1, ordering: .sequentiallyConsistent)
    ask()
    defer { awaited.pointee.store(0, ordering: .relaxed) }
    _ = try file.lock(byte: LockFileLayout.writerByte, kind: .exclusive, wait: true)
  }

  private func tryLockAsNext() throws(SystemError) -> Bool {
    let isLocked = try tryTake(LockFileLayout.writerByte)
    // Whoever said that he waits is dead: only the holder of the next-writer byte waits.
    if isLocked { awaited.pointee.store(0, ordering: .relaxed) }
    return isLocked
  }

  private func unlockNext() { try? file.unlock(byte: LockFileLayout.nextWriterByte) }

  func unlock() { try? file.unlock(byte: LockFileLayout.writerByte) }
}
