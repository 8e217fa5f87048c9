import Platform
import Testing

@testable import Coordination

@Suite struct SessionTests {
  let database = Database()

  @Test func theFirstRecoversAndTheOthersJoin() throws {
    let first = try database.open()
    let second = try database.open()
    #expect(first.wasAlone)
    #expect(!second.wasAlone)
  }

  @Test func aSessionEndsWithItsLastMember() throws {
    let first = try database.open(version: 7)
    let second = try database.open()
    first.lockFile.publish(published(8))
    first.lockFile.close()
    let third = try database.open(version: 20)
    #expect(!third.wasAlone)
    #expect(try third.lockFile.newest() == published(8))
    second.lockFile.close()
    third.lockFile.close()
    let fourth = try database.open(version: 20)
    #expect(fourth.wasAlone)
    #expect(try fourth.lockFile.newest() == published(20))
  }

  @Test func killedProcessesLeaveTheSession() throws {
    let child = try database.process()
    #expect(try child.ask("open") == "alone")
    let opened = try database.open(version: 5)
    #expect(!opened.wasAlone)
    opened.lockFile.close()
    child.kill()
    #expect(try database.open(version: 5).wasAlone)
  }

  @Test func manyOpenAtOnceAndOneRecovers() throws {
    let children = try (0..<6).map { _ in try database.process() }
    for child in children { child.send("open") }
    let answers = try children.map { try $0.readLine() }
    #expect(answers.filter { $0 == "alone" }.count == 1)
    #expect(answers.filter { $0 == "member" }.count == 5)
  }

  @Test func aFailedRecoveryLeavesNothingBehind() throws {
    struct Failure: Error {}
    let file = try database.dataFile()
    #expect(throws: LockFileOpenError<Failure>.self) {
      _ = try LockFile.open(path: database.lockPath, dataFile: file) { (_) throws(Failure) in
        throw Failure()
      }
    }
    #expect(try database.open().wasAlone)
  }

  @Test func aProcessKilledInRecoveryLeavesTheNextOneAlone() throws {
    let child = try database.process()
    try child.ask("open and stay in recovery")
    child.kill()
    #expect(try database.open().wasAlone)
  }

  // MARK: Damage and strangers

  @Test func aDamagedLockFileAtRestIsMadeAnew() throws {
    try database.open().lockFile.close()
    var random = SystemRandomNumberGenerator()
    let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    try scribble(noise, at: 0, of: database.lockPath)
    let opened = try database.open(version: 3)
    #expect(opened.wasAlone)
    #expect(opened.lockFile.versionsInUse(.now) == [3])
    let second = try database.open()
    #expect(try second.lockFile.newest() == published(3))
  }

  @Test func anEmptyLockFileAtRestIsMadeAnew() throws {
    try database.open().lockFile.close()
    let file = try PosixSystem.shared.openFile(path: database.lockPath, mode: .readWrite)
    try file.truncate(to: 0)
    #expect(try database.open().wasAlone)
  }

  @Test func anotherLayoutIsRefusedWhileInUseAndReplacedAtRest() throws {
    let first = try database.open()
    try scribble([9, 0, 0, 0, 9, 0, 0, 0], at: 8, of: database.lockPath)
    #expect(code { _ = try database.open() } == .incompatibleLayout)
    first.lockFile.close()
    #expect(try database.open().wasAlone)
  }

  @Test func aNewerLayoutThatStillUnderstandsThisOneIsJoined() throws {
    let first = try database.open()
    var header = SessionHeader(
      boot: PosixSystem.shared.bootIdentifier(), file: first.dataFile.identity, generation: 4)
    header.layoutVersion = 9
    try scribble(header.encoded(), at: 0, of: database.lockPath)
    #expect(try !database.open().wasAlone)
  }

  @Test func aDamagedHeaderOfARunningSessionIsAnError() throws {
    let first = try database.open()
    try scribble([1], at: LockFileLayout.headerGeneration, of: database.lockPath)
    try scribble([0xFF], at: LockFileLayout.headerBoot, of: database.lockPath)
    #expect(code { _ = try database.open() } == .damaged)
    #expect(try first.lockFile.newest() == published(1))
  }

  // MARK: Deleted and replaced files

  @Test func aDeletedLockFileKeepsNewcomersOutAndTheOldOnesWorking() throws {
    let first = try database.open()
    let second = try database.open()
    try PosixSystem.shared.removeFile(path: database.lockPath)
    #expect(code { _ = try database.open() } == .lockFileReplaced)
    #expect(code { _ = try database.open() } == .lockFileReplaced)
    try first.lockFile.lockWriter()
    #expect(try !second.lockFile.tryLockWriter())
    first.lockFile.publish(published(2))
    first.lockFile.unlockWriter()
    #expect(try second.lockFile.newest() == published(2))
    first.lockFile.close()
    second.lockFile.close()
    #expect(try database.open().wasAlone)
  }

  @Test func aLockFilePutBackFromABackupKeepsNewcomersOut() throws {
    let first = try database.open()
    let copy = database.directory.file("copy")
    let lockFile = try PosixSystem.shared.openFile(path: database.lockPath, mode: .readOnly)
    var content = [UInt8](repeating: 0, count: Int(try lockFile.size()))
    _ = try unsafe content.withUnsafeMutableBytes { try unsafe lockFile.read(into: $0, at: 0) }
    try PosixSystem.shared.openFile(path: copy, mode: .create).close()
    try scribble(content, at: 0, of: copy)
    try PosixSystem.shared.renameFile(from: copy, to: database.lockPath)
    #expect(code { _ = try database.open() } == .lockFileReplaced)
    #expect(try first.lockFile.newest() == published(1))
  }

  @Test func aReplacedDataFileCannotUseTheLockFileOfTheOldOne() throws {
    let first = try database.open()
    try PosixSystem.shared.renameFile(from: database.path, to: database.directory.file("old"))
    #expect(code { _ = try database.open() } == .dataFileReplaced)
    first.lockFile.close()
    #expect(try database.open().wasAlone)
  }

  // MARK: Alone

  @Test func exclusiveUseKeepsOthersOutAndNeedsNoLockFile() throws {
    let first = try database.open(mode: .exclusive, version: 4)
    #expect(!PosixSystem.shared.fileExists(path: database.lockPath))
    #expect(code { _ = try database.open() } == .inUse)
    #expect(code { _ = try database.open(mode: .exclusive) } == .inUse)
    #expect(try first.lockFile.newest() == published(4))
    let pin = try first.lockFile.pinNewest()
    try first.lockFile.lockWriter()
    first.lockFile.publish(published(5))
    first.lockFile.unlockWriter()
    #expect(first.lockFile.versionsInUse(.now) == [4, 5])
    first.lockFile.unpin(pin)
    first.lockFile.close()
    let second = try database.open()
    #expect(second.wasAlone)
    #expect(code { _ = try database.open(mode: .exclusive) } == .inUse)
  }

  @Test func readersWithoutPermissionReadAlone() throws {
    try database.dataFile().close()
    let first = try database.open(mode: .privateReader, version: 4, dataMode: .readOnly)
    let second = try database.open(mode: .privateReader, version: 4, dataMode: .readOnly)
    #expect(try second.lockFile.pinNewest().version == 4)
    #expect(code { try first.lockFile.lockWriter() } == .readOnly)
    #expect(code { _ = try database.open() } == .inUse)
    first.lockFile.close()
    second.lockFile.close()
    let third = try database.open()
    #expect(third.wasAlone)
    #expect(
      code { _ = try database.open(mode: .privateReader, dataMode: .readOnly) } == .inUse)
  }
}
