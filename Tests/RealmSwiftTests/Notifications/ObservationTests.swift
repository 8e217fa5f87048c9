import Dispatch
import Foundation
import RealmSwift
import Testing

/// Runs a realm on a loop thread and gathers what its observers are told.
final class Observatory: Sendable {
  let file: TemporaryRealm
  let thread = LoopThread(name: "observer")
  private let events: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init(_ types: [ObjectBase.Type] = TemporaryRealm.types) {
    file = TemporaryRealm(types)
    (events, continuation) = AsyncStream.makeStream()
  }

  deinit { thread.stop() }

  func tell(_ event: String) { continuation.yield(event) }

  /// Runs the body on the loop thread.
  func run(_ body: @escaping @Sendable (Realm) throws -> Void) {
    thread.performAndWait { [file] in try! body(try! file.open()) }
  }

  /// Commits on another thread.
  func writeElsewhere(_ body: @escaping @Sendable (Realm) throws -> Void) {
    let writer = LoopThread(name: "writer")
    writer.performAndWait { [file] in
      let realm = try! file.open()
      try! realm.write { try body(realm) }
    }
    writer.join()
  }

  /// The next thing that was told.
  func next() async -> String? {
    var iterator = events.makeAsyncIterator()
    return await iterator.next()
  }
}

extension RealmCollectionChange {
  var text: String {
    switch self {
    case .initial: "initial"
    case .update(_, let deletions, let insertions, let modifications):
      "\(deletions) \(insertions) \(modifications)"
    case .error(let error): "error \(error)"
    }
  }
}

@Suite struct ObservationTests {
  let observatory = Observatory()

  @Test func resultsTellWhatChanged() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      for name in ["a", "b", "c"] { realm.add(Animal(name)) }
    }
    #expect(await observatory.next() == "[] [0, 1, 2] []")
    observatory.writeElsewhere { realm in
      realm.objects(Animal.self)[2].age = 7
      realm.delete(realm.objects(Animal.self)[0])
    }
    #expect(await observatory.next() == "[0] [] [2]")
    observatory.run { realm in
      try realm.write { realm.objects(Animal.self)[0].age = 0 }
    }
    #expect(await observatory.next() == "[] [] [0]", "set to the value that it had")
    observatory.run { _ in box.token = nil }
  }

  @Test func commitsOfOtherProcessesAreDelivered() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    await #expect(processExitsWith: .success) { [path = observatory.file.path as String] in
      let realm = try Realm(configuration: TemporaryRealm.configuration(path: path))
      try realm.write { realm.add(Animal("from another process")) }
    }
    #expect(await observatory.next() == "[] [0] []")
    observatory.run { realm in
      #expect(realm.objects(Animal.self)[0].name == "from another process")
      box.token = nil
    }
  }

  @Test func sortedResultsTellOfMoves() async {
    let box = RealmBox()
    observatory.writeElsewhere { realm in
      for (index, name) in ["a", "b", "c"].enumerated() { realm.add(Animal(name, age: index)) }
    }
    observatory.run { [observatory] realm in
      realm.refresh()
      box.token = realm.objects(Animal.self).sorted(byKeyPath: "age").observe {
        observatory.tell($0.text)
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].age = 9 }
    #expect(await observatory.next() == "[0] [2] []")
    observatory.run { _ in box.token = nil }
  }

  @Test func listsTellWhatChanged() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      let keeper = Keeper(value: ["id": 1, "animals": [["name": "a"], ["name": "b"]]])
      try realm.write { realm.add(keeper) }
      box.token = keeper.animals.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      let keeper = realm.objects(Keeper.self)[0]
      keeper.animals.insert(Animal("c"), at: 0)
      keeper.animals.removeLast()
      keeper.animals[1].age = 5
    }
    #expect(await observatory.next() == "[1] [0] [0]")
    observatory.run { _ in box.token = nil }
  }

  @Test func aListWhoseObjectIsDeletedLosesAllItsElements() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      let keeper = Keeper(value: ["id": 1, "animals": [["name": "a"], ["name": "b"]]])
      try realm.write { realm.add(keeper) }
      box.token = keeper.animals.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.delete(realm.objects(Keeper.self)) }
    #expect(await observatory.next() == "[0, 1] [] []")
    observatory.run { _ in box.token = nil }
  }

  @Test func listsOfValuesInAnOrderOfTheirOwnTellWhatChanged() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      let everything = Everything(value: ["ints": [3, 1, 2]])
      try realm.write { realm.add(everything) }
      box.token = everything.ints.sorted().observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      let ints = realm.objects(Everything.self)[0].ints
      ints.append(0)
      ints.remove(at: 0)
    }
    #expect(await observatory.next() == "[2] [0] []")
    observatory.writeElsewhere { realm in realm.deleteAll() }
    #expect(await observatory.next() == "[0, 1, 2] [] []")
    observatory.run { _ in box.token = nil }
  }

  @Test func objectsTellWhichPropertiesChanged() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      let animal = Animal("Rex", age: 3)
      try realm.write { realm.add(animal) }
      box.token = animal.observe { (change: ObjectChange<Animal>) in
        switch change {
        case .change(let animal, let properties):
          let texts = properties.map { "\($0.name): \($0.oldValue!) -> \($0.newValue!)" }
          observatory.tell("\(animal.name) \(texts)")
        case .deleted: observatory.tell("deleted")
        case .error(let error): observatory.tell("\(error)")
        }
      }
    }
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].age = 4 }
    #expect(await observatory.next() == #"Rex ["age: 3 -> 4"]"#)
    observatory.writeElsewhere { realm in realm.deleteAll() }
    #expect(await observatory.next() == "deleted")
    observatory.run { _ in box.token = nil }
  }

  @Test func keyPathsSayWhatCounts() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try realm.write { realm.add(Animal("Rex")) }
      box.token = realm.objects(Animal.self).observe(keyPaths: [\.age]) {
        observatory.tell($0.text)
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].name = "Pip" }
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].age = 4 }
    #expect(await observatory.next() == "[] [] [0]")
    observatory.run { _ in box.token = nil }
  }

  @Test func noKeyPathsStandForAllOfAnObject() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      let animal = Animal("Rex")
      try realm.write { realm.add(animal) }
      box.token = animal.observe(keyPaths: [String]()) { (change: ObjectChange<Animal>) in
        if case .change(_, let properties) = change { observatory.tell(properties[0].name) }
      }
    }
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].weight = 7 }
    #expect(await observatory.next() == "weight")
    observatory.run { _ in box.token = nil }
  }

  @Test func tokensAreKeptInSets() async {
    observatory.run { realm in
      let animals = realm.objects(Animal.self)
      let tokens = [animals.observe { _ in }, animals.observe { _ in }]
      #expect(Set(tokens + tokens).count == 2)
      #expect(tokens[0] != tokens[1])
    }
  }

  @Test func silencedObserversDoNotHearOfAWrite() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.run { realm in
      try realm.write(withoutNotifying: [box.token!]) { realm.add(Animal("a")) }
    }
    observatory.writeElsewhere { realm in realm.add(Animal("b")) }
    #expect(await observatory.next() == "[] [1] []")
    observatory.run { _ in box.token = nil }
  }

  @Test func droppedTokensStopDelivery() async {
    let box = RealmBox()
    let other = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { _ in observatory.tell("dropped") }
      box.token = nil
      other.token = realm.objects(Animal.self).observe { _ in observatory.tell("kept") }
    }
    #expect(await observatory.next() == "kept")
    observatory.run { _ in other.token = nil }
  }

  @Test func handlersMayWriteAndInvalidate() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { change in
        observatory.tell(change.text)
        if case .initial(let animals) = change {
          let realm = animals.realm!
          try! realm.write { realm.add(Animal("from a handler")) }
        } else {
          box.token?.invalidate()
        }
      }
    }
    #expect(await observatory.next() == "initial")
    #expect(await observatory.next() == "[] [0] []")
  }

  @Test(.timeLimit(.minutes(5)))
  func whatATransactionFoundIsToldAlsoIfItIsCancelledLater() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.run { [observatory] realm in
      observatory.writeElsewhere { $0.add(Animal("Rex")) }
      // The turn that the commit asks for comes while the transaction is open.
      realm.beginWrite()
    }
    observatory.run { $0.cancelWrite() }
    #expect(await observatory.next() == "[] [0] []")
    observatory.run { _ in box.token = nil }
  }

  @Test(.timeLimit(.minutes(5)))
  func whatHappenedWhileTheRealmWasInvalidIsToldAfterRefreshing() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.realm = realm
      box.token = realm.objects(Animal.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    // Opening it again would be another way to have it told.
    observatory.thread.performAndWait { box.realm!.invalidate() }
    observatory.writeElsewhere { $0.add(Animal("Rex")) }
    observatory.thread.performAndWait {
      #expect(box.realm!.refresh())
      box.realm = nil
    }
    #expect(await observatory.next() == "[] [0] []")
    observatory.run { _ in box.token = nil }
  }

  @Test func deliveryHappensOnTheQueueThatWasAskedFor() async {
    let queue = DispatchQueue(label: "observers")
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try realm.write { realm.add(Animal("Rex")) }
      box.token = realm.objects(Animal.self).observe(on: queue) { change in
        dispatchPrecondition(condition: .onQueue(queue))
        if case .initial(let animals) = change { observatory.tell(animals[0].name) }
      }
    }
    #expect(await observatory.next() == "Rex")
    box.token = nil
  }

  @Test @MainActor func deliveryHappensOnTheMainQueue() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe(on: .main) { change in
        dispatchPrecondition(condition: .onQueue(.main))
        observatory.tell(change.text)
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.add(Animal("Rex")) }
    #expect(await observatory.next() == "[] [0] []")
    box.token = nil
  }

  @Test func observingInATransactionOrWithoutALoopIsAMisuse() async {
    await #expect(processExitsWith: .failure) {
      let file = TemporaryRealm()
      LoopThread().performAndWait {
        let realm = try! file.open()
        realm.beginWrite()
        _ = realm.observe { _, _ in }
      }
    }
    await #expect(processExitsWith: .failure) {
      let file = TemporaryRealm()
      DispatchQueue(label: "plain").sync { _ = try! file.open().observe { _, _ in } }
    }
  }
}
