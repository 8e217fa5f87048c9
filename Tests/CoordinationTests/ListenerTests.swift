import Platform
import Synchronization
import TestSupport
import Testing

@testable import Coordination

/// The real machine, with its wake-ups and threads counted.
private final class ThreadCount: ForwardingSystem {
  let real: any System = PosixSystem.shared
  let awaitedWordsMax: Int
  let wakes = Counter()
  let started = Counter()
  let ended = Counter()

  init(awaitedWordsMax: Int = PosixSystem.shared.awaitedWordsMax) {
    self.awaitedWordsMax = awaitedWordsMax
  }

  var running: Int { started.value - ended.value }

  func startThread(
    name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    started.add()
    try real.startThread(name: name) { [ended] in
      run()
      ended.add()
    }
  }

  @discardableResult
  func wake(_ word: UnsafeMutableRawPointer, count: Int32) -> Int {
    wakes.add()
    return unsafe real.wake(word, count: count)
  }
}

/// The real machine, whose threads begin when they are let go.
private final class HeldThreads: ForwardingSystem {
  let real: any System = PosixSystem.shared
  let begin = Event<Void>()

  func startThread(
    name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    try real.startThread(name: name) { [begin] in
      begin.wait()
      run()
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
  private func commit(_ lockFile: LockFile) throws {
    try lockFile.lockWriter()
    lockFile.publish(published(lockFile.newestVersion.next))
    lockFile.unlockWriter()
    lockFile.wakeOthers()
  }

  @Test func `a process is not woken by its own commits`() throws {
    let system = ThreadCount()
    let lockFile = try Database().open(system: system).lockFile
    let heard = Counter()
    let listener = try lockFile.addListener { heard.add() }
    let before = system.wakes.value
    for _ in 0..<1000 { try commit(lockFile) }
    #expect(system.wakes.value == before)
    #expect(heard.value >= 1000)
    withExtendedLifetime(listener) {}
  }

  /// The thread that listens to other processes calls whoever is there when it is awake just then.
  @Test func `who has committed need not hear of it, and the others do`() throws {
    let system = HeldThreads()
    defer { system.begin.signal(()) }
    let lockFile = try Database().open(system: system).lockFile
    let (first, second) = (Counter(), Counter())
    let listeners = [
      try lockFile.addListener { first.add() }, try lockFile.addListener { second.add() },
    ]
    lockFile.publish(published(2))
    lockFile.wakeOthers(except: listeners[0])
    #expect(first.value == 0)
    #expect(second.value == 1)
  }

  @Test(arguments: [1, 8, 128])
  func `a thread listens to as many files as the kernel lets it`(awaitedWordsMax: Int) throws {
    guard awaitedWordsMax <= PosixSystem.shared.awaitedWordsMax else {
      return print("skipped: this kernel cannot wait for several words")
    }
    let system = ThreadCount(awaitedWordsMax: awaitedWordsMax)
    let count = 150
    let databases = (0..<count).map { _ in Database() }
    let files = try databases.map { try $0.open(system: system).lockFile }
    let others = try databases.map { try $0.open().lockFile }
    let heard = (0..<count).map { _ in Counter() }
    var listeners = try files.enumerated().map { index, file in
      try file.addListener { [heard] in heard[index].add() }
    }
    let perThread = max(awaitedWordsMax - 1, 1)
    #expect(system.started.value == (count + perThread - 1) / perThread)
    for round in 1...5 {
      for other in others { try commit(other) }
      yield { heard.allSatisfy { $0.value >= round } }
    }
    // Half of them stop listening, then hear nothing more; the others do.
    let silenced = listeners.indices.filter { $0 % 2 == 1 }
    for index in silenced.reversed() { listeners.remove(at: index) }
    let before = heard.map(\.value)
    for other in others { try commit(other) }
    yield { heard.indices.allSatisfy { $0 % 2 == 1 || heard[$0].value > before[$0] } }
    for index in silenced { #expect(heard[index].value == before[index]) }
    listeners = []
    yield { system.running == 0 }
  }

  @Test func `files that come while a thread ends are listened to`() throws {
    let system = ThreadCount()
    let database = Database()
    let file = try database.open(system: system).lockFile
    let other = try database.open().lockFile
    for _ in 0..<300 {
      let heard = Event<Void>()
      let isHeard = Flag()
      let listener = try file.addListener {
        if !isHeard.isSet {
          isHeard.set()
          heard.signal(())
        }
      }
      try commit(other)
      heard.wait()
      withExtendedLifetime(listener) {}
    }
    yield { system.running == 0 }
  }
}
