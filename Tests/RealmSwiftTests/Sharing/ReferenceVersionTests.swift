import Foundation
import RealmSwift
import Testing

/// Which version is read where a reference was resolved.
@Suite struct ReferenceVersionTests {
  let file = TemporaryRealm()

  private func onThread(_ body: @escaping @Sendable () throws -> Void) {
    ThreadWithoutLoop { try! body() }.runToTheEnd()
  }

  private func reference(_ name: String) throws -> ThreadSafeReference<Animal> {
    let realm = try file.open()
    let animal = Animal(name)
    try realm.write { realm.add(animal) }
    return ThreadSafeReference(to: animal)
  }

  @Test func anOlderRealmMovesToTheVersionOfTheReferenceAndNoFurther() throws {
    let first = try file.open()
    let frozen = first.freeze()
    onThread { [file] in
      let older = try file.open()
      #expect(older.objects(Animal.self).isEmpty)
      nonisolated(unsafe) var reference: ThreadSafeReference<Animal>?
      onThread {
        unsafe reference = try self.reference("Tom")
        let realm = try file.open()
        try realm.write { realm.add(Animal("later")) }
      }
      #expect(unsafe older.resolve(reference!)?.name == "Tom")
      #expect(older.objects(Animal.self).count == 1)
      older.refresh()
      #expect(older.objects(Animal.self).count == 2)
    }
    withExtendedLifetime(frozen) {}
  }

  @Test func aNewerRealmStaysWhereItIs() throws {
    let reference = try reference("Tom")
    onThread { [file] in
      let realm = try file.open()
      try realm.write { realm.objects(Animal.self)[0].age = 7 }
      #expect(realm.resolve(reference)?.age == 7)
    }
  }

  @Test func aWrapperMovesAnOlderRealmOn() throws {
    let other = Box<Realm?>(nil)
    let thread = LoopThread(name: "older")
    defer { thread.join() }
    thread.performAndWait { [file] in
      other.value = try! file.open()
      other.value!.autorefresh = false
    }
    let realm = try file.open()
    let animal = Animal("Tom")
    try realm.write { realm.add(animal) }
    @ThreadSafe var shared = animal
    thread.performAndWait { [_shared] in
      #expect(_shared.wrappedValue?.name == "Tom")
      other.value = nil
    }
  }

  @Test func inAnotherFileThereIsNothing() throws {
    let other = TemporaryRealm()
    let reference = try reference("Tom")
    #expect(try other.open().resolve(reference) == nil)
  }
}
