import Synchronization
import Testing

@testable import LockFile

@Suite struct VersionTests {
  let database = Database()

  @Test func theFirstRecoversAndTheOthersJoin() throws {
    let first = try database.open(version: 7, durable: 6)
    let second = try database.open()
    #expect(first.wasAlone)
    #expect(!second.wasAlone)
    #expect(try second.lockFile.newest() == published(7))
    #expect(second.lockFile.durableVersion == 6)
    first.lockFile.publish(published(8))
    first.lockFile.durableVersion = 8
    #expect(second.lockFile.newestVersion == 8)
    #expect(try second.lockFile.newest() == published(8))
    #expect(second.lockFile.durableVersion == 8)
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
    #expect(try database.open(version: 20).wasAlone)
  }

  @Test func aFailedRecoveryLeavesNothingBehind() throws {
    struct Failure: Error {}
    let file = try database.dataFile()
    #expect(throws: LockFileOpenError<Failure>.self) {
      _ = try LockFile.open(path: database.lockPath, dataFile: file) { () throws(Failure) in
        throw Failure()
      }
    }
    #expect(try database.open().wasAlone)
  }

  @Test func readersSeeConsistentTriplesWhileVersionsArePublished() throws {
    let opened = try database.open()
    #expect(try opened.lockFile.newest() == published(1))
  }
}
