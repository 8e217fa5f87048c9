import Dispatch
import LoopThread
import Platform
import Synchronization
import Testing

/// Every test runs its loop on a thread of its own: a thread has one loop at most, and the test
/// runner's threads are not ours.
@Suite struct UVLoopTests {
  @Test func currentIsTheLoopOfTheCallingThread() {
    let thread = LoopThread(name: "current")
    let loop = thread.loop
    #expect(UVLoop.current !== loop)
    #expect(!loop.isCurrent)
    #expect(thread.performAndWait { UVLoop.current === loop && loop.isCurrent })
    thread.join()
  }

  @Test func executeRunsEverythingInOrder() {
    let thread = LoopThread()
    let seen = Mutex<[Int]>([])
    for number in 0..<1000 { thread.perform { seen.withLock { $0.append(number) } } }
    thread.join()
    #expect(seen.withLock { $0 } == Array(0..<1000))
  }

  @Test func executeFromManyThreadsLosesNothing() async {
    let thread = LoopThread()
    let order = Order()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<500 { thread.perform { order.note("work") } }
        }
      }
    }
    thread.join()
    #expect(order.count("work") == 4000)
  }

  @Test func workIsRefusedOnceTheLoopIsClosed() {
    let thread = LoopThread()
    thread.join()
    #expect(!thread.perform { Issue.record("ran on a closed loop") })
    thread.loop.wake()
    thread.join()
  }

  @Test func runForEndsAfterTheDuration() {
    onNewThread { loop in
      let clock = ContinuousClock()
      let taken = clock.measure { loop.run(for: .milliseconds(30)) }
      #expect(taken >= .milliseconds(29))
      let again = clock.measure { loop.run(until: .now + .milliseconds(10)) }
      #expect(again >= .milliseconds(9))
    }
  }

  @Test func runForEndsEarlyWhenStopped() {
    onNewThread { loop in
      loop.schedule(after: .milliseconds(5)) { loop.stop() }
      #expect(ContinuousClock().measure { loop.run(for: .seconds(60)) } < .seconds(30))
    }
  }

  @Test func aStopBeforeTheRunIsRemembered() {
    onNewThread { loop in
      loop.stop()
      loop.run()
      var ran = false
      loop.schedule(after: .zero) {
        ran = true
        loop.stop()
      }
      loop.run()
      #expect(ran)
    }
  }

  @Test func runUntilConditionEndsWhenItHolds() {
    onNewThread { loop in
      var ticks = 0
      let timer = loop.schedule(after: .zero, every: .milliseconds(1)) { ticks += 1 }
      #expect(loop.run(until: { ticks == 3 }, timeout: .seconds(30)))
      #expect(ticks == 3)
      timer.cancel()
      #expect(!loop.run(until: { ticks == 4 }, timeout: .milliseconds(20)))
    }
  }

  @Test func turnHooksRunBeforeWorkAndEndWhenCancelled() {
    onNewThread { loop in
      let order = Order()
      let hook = loop.onTurnStart { order.note("turn") }
      loop.execute { order.note("work") }
      loop.run(until: { order.has("work") })
      #expect(order.first == "turn")
      hook.cancel()
      let before = order.count("turn")
      loop.run(for: .milliseconds(5))
      #expect(order.count("turn") == before)
    }
  }

  @Test func wakeFromAnotherThreadStartsATurn() {
    let thread = LoopThread()
    let loop = thread.loop
    let version = Atomic<Int>(0)
    let seen = Atomic<Int>(0)
    let keep = Mutex<Kept?>(nil)
    thread.performAndWait {
      let hook = loop.onTurnStart {
        seen.store(version.load(ordering: .acquiring), ordering: .releasing)
      }
      keep.withLock { $0 = Kept(hook) }
    }
    version.store(7, ordering: .releasing)
    loop.wake()
    thread.performAndWait {}
    #expect(seen.load(ordering: .acquiring) == 7)
    thread.performAndWait { keep.withLock { $0 = nil } }
    thread.join()
  }

  @Test func aHookThatIsDroppedIsNotCalled() {
    onNewThread { loop in
      let order = Order()
      do { _ = loop.onTurnStart { order.note("turn") } }
      loop.run(for: .milliseconds(2))
      #expect(order.count("turn") == 0)
    }
  }

  @Test func anAdoptedLoopIsRunByItsOwner() {
    onBareThread {
      let owner = ForeignLoop()
      let loop = unsafe UVLoop(adopting: owner.handle)
      #expect(UVLoop.current === loop)
      // Nothing of ours keeps the owner's loop going.
      #expect(!owner.run())
      let order = Order()
      loop.execute { order.note("work") }
      loop.schedule(after: .milliseconds(1)) { order.note("timer") }
      owner.run()
      #expect(order.all == ["work", "timer"])
      loop.close()
      owner.run()
      #expect(owner.close())
      #expect(UVLoop.current == nil)
    }
  }

  @Test func aLoopThatIsNotClosedClosesWithItsThread() {
    let loop = Mutex<UVLoop?>(nil)
    onBareThread { loop.withLock { $0 = UVLoop() } }
    #expect(loop.withLock { $0 }?.execute {} == false)
  }

  @Test func aThreadHasAShortSliceAsLongAsItHasALoop() {
    onBareThread {
      ProcessorSlice.setForCallingThread(nil)
      // Before Linux 6.12 there is none, and none comes by asking.
      let usual = ProcessorSlice.ofCallingThread()
      for chosen in [usual, usual.map { $0 / 3 }] {
        ProcessorSlice.setForCallingThread(chosen)
        let loop = UVLoop()
        #expect(ProcessorSlice.ofCallingThread() == usual.map { _ in 100_000 })
        loop.close()
        #expect(ProcessorSlice.ofCallingThread() == chosen)
      }
    }
  }

  @Test func whatALoopStartsInTheBackgroundHasAnOrdinarySlice() {
    onBareThread {
      ProcessorSlice.setForCallingThread(nil)
      let ordinary = ProcessorSlice.ofCallingThread()
      let loop = UVLoop()
      let answer = Mutex<UInt64?>(nil)
      let done = DispatchSemaphore(value: 0)
      try! BackgroundThread.start(name: "ordinary") {
        answer.withLock { $0 = ProcessorSlice.ofCallingThread() }
        done.signal()
      }
      done.wait()
      #expect(answer.withLock { $0 } == ordinary)
      loop.close()
    }
  }
}
