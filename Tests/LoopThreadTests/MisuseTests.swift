import LoopThread
import Testing

@Suite struct MisuseTests {
  @Test func aSecondLoopOnAThreadTraps() async {
    await #expect(processExitsWith: .failure) {
      onNewThread { _ in _ = UVLoop() }
    }
  }

  @Test func runningALoopOnAnotherThreadTraps() async {
    await #expect(processExitsWith: .failure) {
      let thread = LoopThread()
      thread.loop.run()
    }
  }

  @Test func addingATurnHookFromAnotherThreadTraps() async {
    await #expect(processExitsWith: .failure) {
      let thread = LoopThread()
      _ = thread.loop.onTurnStart {}
    }
  }

  @Test func runningALoopFromWithinItselfTraps() async {
    await #expect(processExitsWith: .failure) {
      onNewThread { loop in
        loop.schedule(after: .zero) { loop.run() }
        loop.run()
      }
    }
  }

  @Test func closingALoopFromWithinItselfTraps() async {
    await #expect(processExitsWith: .failure) {
      onNewThread { loop in
        loop.schedule(after: .zero) { loop.close() }
        loop.run()
      }
    }
  }

  @Test func joiningAThreadFromItselfTraps() async {
    await #expect(processExitsWith: .failure) {
      let thread = LoopThread()
      thread.performAndWait { thread.join() }
    }
  }
}
