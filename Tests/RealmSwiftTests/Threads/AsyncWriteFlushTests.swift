import RealmSwift
import Storage
import Testing

/// How many flushes asynchronous commits take.
@Suite struct AsyncWriteFlushTests {
  let file = TemporaryRealm.forThreads(.full)
  let thread = LoopThread(name: "flushes")

  /// Makes commits one after the other; says how many versions the disk has held meanwhile, each of
  /// which is a flush that somebody was told of.
  private func flushes(ofCommits count: Int, allowGrouping: Bool) async throws -> Int {
    let versions = Box<Set<Version>>([])
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
}
