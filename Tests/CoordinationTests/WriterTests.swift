import Dispatch
import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Coordination

@Suite struct WriterTests {
  let database = Database()

  @Test func oneWriterAtATime() throws {
    let first = try database.open().lockFile
    let second = try database.open().lockFile
    try first.lockWriter()
    #expect(try !first.tryLockWriter())
    #expect(try !second.tryLockWriter())
    first.unlockWriter()
    #expect(try second.tryLockWriter())
    #expect(try !first.tryLockWriter())
    second.unlockWriter()
  }

  @Test func threadsAndClosuresStandInOneLine() throws {
    let lockFile = try database.open().lockFile
    try lockFile.lockWriter()
    let order = Journal<Int>()
    let done = (0..<20).map { _ in Event<Void>() }
    for index in 0..<20 {
      if index % 2 == 0 {
        try lockFile.lockWriter { result in
          #expect(throws: Never.self) { try result.get() }
          order.add(index)
          lockFile.unlockWriter()
          done[index].signal(())
        }
      } else {
        try BackgroundThread.start(name: "writer") {
          #expect(throws: Never.self) { try lockFile.lockWriter() }
          order.add(index)
          lockFile.unlockWriter()
          done[index].signal(())
        }
      }
      yield { lockFile.writer.waiterCount == index + 1 }
    }
    lockFile.unlockWriter()
    for event in done { event.wait() }
    #expect(order.all == Array(0..<20))
    #expect(try lockFile.tryLockWriter())
  }

  @Test func aClosureIsNeverCalledByTheCallThatTakesItsPlace() throws {
    let lockFile = try database.open().lockFile
    let caller = pthread_self()
    let ready = Event<Bool>()
    try lockFile.lockWriter { _ in ready.signal(pthread_equal(pthread_self(), caller) != 0) }
    #expect(!ready.wait())
    lockFile.unlockWriter()
  }

  @Test func aPlaceInTheLineCanBeGivenUp() throws {
    let lockFile = try database.open().lockFile
    let other = try database.open().lockFile
    try other.lockWriter()
    let first = Event<Void>()
    let last = Event<Void>()
    let called = Counter()
    try lockFile.lockWriter { _ in
      first.signal(())
      lockFile.unlockWriter()
    }
    let second = try lockFile.lockWriter { _ in called.add() }
    try lockFile.lockWriter { _ in
      last.signal(())
      lockFile.unlockWriter()
    }
    #expect(second.cancel())
    #expect(!second.cancel())
    other.unlockWriter()
    first.wait()
    last.wait()
    #expect(called.value == 0)
    try other.lockWriter()
  }

  @Test func theFrontOfTheLineCanGiveUpWhileTheKernelWaitsForIt() throws {
    let lockFile = try database.open().lockFile
    let other = try database.open().lockFile
    try other.lockWriter()
    let called = Counter()
    let second = Event<Void>()
    let first = try lockFile.lockWriter { _ in called.add() }
    try lockFile.lockWriter { _ in second.signal(()) }
    #expect(first.cancel())
    other.unlockWriter()
    second.wait()
    #expect(called.value == 0)
    lockFile.unlockWriter()
    try other.lockWriter()
  }

  @Test func closingTellsThoseWhoWait() throws {
    let lockFile = try database.open().lockFile
    let other = try database.open().lockFile
    try other.lockWriter()
    let results = (0..<3).map { _ in Event<LockFileError.Code?>() }
    for event in results.prefix(2) {
      try lockFile.lockWriter { result in
        if case .failure(let error) = result { event.signal(error.code) } else { event.signal(nil) }
      }
    }
    try BackgroundThread.start(name: "writer") {
      results[2].signal(code { try lockFile.lockWriter() })
    }
    yield { lockFile.writer.waiterCount == 2 }
    lockFile.close()
    #expect(results[1].wait() == .closed)
    #expect(results[2].wait() == .closed)
    other.unlockWriter()
    #expect(results[0].wait() == .closed)
    // Whoever waited in the kernel got the role when nobody wanted it any more, and let go of it.
    try other.lockWriter()
  }

  @Test func aKilledHolderIsFollowedAtOnce() throws {
    let lockFile = try database.open().lockFile
    let child = try database.process()
    try child.ask("open")
    try child.ask("write")
    #expect(try !lockFile.tryLockWriter())
    let ready = Event<Bool>()
    try lockFile.lockWriter { result in ready.signal((try? result.get()) != nil) }
    child.kill()
    #expect(ready.wait())
    lockFile.unlockWriter()
  }

  @Test func aKilledWaiterIsInNobodysWay() throws {
    let lockFile = try database.open().lockFile
    try lockFile.lockWriter()
    let child = try database.process()
    try child.ask("open")
    child.send("write")
    yield { lockFile.writer.isAwaited }
    child.kill()
    lockFile.unlockWriter()
    for _ in 0..<3 {
      #expect(try lockFile.tryLockWriter())
      lockFile.unlockWriter()
    }
    #expect(!lockFile.writer.isAwaited)
    let other = try database.process()
    try other.ask("open")
    #expect(try other.ask("write") == "writing")
  }

  @Test func whoLocksAgainAtOnceDoesNotOutrunAnotherProcess() throws {
    // The turn of the woken process is kept for some time; a busy machine may let it sleep longer.
    let lockFile = try database.open(system: StandingClock()).lockFile
    let child = try database.process()
    try child.ask("open")
    try lockFile.lockWriter()
    child.send("write")
    yield { lockFile.writer.isAwaited }
    lockFile.unlockWriter()
    // Next in line is the other process, so this waits until it has had its turn.
    let ready = Event<Void>()
    try lockFile.lockWriter { _ in ready.signal(()) }
    #expect(try child.readLine() == "writing")
    try child.ask("publish 2")
    ready.wait()
    #expect(lockFile.newestVersion == 2)
    lockFile.unlockWriter()
  }

  @Test func processesAndThreadsTakeTurnsWithoutLosingAny() throws {
    let lockFile = try database.open().lockFile
    let children = try (0..<2).map { _ in try database.process() }
    for child in children {
      try child.ask("open")
      child.send("increment 500")
    }
    try runThreads(2) { _ in
      for _ in 0..<500 {
        try? lockFile.lockWriter()
        lockFile.publish(published(lockFile.newestVersion.next))
        lockFile.unlockWriter()
      }
    }
    for child in children { #expect(try child.readLine() == "incremented") }
    #expect(lockFile.newestVersion == Version(1 + 4 * 500))
  }

  /// Processes are killed wherever they happen to be; the others go on, and nobody is let in twice.
  @Test(.timeLimit(.minutes(2)))
  func killsInAnyPlaceStopNobody() throws {
    let lockFile = try database.open().lockFile
    var random = SeededGenerator(seed: 11)
    func writer() throws -> ChildProcess {
      let child = try database.process()
      try child.ask("open")
      child.send("increment 100000000")
      return child
    }
    var children = try (0..<3).map { _ in try writer() }
    for _ in 0..<40 {
      let commits = UInt64.random(in: 1...200, using: &random)
      let version = lockFile.newestVersion.advanced(by: commits)
      yield { lockFile.newestVersion >= version }
      children.removeFirst().kill()
      children.append(try writer())
    }
    for child in children { child.kill() }
    try lockFile.lockWriter()
    #expect(try lockFile.newest() == published(lockFile.newestVersion))
    lockFile.unlockWriter()
  }

  @Test func givingBackWhatIsNotHeldStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      try Database().open().lockFile.unlockWriter()
    }
  }

  // MARK: The agent role

  @Test func oneAgentAtATimeAndTheNextOneLearnsAtOnce() throws {
    let first = try database.open().lockFile
    let child = try database.process()
    try child.ask("open")
    #expect(try child.ask("agent") == "agent")
    #expect(try !first.tryTakeAgentRole())
    let taken = Event<Bool>()
    try first.takeAgentRole { result in taken.signal((try? result.get()) != nil) }
    child.kill()
    #expect(taken.wait())
    let second = try database.open().lockFile
    #expect(try !second.tryTakeAgentRole())
    first.releaseAgentRole()
    #expect(try second.tryTakeAgentRole())
  }

  @Test func theAgentRoleIsKeptByWhoeverTakesItAfterAWaitWasGivenUp() throws {
    let first = try database.open().lockFile
    let second = try database.open().lockFile
    let third = try database.open().lockFile
    for _ in 0..<300 {
      #expect(try first.tryTakeAgentRole())
      try second.takeAgentRole { _ in }
      let isTaken = Atomic<Bool>(false)
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 {
          first.releaseAgentRole()
          second.releaseAgentRole()
        } else {
          // Succeeds only after the release.
          for _ in 0..<200 where (try? second.tryTakeAgentRole()) == true {
            isTaken.store(true, ordering: .relaxed)
            break
          }
        }
      }
      if isTaken.load(ordering: .relaxed) { #expect(try !third.tryTakeAgentRole()) }
      third.releaseAgentRole()
      second.releaseAgentRole()
    }
  }

  @Test func waitingForTheAgentRoleCanBeGivenUp() throws {
    let first = try database.open().lockFile
    let second = try database.open().lockFile
    #expect(try first.tryTakeAgentRole())
    let called = Counter()
    for _ in 0..<50 {
      try second.takeAgentRole { _ in called.add() }
      second.releaseAgentRole()
    }
    first.releaseAgentRole()
    #expect(try first.tryTakeAgentRole())
    #expect(called.value == 0)
  }
}
