import Dispatch
import Synchronization
import Testing

@testable import Platform

/// The background queues of many files in one process.
@Suite(.timeLimit(.minutes(5))) struct QueueTests {
  @Test func `jobs of a queue run in their order, one at a time`() {
    let queue = PosixSystem.shared.makeQueue(label: "test")
    let order = Mutex<[Int]>([])
    for index in 0..<1000 { queue.run { order.withLock { $0.append(index) } } }
    queue.drain()
    #expect(order.withLock { $0 } == Array(0..<1000))
  }

  @Test func `many queues that have something to do share a few threads`() {
    let queues = (0..<500).map { PosixSystem.shared.makeQueue(label: "test-\($0)") }
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    for queue in queues {
      queue.run {
        most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        BackgroundThread.pause(nanoseconds: 1_000_000)
        running.subtract(1, ordering: .relaxed)
      }
    }
    for queue in queues { queue.drain() }
    // More only where no job at all has ended for a while.
    #expect(most.load(ordering: .relaxed) <= 4 * JobLimit.jobsMax)
  }

  @Test func `jobs that wait for others do not keep those from running`() {
    let queues = (0..<50).map { PosixSystem.shared.makeQueue(label: "test-\($0)") }
    let last = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    for queue in queues.dropLast() {
      queue.run {
        last.wait()
        ended.signal()
      }
    }
    queues.last!.run { for _ in queues.dropLast() { last.signal() } }
    for _ in queues.dropLast() { ended.wait() }
    // And the limit is what it was.
    queues[0].drain()
  }

  @Test func `a delayed job runs when its time has come`() {
    let queue = PosixSystem.shared.makeQueue(label: "test")
    let done = DispatchSemaphore(value: 0)
    let start = MonotonicClock.now()
    queue.run(afterNanoseconds: 5_000_000) { done.signal() }
    done.wait()
    #expect(MonotonicClock.now() >= start + 5_000_000)
  }
}
