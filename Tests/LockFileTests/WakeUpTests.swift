import Platform
import Testing

@testable import LockFile

@Suite struct WakeUpTests {
  let database = Database()

  private func commit(_ version: UInt64, by lockFile: LockFile) {
    lockFile.publish(published(version))
    lockFile.wakeOthers()
  }

  /// Reads what a child says until it has heard of the version; it may hear of one before it first.
  private func hears(_ child: ChildProcess, _ version: UInt64) -> Bool {
    while let line = child.readLine() {
      let words = line.split(separator: " ")
      if words.first == "heard", words[1] == "\(version)" { return true }
    }
    return false
  }

  @Test func commitsReachListenersInOtherProcesses() throws {
    let lockFile = try database.open().lockFile
    let children = try (0..<2).map { _ in try database.process() }
    for child in children {
      child.ask("open")
      #expect(child.ask("listen") == "listening")
    }
    for version in 2...50 as ClosedRange<UInt64> {
      commit(version, by: lockFile)
      for child in children { #expect(hears(child, version)) }
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
      child.ask("open")
      child.ask("listen")
    }
    children[0].kill()
    for version in 2...10 as ClosedRange<UInt64> {
      commit(version, by: lockFile)
      #expect(hears(children[1], version))
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
