import Dispatch
import Foundation
import RealmSwift
import Testing

@Suite struct ThreadTests {
  let file = TemporaryRealm()

  @Test func anotherThreadSeesWhatWasCommittedAfterRefreshing() throws {
    let thread = LoopThread(name: "reader")
    defer { thread.join() }
    let realm = try file.open()
    let animals = realm.objects(Animal.self)
    thread.performAndWait { [file] in
      let other = try! file.open()
      try! other.write { other.add(Animal("Rex")) }
    }
    #expect(animals.count == 0, "an instance stays at its version")
    #expect(realm.refresh())
    #expect(animals.count == 1)
    #expect(!realm.refresh())
  }

  @Test func writingMovesToTheNewestVersion() throws {
    let thread = LoopThread(name: "writer")
    defer { thread.join() }
    let realm = try file.open()
    thread.performAndWait { [file] in
      let other = try! file.open()
      try! other.write { other.add(Animal("Rex")) }
    }
    try realm.write {
      #expect(realm.objects(Animal.self).count == 1)
    }
  }

  @Test func aLoopThreadRefreshesByItself() async throws {
    let thread = LoopThread(name: "viewer")
    defer { thread.join() }
    let file = file
    await withCheckedContinuation { continuation in
      thread.perform {
        let realm = try! file.open()
        let token = RealmBox()
        token.token = realm.observe { notification, realm in
          #expect(notification == .didChange)
          #expect(realm.objects(Animal.self).first?.name == "Rex")
          token.token = nil
          continuation.resume()
        }
        DispatchQueue.global().async {
          let other = try! file.open()
          try! other.write { other.add(Animal("Rex")) }
        }
      }
    }
  }

  @Test func withoutAutorefreshARealmStaysAndIsToldOfNewerVersions() async throws {
    let thread = LoopThread(name: "viewer")
    defer { thread.join() }
    let file = file
    await withCheckedContinuation { continuation in
      thread.perform {
        let realm = try! file.open()
        realm.autorefresh = false
        let token = RealmBox()
        token.token = realm.observe { notification, realm in
          #expect(notification == .refreshRequired)
          #expect(realm.isEmpty)
          token.token = nil
          #expect(realm.refresh())
          #expect(!realm.isEmpty)
          continuation.resume()
        }
        DispatchQueue.global().async {
          let other = try! file.open()
          try! other.write { other.add(Animal("Rex")) }
        }
      }
    }
  }

  @Test(
    "a loop goes on at its version while no other can be pinned, and moves on later",
    .timeLimit(.minutes(5)), arguments: [true, false])
  func wantOfRoom(isComparedByAWorker: Bool) throws {
    let file = TemporaryRealm(TemporaryRealm.types, .full)
    let disk = FailingDisk()
    RealmSystem.use(disk, forFileAt: file.path)
    let thread = LoopThread(name: "viewer")
    defer { thread.join() }
    let box = RealmBox()
    let told = Box<[String]>([])
    let isTold = DispatchSemaphore(value: 0)
    thread.performAndWait {
      box.realm = try! file.open()
      if isComparedByAWorker { box.realm!.turnObjectsMax = 0 }
      box.token = box.realm!.objects(Animal.self).observe {
        told.value.append($0.text)
        isTold.signal()
      }
    }
    isTold.wait()
    let shortage = try PinShortage(of: file, on: disk)
    shortage.commit { $0.add(Animal("Rex")) }
    shortage.waitForRefusal()
    thread.performAndWait {
      #expect(box.realm!.isEmpty)
      #expect(!box.realm!.refresh(), "no room")
      #expect(box.realm!.isEmpty && told.value == ["initial"])
    }
    shortage.end()
    file.writeElsewhere { $0.add(Animal("Ada")) }
    // A turn that came late may have moved it in between.
    while thread.performAndWait({ box.realm!.objects(Animal.self).count }) < 2 { isTold.wait() }
    thread.performAndWait {
      #expect([["[] [0, 1] []"], ["[] [0] []", "[] [1] []"]].contains(told.value.dropFirst()))
      box.token = nil
      box.realm = nil
    }
  }

  @Test func aQueueConfinedRealmIsUsedOnItsQueue() throws {
    let queue = DispatchQueue(label: "animals")
    let file = file
    let count = try queue.sync {
      let realm = try Realm(configuration: file.configuration, queue: queue)
      try realm.write { realm.add(Animal("Rex")) }
      return realm.objects(Animal.self).count
    }
    #expect(count == 1)
  }

  @Test @MainActor func theMainQueueIsTheMainThread() throws {
    let realm = try file.open()
    #expect(try Realm(configuration: file.configuration, queue: .main) == realm)
    let queue = try #require(unsafe OperationQueue.main.underlyingQueue)
    #expect(try Realm(configuration: file.configuration, queue: queue) == realm)
  }

  @Test func aQueuesRealmIsOneWhoeverAsksForIt() {
    let file = file
    for _ in 0..<50 {
      let queue = DispatchQueue(label: "animals")
      let realms = (0..<4).map { _ in RealmBox() }
      DispatchQueue.concurrentPerform(iterations: realms.count) { index in
        realms[index].realm = try! Realm(configuration: file.configuration, queue: queue)
      }
      #expect(realms.allSatisfy { $0.realm == realms[0].realm })
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func aRealmThatIsOpenedDuringACommitRefreshesByItself() throws {
    let thread = LoopThread(name: "viewer")
    defer { thread.join() }
    let file = file
    let realm = try file.open()
    let box = RealmBox()
    for count in 1...2000 {
      let isOpening = DispatchSemaphore(value: 0)
      thread.perform {
        isOpening.signal()
        box.realm = try! file.open()
      }
      isOpening.wait()
      try realm.write { realm.add(Animal("Rex")) }
      while thread.performAndWait({ box.realm!.objects(Animal.self).count }) < count {}
      thread.performAndWait { box.realm = nil }
    }
  }

  /// Opens in the background, and returns what the callback was given, as text.
  private func openInBackground(
    _ configuration: Realm.Configuration, _ queue: DispatchQueue
  ) async -> String {
    await withCheckedContinuation { done in
      Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
        dispatchPrecondition(condition: .onQueue(queue))
        do {
          let realm = try result.get()
          try realm.write { realm.add(Animal("Rex")) }
          let isQueues = try Realm(configuration: configuration, queue: queue) == realm
          done.resume(returning: "\(realm.objects(Animal.self).count) \(isQueues)")
        } catch let error as Realm.Error {
          done.resume(returning: "\(error.code == .fileNotFound)")
        } catch {
          done.resume(returning: "\(error)")
        }
      }
    }
  }

  @Test func openingInTheBackgroundGivesTheQueuesRealm() async {
    let queue = DispatchQueue(label: "opened")
    #expect(await openInBackground(file.configuration, queue) == "1 true")
    #expect(await openInBackground(file.configuration, .main) == "2 true")
  }

  @Test func openingInTheBackgroundTellsWhyItFails() async {
    var configuration = file.configuration
    configuration.readOnly = true
    #expect(await openInBackground(configuration, DispatchQueue(label: "opened")) == "true")
  }

  @Test func anOpeningThatIsCalledOffTellsNothing() async {
    let queue = DispatchQueue(label: "opened")
    queue.suspend()
    let task = Realm.asyncOpen(configuration: file.configuration, callbackQueue: queue) { _ in
      Issue.record("was called off")
    }
    task.cancel()
    queue.resume()
    #expect(await openInBackground(file.configuration, queue) == "1 true")
    queue.sync {}
  }

  @Test func concurrentQueuesAreRefused() async {
    await #expect(processExitsWith: .failure) {
      let queue = DispatchQueue(label: "all", attributes: .concurrent)
      _ = try Realm(configuration: TemporaryRealm().configuration, queue: queue)
    }
    await #expect(processExitsWith: .failure) {
      _ = try Realm(configuration: TemporaryRealm().configuration, queue: .global())
    }
  }

  @Test func writersOnManyThreadsLoseNothing() throws {
    let file = file
    do {
      let realm = try file.open()
      try realm.write { realm.add(Keeper(value: ["id": 0, "name": ""])) }
    }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let realm = try! file.open()
      for _ in 0..<50 {
        try! realm.write { realm.object(ofType: Keeper.self, forPrimaryKey: 0)!.name += "x" }
      }
    }
    let realm = try file.open()
    realm.refresh()
    #expect(realm.object(ofType: Keeper.self, forPrimaryKey: 0)?.name.count == 200)
  }
}

/// Keeps a token for a handler that drops it.
final class RealmBox: @unchecked Sendable {
  // Sendable: used on one thread.
  var token: NotificationToken?
  var realm: Realm?
}
