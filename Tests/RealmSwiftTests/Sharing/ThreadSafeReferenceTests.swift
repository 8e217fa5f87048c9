import Dispatch
import Foundation
import RealmSwift
import Storage
import Testing

@Suite struct ThreadSafeReferenceTests {
  let file = TemporaryRealm()

  private func filled() throws -> Realm {
    let realm = try file.open()
    try realm.write {
      realm.add(Keeper(value: ["id": 1, "name": "Ada", "animals": [["name": "Rex"]]]))
    }
    return realm
  }

  @Test func objectsListsAndResultsAreResolvedElsewhere() throws {
    let realm = try filled()
    let keeper = realm.objects(Keeper.self)[0]
    let object = ThreadSafeReference(to: keeper.animals[0])
    let list = ThreadSafeReference(to: keeper.animals)
    let results = ThreadSafeReference(to: realm.objects(Keeper.self).sorted(byKeyPath: "name"))
    let links = ThreadSafeReference(to: keeper.animals[0].keepers)
    let thread = LoopThread(name: "resolver")
    defer { thread.join() }
    thread.performAndWait { [file] in
      let other = try! file.open()
      #expect(other.resolve(object)?.name == "Rex")
      #expect(other.resolve(list)?.count == 1)
      #expect(other.resolve(results)?.first?.name == "Ada")
      #expect(other.resolve(links)?.first?.id == 1)
      try! other.write { other.create(Keeper.self, value: ["id": 2]) }
    }
    #expect(object.isInvalidated)
  }

  @Test func resolvingWithinATransactionGivesTheNewestVersion() throws {
    let realm = try filled()
    let reference = ThreadSafeReference(to: realm.objects(Keeper.self)[0])
    try realm.write { realm.objects(Keeper.self)[0].name = "Bea" }
    let thread = LoopThread(name: "resolver")
    defer { thread.join() }
    thread.performAndWait { [file] in
      let other = try! file.open()
      try! other.write {
        #expect(other.resolve(reference)?.name == "Bea")
      }
    }
  }

  @Test func aWrappedVariableKeepsNoVersion() throws {
    let thread = LoopThread(name: "source")
    let wrapper = thread.performAndWait { [file] in
      // A plain thread's realm stays at its version.
      DispatchQueue(label: "plain").sync {
        let realm = try! file.open()
        return ThreadSafe(wrappedValue: realm.objects(Keeper.self).where { $0.id > 1 })
      }
    }
    thread.join()
    #expect(try Database.open(path: file.path).pins().isEmpty)
    #expect(wrapper.wrappedValue?.count == 0)
  }

  @Test func whatWasDeletedResolvesToNil() throws {
    let realm = try filled()
    let reference = ThreadSafeReference(to: realm.objects(Keeper.self)[0])
    try realm.write { realm.deleteAll() }
    #expect(realm.resolve(reference) == nil)
  }

  @Test func whatATransactionMadeIsResolvedElsewhereOnceItIsCommitted() throws {
    let realm = try file.open()
    let thread = LoopThread(name: "resolver")
    defer { thread.join() }
    let box = RealmBox()
    thread.performAndWait { [file] in
      box.realm = try! file.open()
      box.realm!.autorefresh = false
    }
    realm.beginWrite()
    let keeper = realm.create(Keeper.self, value: ["id": 1, "animals": [["name": "Rex"]]])
    let early = ThreadSafeReference(to: keeper)
    let object = ThreadSafeReference(to: keeper)
    let list = ThreadSafeReference(to: keeper.animals)
    @ThreadSafe var wrapped = keeper
    #expect(wrapped?.id == 1)
    thread.performAndWait { [_wrapped] in
      #expect(box.realm!.resolve(early) == nil)
      #expect(_wrapped.wrappedValue == nil)
    }
    try realm.commitWrite()
    thread.performAndWait { [_wrapped] in
      let older = box.realm!
      #expect(older.isEmpty)
      #expect(older.resolve(object)?.id == 1)
      #expect(older.resolve(list)?.first?.name == "Rex")
      #expect(_wrapped.wrappedValue?.id == 1)
      box.realm = nil
    }
  }

  @Test func whatACancelledTransactionMadeIsNotTakenForWhatAnotherMakes() throws {
    let realm = try filled()
    realm.beginWrite()
    let keeper = realm.create(Keeper.self, value: ["id": 2])
    let object = ThreadSafeReference(to: keeper)
    let list = ThreadSafeReference(to: keeper.animals)
    let older = ThreadSafeReference(to: realm.objects(Keeper.self)[0])
    @ThreadSafe var wrapped = keeper
    realm.cancelWrite()
    try realm.write { realm.create(Keeper.self, value: ["id": 3]) }
    #expect(realm.resolve(object) == nil)
    #expect(realm.resolve(list) == nil)
    #expect(realm.resolve(older)?.name == "Ada")
    #expect(wrapped == nil)
  }

  @Test func aWrappedVariableIsReadOnAnyThread() throws {
    let realm = try filled()
    let keeper = realm.objects(Keeper.self)[0]
    @ThreadSafe var wrapped = keeper
    let thread = LoopThread(name: "resolver")
    defer { thread.join() }
    thread.performAndWait { [file, _wrapped] in
      let other = try! file.open()
      try! other.write { _wrapped.wrappedValue?.name = "Bea" }
      #expect(_wrapped.wrappedValue?.name == "Bea")
    }
    realm.refresh()
    #expect(wrapped?.name == "Bea" && keeper.name == "Bea")
    try realm.write { realm.deleteAll() }
    #expect(wrapped == nil)
  }

  @Test func resolvingTwiceIsAMisuse() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      try realm.write { realm.create(Animal.self) }
      let reference = ThreadSafeReference(to: realm.objects(Animal.self)[0])
      _ = realm.resolve(reference)
      _ = realm.resolve(reference)
    }
  }

  @Test func referringToWhatIsUnmanagedIsAMisuse() async {
    await #expect(processExitsWith: .failure) { _ = ThreadSafeReference(to: Animal()) }
  }
}
