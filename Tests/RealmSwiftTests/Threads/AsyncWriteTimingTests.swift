import Dispatch
import Foundation
import RealmSwift
import Storage
import Testing

/// How many flushes asynchronous commits take, and how long they keep a loop from turning.
@Suite(.serialized) struct AsyncWriteTimingTests {
  let file = TemporaryRealm.forThreads(.full)
  let thread = LoopThread(name: "timing")

  /// Makes commits one after the other; says how many versions the disk has held meanwhile, each of
  /// which is a flush that somebody was told of.
  private func flushes(ofCommits count: Int, allowGrouping: Bool) async throws -> Int {
    let versions = Box<Set<UInt64>>([])
    let thread = thread
    let file = file
    await withCheckedContinuation { done in
      thread.perform {
        let realm = try! file.open()
        let database = try! Database.open(path: file.path)
        for index in 1...count {
          realm.beginAsyncWrite {
            realm.add(Volume(value: ["pages": index]))
            realm.commitAsyncWrite(allowGrouping: allowGrouping) { error in
              #expect(error == nil)
              versions.value.insert(database.durableVersion)
              if index == count { done.resume() }
            }
          }
        }
      }
    }
    return versions.value.count
  }

  @Test func groupedCommitsShareFlushes() async throws {
    let single = try await flushes(ofCommits: 100, allowGrouping: false)
    #expect(single == 100)
    let grouped = try await flushes(ofCommits: 2000, allowGrouping: true)
    #expect(grouped < 2000 / 20)
  }

  /// The gaps between the turns of a timer that is due every millisecond, while the body runs.
  private func pauses(while body: () async -> Void) async -> [Duration] {
    let gaps = Box<[Duration]>([])
    let timer = Box<LoopTimer?>(nil)
    let thread = thread
    thread.performAndWait {
      var last = ContinuousClock.now
      timer.value = thread.loop.schedule(after: .milliseconds(1), every: .milliseconds(1)) {
        let now = ContinuousClock.now
        gaps.value.append(now - last)
        last = now
      }
    }
    await body()
    thread.performAndWait { timer.value?.cancel() }
    return gaps.value
  }

  /// Holds the writer for half a second, then commits large transactions for as long.
  private func obstruct(_ begun: DispatchSemaphore) {
    let file = file
    Thread.detachNewThread {
      let realm = try! file.open()
      realm.beginWrite()
      begun.signal()
      let end = ContinuousClock.now + .milliseconds(500)
      while ContinuousClock.now < end { usleep(1000) }
      realm.cancelWrite()
      let subject = String(repeating: "x", count: 10 << 20)
      while ContinuousClock.now < end + .milliseconds(500) {
        try! realm.write {
          realm.deleteAll()
          realm.add(Letter(value: ["subject": subject]))
        }
      }
    }
  }

  @Test func aLoopTurnsWhileOthersHoldTheWriter() async throws {
    let file = file
    let thread = thread
    thread.performAndWait { _ = try! file.open() }
    let begun = DispatchSemaphore(value: 0)
    obstruct(begun)
    let gaps = await pauses {
      await withCheckedContinuation { done in
        thread.perform {
          begun.wait()
          let realm = try! file.open()
          for index in 1...100 {
            realm.writeAsync {
              realm.add(Reader(name: "\(index)"))
            } onComplete: { error in
              #expect(error == nil)
              if index == 100 { done.resume() }
            }
          }
        }
      }
    }
    let longest = gaps.max()!
    // Waiting for the writer would take half a second. How short pauses really are is measured
    // where nothing else runs.
    #expect(longest < .milliseconds(250))
    print("turns: \(gaps.count), longest pause: \(longest)")
  }
}
