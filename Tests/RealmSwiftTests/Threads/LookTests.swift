import Dispatch
import Synchronization
import Testing

@testable import RealmSwift

@Suite("looks at a file") struct LookTests {
  private final class Counter: Sendable {
    let looks = Atomic<Int>(0)
    let commits = Atomic<Int>(0)
    let seen = Atomic<Int>(0)
  }

  @Test("are one for all commits that are made before it begins, and it sees them all")
  func many() {
    let queue = DispatchQueue(label: "test")
    let counter = Counter()
    let looks = FileLooks(on: queue) {
      counter.looks.add(1, ordering: .relaxed)
      counter.seen.store(counter.commits.load(ordering: .relaxed), ordering: .relaxed)
    }
    queue.suspend()
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in
      counter.commits.add(1, ordering: .relaxed)
      looks.ask()
    }
    queue.resume()
    queue.sync {}
    #expect(counter.looks.load(ordering: .relaxed) == 1)
    #expect(counter.seen.load(ordering: .relaxed) == 1000)
  }

  @Test("are one more for what is committed while one is under way")
  func underWay() {
    let queue = DispatchQueue(label: "test")
    let counter = Counter()
    let (began, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let looks = FileLooks(on: queue) {
      guard counter.looks.add(1, ordering: .relaxed).oldValue == 0 else { return }
      began.signal()
      goesOn.wait()
    }
    looks.ask()
    began.wait()
    for _ in 0..<1000 { looks.ask() }
    goesOn.signal()
    queue.sync {}
    #expect(counter.looks.load(ordering: .relaxed) == 2)
  }

  @Test("come after a pause where nobody waits for them, one for all that was asked until then")
  func pause() async {
    let (seen, sees) = AsyncStream<Int>.makeStream()
    let counter = Counter()
    let queue = DispatchQueue(label: "test")
    let looks = FileLooks(on: queue, pause: .milliseconds(20)) {
      sees.yield(counter.commits.load(ordering: .relaxed))
    }
    let begin = ContinuousClock.now
    // The queue does nothing meanwhile, however long this takes.
    queue.suspend()
    for _ in 0..<1000 {
      counter.commits.add(1, ordering: .relaxed)
      looks.ask()
    }
    queue.resume()
    var all = seen.makeAsyncIterator()
    #expect(await all.next() == 1000)
    #expect(ContinuousClock.now - begin >= .milliseconds(20))
    looks.ask()
    #expect(await all.next() == 1000)
  }
}
