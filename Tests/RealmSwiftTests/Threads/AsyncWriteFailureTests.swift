import Dispatch
import Foundation
import Platform
import RealmSwift
import Storage
import Testing

/// Whoever waits is told when a write cannot be begun or committed, and the others get their turn.
@Suite struct AsyncWriteFailureTests {
  let file = TemporaryRealm.forThreads(.full)
  let disk = FailingDisk()
  let thread = LoopThread(name: "failures")

  init() { RealmSystem.use(disk, forFileAt: file.path) }

  /// Commits without a flush and lets the flush fail, which closes the file for writing.
  /// `meanwhile` runs after the commit, `then` when the failure is known.
  private func failFlush(
    of realm: Realm, meanwhile: () -> Void, then: @escaping () -> Void
  ) {
    realm.beginWrite()
    realm.add(Reader(name: "never durable"))
    disk.failsFlushes = true
    realm.commitAsyncWrite(allowGrouping: true) { error in
      #expect(error != nil)
      then()
    }
    meanwhile()
  }

  @Test(.timeLimit(.minutes(5)))
  func aFullDiskIsToldAndLaterWritesGoOn() async {
    await withCheckedContinuation { done in
      thread.perform { [file, disk] in
        let realm = try! file.open()
        let codes = Box<[Realm.Error.Code?]>([])
        disk.isFull = true
        realm.writeAsync {
          realm.add(Reader(name: "lost"))
        } onComplete: { error in
          codes.value.append((error as? Realm.Error)?.code)
        }
        realm.beginAsyncWrite {
          realm.add(Reader(name: "lost as well"))
          realm.commitAsyncWrite(allowGrouping: true) { error in
            codes.value.append((error as? Realm.Error)?.code)
            #expect(codes.value == [.outOfDiskSpace, .outOfDiskSpace])
            disk.isFull = false
          }
        }
        realm.writeAsync {
          // Comes before the completions.
          disk.isFull = false
          realm.add(Reader(name: "Ada"))
        } onComplete: { error in
          #expect(error == nil && codes.value.count == 2)
          #expect(realm.objects(Reader.self).map(\.name) == ["Ada"])
          done.resume()
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func eachWriteThatCannotBeBegunIsToldOfIt() async throws {
    // No version can be pinned any more: there is no room to say so.
    thread.performAndWait { [file] in _ = try! file.open() }
    let database = try Database.open(path: file.path, system: disk)
    let holder = WriterHolder(file)
    let hasAsked = DispatchSemaphore(value: 0)
    let isFull = DispatchSemaphore(value: 0)
    let told = Box<[String]>([])
    let pins = Box<[Snapshot]>([])
    await withCheckedContinuation { done in
      thread.perform { [file, disk] in
        let realm = try! file.open()
        realm.autorefresh = false
        for name in ["first", "second"] {
          realm.writeAsync {
            Issue.record("\(name) cannot begin")
          } onComplete: { error in
            #expect((error as? Realm.Error)?.code == .outOfDiskSpace)
            told.value.append(name)
            guard name == "second" else { return }
            pins.value = []
            disk.isFull = false
            realm.writeAsync({ realm.add(Reader(name: "Ada")) }, onComplete: { _ in done.resume() })
          }
        }
        hasAsked.signal()
        isFull.wait()
      }
      hasAsked.wait()
      holder.end(adding: "Grace")
      disk.isFull = true
      while let pin = try? database.pinNewest() { pins.value.append(pin) }
      isFull.signal()
    }
    #expect(told.value == ["first", "second"])
  }

  @Test(.timeLimit(.minutes(5)))
  func allTasksInLineAreToldThatNobodyCanWrite() async throws {
    let scribe = try await Scribe(file)
    let holder = WriterHolder(file)
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<5 { group.addTask { await scribe.fails(toAdd: "\(index)") } }
      while await scribe.askedCount < 5 { await Task.yield() }
      disk.failsFlushes = true
      holder.end(adding: nil)
      for await hasFailed in group { #expect(hasFailed) }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func aSynchronousWriteThatFailsLeavesNobodyBehind() async {
    let holder = Box<WriterHolder?>(nil)
    await withCheckedContinuation { done in
      thread.perform { [file, thread] in
        let realm = try! file.open()
        failFlush(of: realm) {
          holder.value = WriterHolder(file)
          realm.writeAsync {
            Issue.record("nobody can write")
          } onComplete: { error in
            #expect(error != nil)
            done.resume()
          }
        } then: {
          thread.perform {
            // Takes the place of the one that waits if that has not had its turn, and fails.
            holder.value!.endSoon()
            #expect(throws: Realm.Error.self) { try file.open().write {} }
          }
        }
      }
    }
    holder.value!.wait()
  }

  @Test(.timeLimit(.minutes(5)))
  func whatOthersHaveFlushedIsDurableWhateverFails() async throws {
    try file.open().write {}
    let database = try Database.open(path: file.path, system: disk)
    let realm = try file.open()
    func commit(_ durability: Durability) throws -> Version {
      let transaction = try database.beginWrite()
      return try transaction.commit(durability: durability, history: [1]).version
    }
    // Nothing is flushed in the background for now.
    let isFlushing = DispatchSemaphore(value: 0)
    database.whenDurable(0) { _ in isFlushing.wait() }
    let flushedByOthers = try commit(.relaxed)
    let first = LockedValue<Bool?>(nil)
    database.whenDurable(flushedByOthers) { result in
      first.withLock { $0 = (try? result.get()) != nil }
    }
    _ = try commit(.full)
    let unflushed = try commit(.relaxed)
    disk.failsFlushes = true
    let second = await withCheckedContinuation { told in
      database.whenDurable(unflushed) { told.resume(returning: (try? $0.get()) != nil) }
      isFlushing.signal()
    }
    #expect(first.withLock { $0 } == true && !second)
    withExtendedLifetime(realm) {}
  }

  @Test(.timeLimit(.minutes(5)))
  func anyNumberOfWritesInLineAreTold() async {
    // On a queue, whose threads have small stacks.
    let queue = DispatchQueue(label: "failures")
    let count = 20_000
    let holder = Box<WriterHolder?>(nil)
    await withCheckedContinuation { done in
      queue.async { [file] in
        let realm = try! Realm(configuration: file.configuration, queue: queue)
        let told = Box(0)
        failFlush(of: realm) {
          holder.value = WriterHolder(file)
          for _ in 0..<count {
            realm.writeAsync {
              Issue.record("nobody can write")
            } onComplete: { error in
              told.value += 1
              if told.value == count { done.resume() }
            }
          }
        } then: {
          holder.value!.endSoon()
          #expect(throws: Realm.Error.self) { try realm.write {} }
        }
      }
    }
    holder.value!.wait()
  }
}

private actor Scribe {
  private var realm: Realm!
  private(set) var askedCount = 0

  init(_ file: TemporaryRealm) async throws {
    realm = try await Realm(configuration: file.configuration, actor: self)
  }

  func fails(toAdd name: String) async -> Bool {
    askedCount += 1
    do {
      try await realm.asyncWrite { realm.add(Reader(name: name)) }
      return false
    } catch {
      return true
    }
  }
}
