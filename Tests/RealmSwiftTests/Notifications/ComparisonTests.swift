import Dispatch
import Foundation
import Platform
import RealmSwift
import Storage
import Testing

/// Says what happens where comparisons of one file are made: on which thread, and when.
final class ComparisonWatch: Sendable {
  private static let watches = LockedValue<[String: ComparisonWatch]>([:])
  private static let hook: Void = ChangeComputations.onStart.withLock {
    $0 = .init { path in watches.withLock { $0[path] }?.begin() }
  }

  private let path: String
  private let isObserver: @Sendable () -> Bool
  private let isHolding = LockedValue(false)
  private let places = LockedValue<[String]>([])
  private let release = DispatchSemaphore(value: 0)
  private let held = DispatchSemaphore(value: 0)

  /// - Parameter isObserver: whether the caller is where the observers live.
  init(_ path: String, isObserver: @escaping @Sendable () -> Bool) {
    self.path = path
    self.isObserver = isObserver
    _ = Self.hook
    Self.watches.withLock { $0[path] = self }
  }

  func end() { Self.watches.withLock { $0[path] = nil } }

  private func begin() {
    let isObserver = isObserver()
    places.withLock { $0.append(isObserver ? "observer" : "worker") }
    if isObserver || !isHolding.withLock({ $0 }) { return }
    held.signal()
    release.wait()
  }

  /// Where comparisons were made since the last call.
  func takePlaces() -> [String] {
    places.withLock { places in
      defer { places = [] }
      return places
    }
  }

  /// From now on a worker stops where it begins, until it is let go on.
  func hold() { isHolding.withLock { $0 = true } }
  /// Blocks no thread of the actors', which may be needed for the worker to get so far.
  func waitUntilHeld() async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "watch").async { [held] in
        held.wait()
        continuation.resume()
      }
    }
  }
  /// The worker that is held goes on; the next one stops again.
  func letOneGo() { release.signal() }
  func letGo() {
    isHolding.withLock { $0 = false }
    release.signal()
  }
}

/// Change sets that a worker makes while the observer's thread goes on.
@Suite struct ComparisonTests {
  let observatory = Observatory()
  let box = RealmBox()
  let watch: ComparisonWatch

  init() {
    let thread = observatory.thread
    watch = ComparisonWatch(observatory.file.path) { thread.loop.isCurrent }
  }

  /// Observes so many animals by age, those of age 5 and older, that a worker has to compare them.
  private func observeMany() async {
    observatory.writeElsewhere { realm in
      for age in 0..<1200 { realm.add(Animal("\(age)", age: age)) }
    }
    observatory.run { [observatory, box] realm in
      realm.refresh()
      box.token = realm.objects(Animal.self).where { $0.age >= 5 }.sorted(by: \.age).observe {
        if case .update(let animals, _, _, _) = $0 {
          observatory.tell("\($0.text) of \(animals.count)")
        } else {
          observatory.tell($0.text)
        }
      }
    }
    #expect(await observatory.next() == "initial")
    #expect(watch.takePlaces() == ["worker"])
  }

  private func age(_ name: String, _ age: Int, _ realm: Realm) {
    realm.objects(Animal.self).where { $0.name == name }[0].age = age
  }

  private func end() {
    observatory.run { [box] _ in box.token = nil }
    watch.end()
  }

  @Test func aLargeComparisonRunsWhileTheObserversLoopTurns() async {
    await observeMany()
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    // The loop turns as often as it is asked to while the comparison goes nowhere.
    for _ in 0..<50 {
      observatory.run { realm in
        #expect(realm.objects(Animal.self).where { $0.age == 3000 }.isEmpty, "not moved on yet")
      }
    }
    watch.letGo()
    #expect(await observatory.next() == "[2] [1194] [] of 1195")
    #expect(watch.takePlaces() == ["worker"])
    end()
  }

  @Test func aSmallComparisonIsMadeOnTheObserversTurn() async {
    observatory.run { [observatory, box] realm in
      box.token = realm.objects(Animal.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.add(Animal("a")) }
    #expect(await observatory.next() == "[] [0] []")
    #expect(watch.takePlaces() == ["observer", "observer"])
    end()
  }

  @Test func aLargeCommitIsComparedByAWorkerHoweverSmallTheCollection() async {
    await observeMany()
    observatory.run { [box] _ in box.token = nil }
    observatory.run { [observatory, box] realm in
      let rex = realm.objects(Animal.self)[0]
      box.token = rex.observe { (_: ObjectChange<Animal>) in observatory.tell("rex") }
    }
    observatory.writeElsewhere { realm in
      let animals = realm.objects(Animal.self)
      for index in stride(from: 0, to: animals.count, by: 2) { animals[index].weight += 1 }
      for index in stride(from: 0, to: animals.count, by: 3) { animals[index].isTame = true }
      for index in stride(from: 0, to: animals.count, by: 5) { animals[index].born = Date() }
      for animal in animals { realm.add(Animal("young", age: animal.age)) }
      for index in stride(from: 1, to: 1200, by: 7).reversed() { realm.delete(animals[index]) }
      for index in stride(from: 0, to: 1000, by: 3) { animals[index].name += "!" }
      for index in stride(from: 0, to: 1000, by: 2) { animals[index].keeper = nil }
    }
    #expect(await observatory.next() == "rex")
    #expect(watch.takePlaces() == ["worker"])
    end()
  }

  @Test func refreshingDoesNotWaitForAWorkerAndNothingIsToldTwice() async {
    await observeMany()
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    observatory.run { realm in #expect(realm.refresh()) }
    #expect(await observatory.next() == "[2] [1194] [] of 1195")
    watch.letGo()
    observatory.writeElsewhere { realm in age("8", 2, realm) }
    #expect(await observatory.next() == "[2] [] [] of 1194")
    #expect(watch.takePlaces() == ["worker", "observer", "worker"])
    end()
  }

  @Test func writesDuringAComparisonAreToldTogetherWithWhatItFinds() async {
    await observeMany()
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    for name in ["8", "9"] {
      observatory.run { realm in try realm.write { age(name, 1, realm) } }
    }
    watch.letGo()
    // Where "8" and "9" stood before "7" went.
    #expect(await observatory.next() == "[2, 3, 4] [1192] [] of 1193")
    end()
  }

  @Test func severalCommitsDuringAComparisonBecomeTheNextChangeSet() async {
    await observeMany()
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    for name in ["8", "9"] { observatory.writeElsewhere { realm in age(name, 1, realm) } }
    watch.letGo()
    #expect(await observatory.next() == "[2] [1194] [] of 1195")
    #expect(await observatory.next() == "[2, 3] [] [] of 1193")
    end()
  }

  @Test func aSilencedWriteIsLeftOutAndEarlierOnesAreToldBeforeIt() async {
    await observeMany()
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    observatory.run { [box] realm in
      try realm.write(withoutNotifying: [box.token!]) { age("8", 1, realm) }
    }
    watch.letGo()
    #expect(await observatory.next() == "[2] [1194] [] of 1195")
    observatory.writeElsewhere { realm in age("9", 1, realm) }
    #expect(await observatory.next() == "[2] [] [] of 1193")
    end()
  }

  @Test func withoutAutorefreshTheRealmStaysWhereItIs() async {
    await observeMany()
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    observatory.run { realm in realm.autorefresh = false }
    watch.letGo()
    observatory.writeElsewhere { realm in age("8", 1, realm) }
    observatory.run { realm in
      #expect(realm.objects(Animal.self).where { $0.age == 3000 }.isEmpty)
      #expect(realm.refresh())
    }
    #expect(await observatory.next() == "[2, 3] [1193] [] of 1194")
    end()
  }

  @Test func aDroppedTokenLetsGoOfItsVersionAndNothingMoreIsTold() async throws {
    await observeMany()
    let database = try Database.open(path: observatory.file.path)
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    observatory.run { [box, observatory] realm in
      box.token = realm.observe { _, _ in observatory.tell("moved") }
    }
    watch.letGo()
    #expect(await observatory.next() == "moved")
    let newest = database.newestVersion
    #expect(database.pins().allSatisfy { $0.version == newest })
    end()
  }

  @Test func aClosedRealmLetsGoOfEverythingWhenTheWorkerIsDone() async throws {
    await observeMany()
    let configuration = observatory.file.configuration
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    observatory.run { [box] _ in box.token = nil }
    observatory.thread.join()
    watch.letGo()
    #expect(try Realm.deleteFiles(for: configuration))
    watch.end()
  }

  @Test func aProgramEndsThoughAWorkerCompares() async {
    await #expect(processExitsWith: .success) {
      let file = TemporaryRealm()
      let thread = LoopThread()
      let told = DispatchSemaphore(value: 0)
      let box = RealmBox()
      thread.performAndWait {
        let realm = try! file.open()
        try! realm.write { for age in 0..<2000 { realm.add(Animal("x", age: age)) } }
        box.token = realm.objects(Animal.self).sorted(by: \.age).observe { _ in told.signal() }
      }
      told.wait()
      ChangeComputations.onStart.withLock { $0 = .init { _ in DispatchSemaphore(value: 0).wait() } }
      thread.performAndWait {
        let realm = try! file.open()
        try! realm.write { realm.objects(Animal.self)[0].age = 1 }
      }
    }
  }

  @Test func queuesAndActorsGoOnWhileAWorkerCompares() async throws {
    let queue = DispatchQueue(label: "many")
    let keeper = try await ManyKeeper(observatory)
    observatory.writeElsewhere { realm in
      for age in 0..<1200 { realm.add(Animal("\(age)", age: age)) }
    }
    observatory.run { [observatory, box] realm in
      realm.refresh()
      box.token = realm.objects(Animal.self).sorted(by: \.age).observe(on: queue) {
        observatory.tell("queue \($0.text)")
      }
    }
    #expect(await observatory.next() == "queue initial")
    await keeper.observe()
    #expect(await observatory.next() == "actor initial")
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    for _ in 0..<20 {
      queue.sync {}
      #expect(await keeper.count == 1200)
    }
    watch.letGo()
    let told = Set([await observatory.next(), await observatory.next()])
    #expect(told == ["queue [7] [1199] []", "actor [7] [1199] []"])
    #expect(Set(watch.takePlaces()) == ["worker"])
    await keeper.end()
    end()
  }

  @Test func anActorIsFreeWhileItsRefreshCompares() async throws {
    let keeper = try await ManyKeeper(observatory)
    observatory.writeElsewhere { realm in
      for age in 0..<1200 { realm.add(Animal("\(age)", age: age)) }
    }
    await keeper.observe()
    #expect(await observatory.next() == "actor initial")
    await keeper.stopRefreshingByItself()
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    async let isMoved = keeper.refresh()
    await watch.waitUntilHeld()
    for _ in 0..<20 { #expect(await keeper.oldest == 1199) }
    watch.letGo()
    #expect(await isMoved)
    #expect(await keeper.oldest == 3000)
    #expect(await observatory.next() == "actor [7] [1199] []")
    #expect(Set(watch.takePlaces()) == ["worker"])
    await keeper.end()
    end()
  }

  @Test("what an observer is told while a refresh compares is not told again by the refresh")
  func deliveredDuringARefresh() async throws {
    let database = try Database.open(path: observatory.file.path)
    let keeper = try await ManyKeeper(observatory)
    observatory.writeElsewhere { realm in
      for age in 0..<1200 { realm.add(Animal("\(age)", age: age)) }
    }
    await keeper.observe()
    #expect(await observatory.next() == "actor initial")
    watch.hold()
    observatory.writeElsewhere { realm in age("7", 3000, realm) }
    await watch.waitUntilHeld()
    // The change waits for the newcomer's start, for which the next comparison is made.
    await keeper.observeAlso()
    watch.letOneGo()
    await watch.waitUntilHeld()
    observatory.writeElsewhere { realm in age("8", 4000, realm) }
    let newest = database.newestVersion
    func isNewestPinned() -> Bool { database.pins().contains { $0.version == newest } }
    while isNewestPinned() { await Task.yield() }
    // The realm stays where it is while it compares: only the refresh pins the newest version.
    async let isMoved = keeper.refresh()
    while !isNewestPinned() { await Task.yield() }
    watch.letGo()
    #expect(await isMoved)
    // Whichever comparison the actor takes first, two animals have moved.
    var movedCount = 0
    while movedCount < 2, let event = await observatory.next() {
      guard event.hasPrefix("actor ["), let deletions = event.split(separator: "]").first else {
        continue
      }
      movedCount += deletions.split(separator: ",").count
    }
    #expect(movedCount == 2)
    await keeper.end()
    end()
  }
}

/// Observes all animals on an actor.
private actor ManyKeeper {
  private let observatory: Observatory
  private var realm: Realm!
  private var token: NotificationToken?
  private var secondToken: NotificationToken?

  init(_ observatory: Observatory) async throws {
    self.observatory = observatory
    realm = try await Realm(configuration: observatory.file.configuration, actor: self)
  }

  var count: Int { realm.objects(Animal.self).count }
  var oldest: Int? { realm.objects(Animal.self).max(of: \.age) }

  func stopRefreshingByItself() { realm.autorefresh = false }
  func refresh() async -> Bool { await realm.asyncRefresh() }

  func observe() async {
    await realm.asyncRefresh()
    token = realm.objects(Animal.self).sorted(by: \.age).observe { [observatory] in
      observatory.tell("actor \($0.text)")
    }
  }

  func observeAlso() {
    secondToken = realm.objects(Animal.self).sorted(by: \.age).observe { [observatory] in
      observatory.tell("also \($0.text)")
    }
  }

  func end() { (token, secondToken) = (nil, nil) }
}
