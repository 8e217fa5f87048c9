import Foundation
import LoopThread
import Synchronization
import Testing

/// An actor that lives on a loop.
private actor Counter {
  private let loop: UVLoop
  private(set) var value = 0
  private var strayed = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

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

/// The test runner's main thread is not ours, so this is a program of its own.
@Suite struct MainThreadTests {
  @Test func theMainActorWorksOnAMainThreadThatRunsALoop() throws {
    let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let program = Process()
    let output = Pipe()
    program.executableURL = folder.appending(path: "LoopMainProgram")
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
