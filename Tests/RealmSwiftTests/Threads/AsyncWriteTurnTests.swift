import Dispatch
import Foundation
import RealmSwift
import Synchronization
import Testing

/// Who gets the writer when threads are busy or blocked.
@Suite(.serialized) struct AsyncWriteTurnTests {
  let thread = LoopThread(name: "turns")

  @Test(.timeLimit(.minutes(5)))
  func aLoopThatIsClosedLetsGoOfItsWrites() async throws {
    let file = TemporaryRealm.forThreads(.full)
    let told = Box<[Bool]>([])
    let holder = Box<WriterHolder?>(nil)
    thread.performAndWait {
      let realm = try! file.open()
      realm.beginWrite()
      realm.add(Reader(name: "Ada"))
      realm.commitAsyncWrite(allowGrouping: true) { _ in told.value.append(realm.isFrozen) }
      holder.value = WriterHolder(file)
      realm.writeAsync {
        Issue.record("its turn does not come")
      } onComplete: { error in
        told.value.append(error != nil && realm.objects(Reader.self).count == 1)
        // Nobody will run that either.
        realm.writeAsync {
        } onComplete: { _ in
          Issue.record("\(realm) has no place any more")
        }
      }
      thread.stop()
    }
    thread.join()
    holder.value!.end()
    #expect(told.value == [true])
    // The commit is flushed in the background, and keeps the file open until then.
    while true {
      do {
        #expect(try Realm.deleteFiles(for: file.configuration))
        break
      } catch let error as Realm.Error where error.code == .alreadyOpen {
        await Task.yield()
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func aLoopThatIsAlwaysBusyGetsItsTurnWhileOthersWrite() async {
    let relaxed = TemporaryRealm.forThreads(.relaxed)
    let isOver = Flag()
    let writers = DispatchGroup()
    await withCheckedContinuation { done in
      for _ in 0..<2 {
        DispatchQueue(label: "writer").async(group: writers) {
          let realm = try! relaxed.open()
          while !isOver.isSet {
            try! realm.write {
              realm.add(Reader(name: "Ada"))
              usleep(1000)
            }
          }
        }
      }
      keepBusy(until: isOver)
      thread.perform {
        let realm = try! relaxed.open()
        realm.writeAsync({ realm.add(Reader(name: "Grace")) }, onComplete: { _ in done.resume() })
      }
    }
    isOver.set()
    writers.wait()
  }

  @Test(.timeLimit(.minutes(5)))
  func aTransactionThatIsDroppedIsCancelledAndTheRealmsWritesGetTheirTurn() async throws {
    let file = TemporaryRealm.forThreads(.full)
    await withCheckedContinuation { done in
      thread.perform {
        let realm = try! file.open()
        realm.beginWrite()
        realm.add(Reader(name: "dropped"))
        for name in ["Ada", "Grace"] {
          realm.writeAsync {
            let realm = try! file.open()
            #expect(realm.isInWriteTransaction)
            realm.add(Reader(name: name))
          } onComplete: { error in
            #expect(error == nil)
            if name == "Grace" { done.resume() }
          }
        }
      }
    }
    file.writeElsewhere { realm in
      #expect(Array(realm.objects(Reader.self).map(\.name)) == ["Ada", "Grace"])
    }
    thread.stop()
  }

  /// Each turn of the loop takes longer than others are made to wait for it.
  private func keepBusy(until isOver: Flag, milliseconds: UInt32 = 30) {
    thread.perform { [self] in
      usleep(milliseconds * 1000)
      if !isOver.isSet { keepBusy(until: isOver, milliseconds: milliseconds) }
    }
  }

  /// No turn of the loop ends before others have made some commits.
  private func keepBusy(until isOver: Flag, beside commits: DispatchSemaphore) {
    thread.perform { [self] in
      for _ in 0..<Self.commitsPerTurn { commits.wait() }
      if !isOver.isSet { keepBusy(until: isOver, beside: commits) }
    }
  }

  /// Fewer than the turns after which a reservation expires.
  private static let commitsPerTurn = 8

  /// If a turn that the loop cannot take were not given back, neither would go on.
  @Test(.timeLimit(.minutes(5)))
  func aLoopThatMissesManyTurnsDoesNotKeepOthersWaitingForIt() async {
    let relaxed = TemporaryRealm.forThreads(.relaxed)
    let isOver = Flag()
    let commits = DispatchSemaphore(value: 0)
    let writers = DispatchGroup()
    await withCheckedContinuation { done in
      DispatchQueue(label: "writer").async(group: writers) {
        let realm = try! relaxed.open()
        while !isOver.isSet {
          try! realm.write { realm.add(Reader(name: "Ada")) }
          commits.signal()
        }
      }
      keepBusy(until: isOver, beside: commits)
      thread.perform {
        let realm = try! relaxed.open()
        for _ in 0..<2 { realm.writeAsync { realm.add(Reader(name: "Grace")) } }
        realm.writeAsync({ realm.add(Reader(name: "Grace")) }, onComplete: { _ in done.resume() })
      }
    }
    isOver.set()
    for _ in 0..<Self.commitsPerTurn { commits.signal() }
    writers.wait()
    relaxed.writeElsewhere { realm in
      #expect(realm.objects(Reader.self).filter("name == 'Grace'").count == 3)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func aLoopThatWaitsForManyWritersDoesNotHoldThemUp() {
    let relaxed = TemporaryRealm.forThreads(.relaxed)
    let waited = thread.performAndWait {
      // Its turn comes, and the thread cannot take it. Nor is a thread of the global queues free.
      let realm = try! relaxed.open()
      realm.writeAsync {}
      let start = ContinuousClock.now
      let writers = DispatchGroup()
      for _ in 0..<20 {
        DispatchQueue.global().async(group: writers) {
          let other = try! relaxed.open()
          try! other.write { other.add(Reader(name: "Ada")) }
        }
      }
      writers.wait()
      return ContinuousClock.now - start
    }
    #expect(waited < .seconds(5), "a turn that is not taken goes back after 20 ms")
  }
}

private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
