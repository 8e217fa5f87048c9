import Foundation
import RealmSwift
import Testing

final class TextKeyed: Object {
  @Persisted(primaryKey: true) var id: String
}

final class OptionalKeyed: Object {
  @Persisted(primaryKey: true) var id: UUID?
}

final class LengthKeyed: Object {
  @Persisted(primaryKey: true) var id: KeyLength
}

/// Cannot be hashed itself.
struct KeyLength: CustomPersistable {
  var metres: Int
  init(persistedValue: Int) { metres = persistedValue }
  var persistableValue: Int { metres }
}

/// Which objects are equal, and what their hashes are.
@Suite struct ObjectIdentityTests {
  let file = TemporaryRealm([
    Keeper.self, Animal.self, TextKeyed.self, OptionalKeyed.self, LengthKeyed.self,
  ])

  @Test func aHashDoesNotChangeWhenTheObjectIsAdded() throws {
    let realm = try file.open()
    let objects: [Object] = [
      Keeper(value: ["id": 7]), TextKeyed(value: ["id": "a"]), OptionalKeyed(),
      OptionalKeyed(value: ["id": UUID()]), LengthKeyed(value: [KeyLength(persistedValue: 3)]),
      Animal("Tom"),
    ]
    let set = Set(objects)
    let hashes = objects.map(\.hash)
    try realm.write { realm.add(objects) }
    #expect(objects.map(\.hash) == hashes)
    #expect(objects.allSatisfy { set.contains($0) })
  }

  @Test func accessorsOfOneObjectHashAlike() throws {
    let realm = try file.open()
    try realm.write {
      realm.add(Keeper(value: ["id": 7]))
      realm.add(TextKeyed(value: ["id": "a"]))
    }
    let keepers = realm.objects(Keeper.self)
    let texts = realm.objects(TextKeyed.self)
    #expect(keepers[0] == keepers[0] && keepers[0].hash == keepers[0].hash)
    #expect(texts[0] == texts[0] && texts[0].hash == texts[0].hash)
    #expect(keepers[0].hash == keepers[0].freeze().hash)
  }

  @Test func aDeletedObjectCanBeHashed() throws {
    let realm = try file.open()
    let keeper = Keeper(value: ["id": 7])
    try realm.write { realm.add(keeper) }
    try realm.write { realm.delete(keeper) }
    #expect(Set([keeper]).count == 1)
  }

  @Test func deletingWhatIsDeletedAlreadyIsIgnored() throws {
    let realm = try file.open()
    try realm.write {
      for id in 0..<20 { realm.add(Keeper(value: ["id": id])) }
      realm.add(Animal("Tom"))
    }
    let (first, second) = (realm.objects(Keeper.self)[0], realm.objects(Keeper.self)[0])
    let others = Array(realm.objects(Keeper.self).dropFirst())
    try realm.write {
      realm.delete(first)
      realm.delete(second)
      realm.delete(first)
      realm.delete(others + [realm.objects(Animal.self)[0], second] + others)
    }
    #expect(realm.isEmpty)
  }
}
