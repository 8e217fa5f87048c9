import Platform
import TestSupport
import Testing

@testable import Coordination

@Suite struct WakeUpTests {
  let database = Database()

  private func commit(_ version: Version, by lockFile: LockFile) {
    lockFile.publish(published(version))
    lockFile.wakeOthers()
  }

  /// Reads what a child says until it has heard of the version; it may hear of one before it first.
  private func awaitHearing(of version: Version, by child: ChildProcess) throws {
    while true {
      let words = try child.readLine().split(separator: " ")
      if words.first == "heard", words[1] == "\(version)" { return }
    }
  }

  @Test func commitsReachListenersInOtherProcesses() throws {
    let lockFile = try database.open().lockFile
    let children = try (0..<2).map { _ in try database.process() }
    for child in children {
      try child.ask("open")
      #expect(try child.ask("listen") == "listening")
    }
    for number in 2...50 as ClosedRange<UInt64> {
      commit(Version(number), by: lockFile)
      for child in children { try awaitHearing(of: Version(number), by: child) }
    }
  }

  @Test func commitsReachListenersInTheSameProcess() throws {
    let lockFile = try database.open().lockFile
    let heard = Event<Void>()
    let listener = try lockFile.addListener {
      if lockFile.newestVersion == 2 { heard.signal(()) }
    }
    commit(2, by: lockFile)
    heard.wait()
    withExtendedLifetime(listener) {}
  }

  @Test func aDeadListenerDoesNotMatter() throws {
    let lockFile = try database.open().lockFile
    let children = try (0..<2).map { _ in try database.process() }
    for child in children {
      try child.ask("open")
      try child.ask("listen")
    }
    children[0].kill()
    for number in 2...10 as ClosedRange<UInt64> {
      commit(Version(number), by: lockFile)
      try awaitHearing(of: Version(number), by: children[1])
    }
  }

  @Test func whoStopsListeningHearsNothingMore() throws {
    let lockFile = try database.open().lockFile
    let calls = Counter()
    let heard = Event<Void>()
    var first: CommitListener? = try lockFile.addListener { calls.add() }
    _ = first
    first = nil
    let second = try lockFile.addListener { heard.signal(()) }
    commit(2, by: lockFile)
    heard.wait()
    #expect(calls.value == 0)
    withExtendedLifetime(second) {}
  }

  @Test func aWriterKilledBeforeItCouldWakeAnybodyIsHeardOfAllTheSame() throws {
    let lockFile = try database.open().lockFile
    let heard = Event<Void>()
    let listener = try lockFile.addListener {
      if lockFile.newestVersion == 2 { heard.signal(()) }
    }
    lockFile.publish(published(2))
    heard.wait()
    withExtendedLifetime(listener) {}
  }
}
