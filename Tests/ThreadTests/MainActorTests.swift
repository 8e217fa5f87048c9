import EngineLab
import Testing
import RealmLab

/// The test runner's main thread is not ours, so each of these is a program of its own.
@Suite struct MainActorTests {
  @Test(arguments: MainThreadKind.allCases)
  func `the main actor opens, writes, observes and follows other processes`(
    _ kind: MainThreadKind
  ) async throws {
    let lines = try await onOwnThread { try MainActorRun(kind).run() }
    // Once the main thread has called dispatchMain(), as an asynchronous `main` does, others serve
    // its queue.
    let isMainThread = kind == .loop || kind == .runLoop
    #expect(
      lines == [
        "opened \(isMainThread)", "written 1 \(isMainThread)", "observes 1",
        "told +1 of 2 \(isMainThread)", "moved on 2", "end",
      ])
  }

  @Test func `a main queue that waits inside a block of its own hears of asynchronous writes`()
    async throws
  {
    let lines = try await onOwnThread { try NestedRunLoop().run() }
    #expect(lines == ["written", "complete", "told true", "end"])
  }
}
