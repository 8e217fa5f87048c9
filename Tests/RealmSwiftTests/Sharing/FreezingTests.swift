import Dispatch
import Foundation
import RealmSwift
import Testing

@Suite struct FreezingTests {
  let file = TemporaryRealm()

  private func filled() throws -> Realm {
    let realm = try file.open()
    try realm.write {
      realm.add(Keeper(value: ["id": 1, "name": "Ada", "animals": [["name": "Rex", "age": 2]]]))
    }
    return realm
  }

  @Test func frozenThingsStayAsTheyWere() throws {
    let realm = try filled()
    let frozen = realm.freeze()
    let keeper = try #require(realm.objects(Keeper.self).first)
    let frozenKeeper = keeper.freeze()
    let frozenList = keeper.animals.freeze()
    let frozenResults = realm.objects(Animal.self).freeze()
    try realm.write {
      keeper.name = "Bea"
      keeper.animals[0].age = 9
      realm.create(Animal.self)
    }
    #expect(frozen.isFrozen && frozenKeeper.isFrozen && frozenList.isFrozen)
    #expect(frozenResults.isFrozen && frozenKeeper.realm?.isFrozen == true)
    #expect(frozenKeeper.name == "Ada" && keeper.name == "Bea")
    #expect(frozenKeeper.animals[0].age == 2 && frozenKeeper.animals.isFrozen)
    #expect(frozenList[0].age == 2)
    #expect(frozenResults.count == 1)
    #expect(frozen.objects(Keeper.self).first?.name == "Ada")
    #expect(!realm.isFrozen && !keeper.isFrozen)
  }

  @Test func frozenThingsAreReadOnAnyThread() throws {
    nonisolated(unsafe) let frozen = try filled().freeze()
    nonisolated(unsafe) let keeper = try #require(unsafe frozen.objects(Keeper.self).first)
    nonisolated(unsafe) let sorted = unsafe frozen.objects(Animal.self).sorted(byKeyPath: "name")
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      #expect(unsafe keeper.name == "Ada")
      #expect(unsafe keeper.animals.first?.age == 2)
      #expect(unsafe sorted.first?.name == "Rex")
      #expect(unsafe frozen.object(ofType: Keeper.self, forPrimaryKey: 1)?.name == "Ada")
    }
  }

  @Test func thawingGivesTheLiveThing() throws {
    let realm = try filled()
    let keeper = try #require(realm.objects(Keeper.self).first).freeze()
    let list = keeper.animals
    let results = realm.objects(Animal.self).freeze()
    let thawed = try #require(keeper.thaw())
    #expect(!thawed.isFrozen && thawed.realm == realm)
    try realm.write { thawed.animals.append(Animal("Pip")) }
    #expect(keeper.animals.count == 1)
    #expect(list.thaw()?.count == 2)
    #expect(results.thaw()?.count == 2)
    #expect(realm.freeze().thaw() == realm)
    try realm.write { realm.deleteAll() }
    #expect(keeper.thaw() == nil)
    #expect(list.thaw() == nil)
  }

  @Test func thawingWhereTheThingIsYetToComeMovesTheRealmOn() throws {
    let realm = try filled()
    let thread = LoopThread(name: "newer")
    defer { thread.join() }
    nonisolated(unsafe) var frozen: [Keeper] = []
    for id in 2...3 {
      thread.performAndWait { [file] in
        let newer = try! file.open()
        let keeper = Keeper(value: ["id": id, "animals": [["name": "Pip"]]])
        try! newer.write { newer.add(keeper) }
        unsafe frozen.append(keeper.freeze())
      }
      let isOlder = realm.object(ofType: Keeper.self, forPrimaryKey: id) == nil
      #expect(isOlder)
      if id == 2 {
        #expect(unsafe frozen[0].thaw()?.realm == realm)
      } else {
        #expect(unsafe frozen[1].animals.thaw()?.first?.name == "Pip")
      }
    }
  }

  @Test func frozenObjectsOfOneVersionAreEqual() throws {
    let realm = try filled()
    let animal = try #require(realm.objects(Animal.self).first)
    #expect(animal.freeze() == animal.freeze())
    #expect(animal.freeze().hash == animal.freeze().hash)
  }

  @Test func frozenThingsOutliveTheirRealm() throws {
    func frozen() throws -> Keeper {
      try #require(try filled().objects(Keeper.self).first).freeze()
    }
    #expect(try frozen().name == "Ada")
  }

  @Test func frozenThingsCannotBeChanged() async {
    await #expect(processExitsWith: .failure) {
      try TemporaryRealm().open().freeze().beginWrite()
    }
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      try realm.write { realm.create(Animal.self) }
      let frozen = realm.objects(Animal.self)[0].freeze()
      try realm.write { frozen.age = 3 }
    }
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      try realm.write {
        realm.create(Animal.self)
        realm.create(Keeper.self)
      }
      let frozen = realm.objects(Animal.self)[0].freeze()
      try realm.write { realm.objects(Keeper.self)[0].animals.append(frozen) }
    }
    await #expect(processExitsWith: .failure) {
      let frozen = try TemporaryRealm().open().freeze()
      _ = frozen.observe { _, _ in }
    }
  }
}
