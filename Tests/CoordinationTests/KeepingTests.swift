import Platform
import Testing

@testable import Coordination

/// What a process keeps between commits that follow each other closely is in nobody's way.
@Suite(.timeLimit(.minutes(5))) struct KeepingTests {
  let database = Database()

  private func isKept(_ lockFile: LockFile) -> Bool {
    lockFile.writer.state.withLock { $0.keeping.isKept }
  }

  /// Takes and gives back the role until the byte is kept: a slow machine may need several tries.
  private func keep(_ lockFile: LockFile) throws {
    while !isKept(lockFile) {
      for _ in 0...Keeping.followersMin {
        try lockFile.lockWriter()
        lockFile.unlockWriter()
      }
    }
  }

  @Test func aCommitByItselfKeepsNothing() throws {
    let lockFile = try database.open().lockFile
    try lockFile.lockWriter()
    lockFile.unlockWriter()
    #expect(!isKept(lockFile))
    #expect(try database.open().lockFile.tryLockWriter())
  }

  @Test func whoWaitsForAKeptByteGetsIt() throws {
    let keeper = try database.open().lockFile
    let other = try database.open().lockFile
    for _ in 0..<50 {
      try keep(keeper)
      try other.lockWriter()
      #expect(!isKept(keeper))
      #expect(try !keeper.tryLockWriter())
      other.unlockWriter()
    }
  }

  @Test func whoOnlyTriesGetsAKeptByteSoon() throws {
    let keeper = try database.open().lockFile
    let other = try database.open().lockFile
    try keep(keeper)
    yield { (try? other.tryLockWriter()) == true }
    other.unlockWriter()
  }

  @Test func aKeptByteGoesBackByItself() throws {
    let keeper = try database.open().lockFile
    let other = try database.open().dataFile
    for _ in 0..<3 {
      try keep(keeper)
      // Looks from outside, and asks nobody.
      yield {
        (try? other.isLockedByOther(byte: LockFileLayout.writerByte, kind: .exclusive)) == false
      }
      #expect(!isKept(keeper))
    }
  }

  @Test func closingGivesBackWhatIsKept() throws {
    let keeper = try database.open().lockFile
    let other = try database.open().dataFile
    try keep(keeper)
    keeper.close()
    let isLocked = try other.isLockedByOther(byte: LockFileLayout.writerByte, kind: .exclusive)
    #expect(!isLocked)
  }

  @Test func aKeptByteServesClosuresAndThreadsOfTheProcess() throws {
    let lockFile = try database.open().lockFile
    for _ in 0..<50 {
      try keep(lockFile)
      let ready = Event<Void>()
      try lockFile.lockWriter { _ in ready.signal(()) }
      ready.wait()
      #expect(try !lockFile.tryLockWriter())
      lockFile.unlockWriter()
    }
  }
}
