import Foundation
import RealmSwift
import Testing

private struct Refusal: Error {}

@Suite struct TransactionTests {
  let file = TemporaryRealm()

  @Test func whatABlockWritesIsThereAfterwards() throws {
    let realm = try file.open()
    #expect(realm.isEmpty)
    let added = try realm.write {
      let animal = Animal("Rex", age: 3)
      realm.add(animal)
      return animal
    }
    #expect(!realm.isEmpty)
    #expect(added.realm == realm)
    #expect(added.name == "Rex" && added.age == 3 && added.weight == 1.5)
    #expect(realm.objects(Animal.self).count == 1)
    #expect(!realm.isInWriteTransaction)
  }

  @Test func aBlockThatThrowsLeavesNothingBehind() throws {
    let realm = try file.open()
    let kept = Animal("Rex", age: 3)
    try realm.write { realm.add(kept) }
    var lost: Animal?
    #expect(throws: Refusal.self) {
      try realm.write {
        kept.age = 9
        lost = realm.create(Animal.self, value: ["name": "Pip"])
        throw Refusal()
      }
    }
    #expect(kept.age == 3)
    #expect(lost?.isInvalidated == true)
    #expect(realm.objects(Animal.self).count == 1)
    try realm.write { realm.add(Animal("Tom")) }
    #expect(lost?.isInvalidated == true, "its key is used again, but it stays gone")
  }

  @Test func transactionsCanBeBegunCommittedAndCancelledByHand() throws {
    let realm = try file.open()
    realm.beginWrite()
    #expect(realm.isInWriteTransaction)
    realm.add(Animal("Rex"))
    #expect(realm.objects(Animal.self).count == 1)
    try realm.commitWrite()
    realm.beginWrite()
    realm.deleteAll()
    #expect(realm.objects(Animal.self).count == 0)
    realm.cancelWrite()
    #expect(realm.objects(Animal.self).count == 1)
  }

  @Test func aBlockMayCommitOrCancelItself() throws {
    let realm = try file.open()
    try realm.write {
      realm.add(Animal("Rex"))
      try realm.commitWrite()
    }
    try realm.write {
      realm.add(Animal("Pip"))
      realm.cancelWrite()
    }
    #expect(realm.objects(Animal.self).map(\.name) == ["Rex"])
  }

  @Test func dataSurvivesClosing() throws {
    do {
      let realm = try file.open()
      try realm.write { realm.add(Keeper(value: ["id": 1, "name": "Ada"])) }
    }
    let realm = try file.open()
    #expect(realm.object(ofType: Keeper.self, forPrimaryKey: 1)?.name == "Ada")
  }

  @Test func openingAgainGivesTheSameInstance() throws {
    let realm = try file.open()
    #expect(try file.open() == realm)
    try realm.write { realm.add(Animal("Rex")) }
    #expect(try file.open().objects(Animal.self).count == 1)
  }

  @Test func aRealmThatIsDroppedInATransactionCancelsIt() throws {
    let thread = ThreadWithoutLoop { [file] in
      let realm = try! file.open()
      realm.beginWrite()
      realm.add(Animal("Rex"))
    }
    thread.runToTheEnd()
    #expect(try file.open().isEmpty)
  }

  @Test func filesCanBeAskedForAndDeleted() throws {
    #expect(!Realm.fileExists(for: file.configuration))
    do {
      let realm = try file.open()
      try realm.write { realm.add(Animal("Rex")) }
      #expect(Realm.fileExists(for: file.configuration))
      #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: file.configuration) }
      _ = realm
    }
    #expect(try Realm.deleteFiles(for: file.configuration))
    #expect(!Realm.fileExists(for: file.configuration))
    #expect(try !Realm.deleteFiles(for: file.configuration))
  }

  @Test func aMigrationIsPerformedOnAFileThatNobodyUses() throws {
    do {
      let realm = try file.open()
      try realm.write { realm.add(Animal("Rex")) }
      let error = #expect(throws: Realm.Error.self) {
        try Realm.performMigration(for: file.configuration)
      }
      #expect(error?.code == .alreadyOpen)
    }
    var configuration = file.configuration
    configuration.schemaVersion = 7
    try Realm.performMigration(for: configuration)
    #expect(try schemaVersionAtURL(#require(configuration.fileURL)) == 7)
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(Animal.self).count == 1)
  }

  @Test func aCopyHoldsTheSameObjects() throws {
    let realm = try file.open()
    try realm.write {
      let keeper = Keeper(value: ["id": 1, "animals": [["name": "Rex"], ["name": "Pip"]]])
      realm.add(keeper)
      realm.delete(keeper.animals[0])
      keeper.favourite = keeper.animals[0]
      keeper.animals[0].keeper = keeper
    }
    let url = file.directory.appendingPathComponent("copy.realm")
    try realm.writeCopy(toFile: url)
    var configuration = file.configuration
    configuration.fileURL = url
    let copy = try Realm(configuration: configuration)
    let keeper = try #require(copy.object(ofType: Keeper.self, forPrimaryKey: 1))
    #expect(keeper.animals.map(\.name) == ["Pip"])
    #expect(keeper.favourite?.name == "Pip")
    #expect(keeper.animals[0].keeper?.id == 1)
    let error = #expect(throws: Realm.Error.self) { try realm.writeCopy(toFile: url) }
    #expect(error?.code == .fileExists)
  }

  @Test func invalidatingDropsWhatWasRead() throws {
    let realm = try file.open()
    let animal = Animal("Rex")
    try realm.write { realm.add(animal) }
    let results = realm.objects(Animal.self)
    realm.invalidate()
    #expect(animal.isInvalidated && results.isInvalidated)
    #expect(realm.refresh())
    #expect(!realm.refresh())
    #expect(realm.objects(Animal.self).count == 1)
    #expect(animal.isInvalidated)
  }
}

@Suite struct TransactionMisuseTests {
  @Test func changingOutsideOfATransaction() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      let animal = Animal("Rex")
      try realm.write { realm.add(animal) }
      animal.age = 2
    }
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      realm.add(Animal("Rex"))
    }
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      let keeper = Keeper()
      try realm.write { realm.add(keeper) }
      keeper.animals.append(Animal())
    }
  }

  @Test func nestingTransactions() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      realm.beginWrite()
      realm.beginWrite()
    }
  }

  @Test func endingWhatWasNotBegun() async {
    await #expect(processExitsWith: .failure) { try TemporaryRealm().open().commitWrite() }
    await #expect(processExitsWith: .failure) { try TemporaryRealm().open().cancelWrite() }
  }

  @Test func usingARealmOnAnotherThread() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      nonisolated(unsafe) let animal = Animal("Rex")
      try realm.write { realm.add(unsafe animal) }
      let thread = LoopThread()
      thread.perform { _ = unsafe animal.name }
      thread.join()
    }
  }

  @Test func usingADeletedObject() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      let animal = Animal("Rex")
      try realm.write {
        realm.add(animal)
        realm.delete(animal)
      }
      _ = animal.name
    }
  }

  @Test func aSecondObjectWithThePrimaryKey() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      try realm.write {
        realm.add(Keeper(value: ["id": 1]))
        realm.add(Keeper(value: ["id": 1]))
      }
    }
  }

  @Test func changingThePrimaryKey() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      try realm.write { realm.create(Keeper.self, value: ["id": 1]).id = 2 }
    }
  }

  @Test func addingAnObjectOfAnotherRealm() async {
    await #expect(processExitsWith: .failure) {
      let animal = Animal("Rex")
      let first = try TemporaryRealm().open()
      try first.write { first.add(animal) }
      let second = try TemporaryRealm().open()
      try second.write { second.add(animal) }
    }
  }
}
