import Synchronization
import Testing

@testable import Coordination

@Suite struct VersionTests {
  let database = Database()

  @Test func whatOneProcessPublishesAllOthersSee() throws {
    let first = try database.open(version: 7, durable: 6)
    let second = try database.open()
    #expect(try second.lockFile.newest() == published(7))
    #expect(second.lockFile.durableVersion == 6)
    first.lockFile.publish(published(8))
    first.lockFile.durableVersion = 8
    #expect(second.lockFile.newestVersion == 8)
    #expect(try second.lockFile.newest() == published(8))
    #expect(second.lockFile.durableVersion == 8)
  }

  /// It may have been confirmed by a process that died before it could say so.
  @Test func `a slot that has been confirmed is not on its way any more`() throws {
    let lockFile = try database.open(version: 7, durable: 6).lockFile
    lockFile.pendingSlot = 7
    #expect(lockFile.pendingSlot == 7)
    lockFile.raiseDurableVersion(to: 7)
    #expect(lockFile.pendingSlot == 0)
  }

  @Test func whatIsKnownOfTheDiskIsSharedAndBeginsWithWhatRecoveryFound() throws {
    let first = try database.open(version: 7, durable: 6)
    let second = try database.open()
    #expect(second.lockFile.flushedVersion == 6)
    #expect(second.lockFile.flushFailure == 0)
    first.lockFile.flushedVersion = 7
    first.lockFile.noteFlushFailure()
    #expect(second.lockFile.flushedVersion == 7)
    #expect(second.lockFile.flushFailure == 1)
    #expect(second.lockFile.durableVersion == 6)
    first.lockFile.close()
    second.lockFile.close()
    let next = try database.open(version: 7, durable: 7)
    #expect(next.wasAlone && next.lockFile.flushFailure == 0)
    #expect(next.lockFile.flushedVersion == 7)
  }

  @Test func aFailedFlushIsHandedOnUntilARecoveryHasMadeItGood() throws {
    let first = try database.open()
    first.lockFile.noteFlushFailure()
    first.lockFile.close()
    for _ in 0..<2 {
      let reader = try database.open(repairs: false)
      #expect(reader.wasAlone && reader.lockFile.flushFailure == 1)
      reader.lockFile.close()
    }
    let writer = try database.open()
    #expect(writer.wasAlone && writer.lockFile.flushFailure == 0)
    writer.lockFile.close()
    let last = try database.open(repairs: false)
    #expect(last.wasAlone && last.lockFile.flushFailure == 0)
  }

  @Test(arguments: [false, true])
  func theNextRecoveryHearsOfAFailedFlushOnlyWhereOneHasFailed(fails: Bool) throws {
    struct Failure: Error {}
    func recover(_ body: (inout Bool) throws(Failure) -> LockFile.Recovered) {
      guard let file = try? database.dataFile() else { return }
      let lockFile = try? LockFile.open(path: database.lockPath, dataFile: file, recover: body)
      lockFile?.close()
    }
    recover { (hasFailedFlush) throws(Failure) in
      hasFailedFlush = fails
      throw Failure()
    }
    var heard: Bool?
    recover { (hasFailedFlush) throws(Failure) in
      heard = hasFailedFlush
      throw Failure()
    }
    #expect(heard == fails)
  }

  @Test func readersSeeConsistentTriplesWhileVersionsArePublished() throws {
    let writer = try database.open().lockFile
    let reader = try database.open().lockFile
    let isDone = Flag()
    let torn = Counter()
    let backward = Counter()
    try runThreads(4) { index in
      if index == 0 {
        for number in 2...100_000 as ClosedRange<UInt64> {
          writer.publish(published(Version(number)))
        }
        return isDone.set()
      }
      var last = Version.zero
      while !isDone.isSet {
        guard let newest = try? reader.newest() else { return torn.fail() }
        if newest != published(newest.version) { torn.add() }
        if newest.version < last { backward.add() }
        last = newest.version
      }
    }
    #expect(torn.value == 0)
    #expect(backward.value == 0)
    #expect(try reader.newest() == published(100_000))
  }

  @Test func theCheckDependsOnEveryBit() {
    let base = PublishedVersion(version: 5, root: 6, logicalSize: 7)
    var seen: Set<UInt64> = [base.check]
    for bit in 0..<64 as Range<UInt64> {
      seen.insert(PublishedVersion(version: Version(5 ^ 1 << bit), root: 6, logicalSize: 7).check)
      seen.insert(PublishedVersion(version: 5, root: 6 ^ 1 << bit, logicalSize: 7).check)
      seen.insert(PublishedVersion(version: 5, root: 6, logicalSize: 7 ^ 1 << bit).check)
    }
    #expect(seen.count == 3 * 64 + 1)
  }

  @Test func `a version costs what its number does, and is shown as that`() {
    #expect(MemoryLayout<Version>.size == MemoryLayout<UInt64>.size)
    #expect("\(Version.max)" == "\(UInt64.max)")
  }

  @Test func impossibleVersionsCannotBePublished() async {
    await #expect(processExitsWith: .failure) {
      try Database().open().lockFile.publish(published(0))
    }
    await #expect(processExitsWith: .failure) {
      try Database().open().lockFile.publish(published(Version(1 << 48)))
    }
  }
}
