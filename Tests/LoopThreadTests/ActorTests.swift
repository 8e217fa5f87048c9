import Foundation
import LoopThread
import Synchronization
import Testing

/// An actor that lives on a loop.
private actor Counter {
  private let loop: UVLoop
  private(set) var value = 0
  private var strayed = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(loop: UVLoop) { self.loop = loop }

  func add() {
    if !loop.isCurrent { strayed += 1 }
    value += 1
  }

  func addTwiceAcrossSuspension() async {
    add()
    await Task.yield()
    add()
  }

  func result() -> (value: Int, strayed: Int) { (value, strayed) }

  nonisolated func assumeAndAdd() { assumeIsolated { $0.add() } }
}

@Suite struct ActorTests {
  @Test func anActorRunsOnItsLoopsThreadOnly() async {
    let thread = LoopThread(name: "actor")
    let counter = Counter(loop: thread.loop)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { await counter.addTwiceAcrossSuspension() } }
    }
    let result = await counter.result()
    #expect(result.value == 200)
    #expect(result.strayed == 0)
    thread.join()
  }

  @Test func codeOnTheLoopIsIsolatedToItsActors() async {
    let thread = LoopThread()
    let counter = Counter(loop: thread.loop)
    thread.performAndWait { counter.assumeAndAdd() }
    let value = await counter.value
    #expect(value == 1)
    thread.join()
  }

  @Test func twoActorsOnOneLoopShareItsContext() async {
    let thread = LoopThread()
    let first = Counter(loop: thread.loop)
    let second = Counter(loop: thread.loop)
    await first.add()
    await second.add()
    thread.performAndWait {
      first.assumeAndAdd()
      second.assumeAndAdd()
    }
    #expect(await first.value == 2)
    thread.join()
  }
}

/// Actors that outlive their loop.
@Suite struct ClosedLoopTests {
  @Test(.timeLimit(.minutes(5)))
  func `an actor whose loop is closed goes on, one job at a time`() async {
    let thread = LoopThread()
    let counter = Counter(loop: thread.loop)
    await counter.add()
    thread.join()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { await counter.addTwiceAcrossSuspension() } }
    }
    let result = await counter.result()
    #expect(result.value == 201)
    #expect(result.strayed == 200)
  }

  @Test(.timeLimit(.minutes(5)))
  func `jobs that come while the loop closes run after what it ran before`() async {
    for _ in 0..<50 {
      let thread = LoopThread()
      let counter = Counter(loop: thread.loop)
      let tasks = (0..<20).map { _ in Task { await counter.addTwiceAcrossSuspension() } }
      thread.join()
      for task in tasks { await task.value }
      #expect(await counter.value == 40)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `code of an actor knows that it is isolated when its loop is closed`() async {
    let thread = LoopThread()
    let counter = Counter(loop: thread.loop)
    thread.join()
    func assumeWithin(_ counter: isolated Counter) { counter.assumeAndAdd() }
    await assumeWithin(counter)
    #expect(await counter.value == 1)
  }
}

/// The test runner's main thread is not ours, so this is a program of its own.
@Suite struct MainThreadTests {
  @Test func theMainActorWorksOnAMainThreadThatRunsALoop() throws {
    let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let program = Process()
    let output = Pipe()
    program.executableURL = folder.appending(path: "TestProgram")
    program.arguments = ["loop-on-main-thread"]
    program.standardOutput = output
    try program.run()
    let text = try output.fileHandleForReading.readToEnd().map {
      String(decoding: $0, as: UTF8.self)
    }
    program.waitUntilExit()
    #expect(program.terminationStatus == 0)
    #expect(
      text == "from a detached task, loop, main actor, main actor after a sleep, main queue\n"
    )
  }
}
