import Foundation
import RealmSwift
import Testing

/// Which collections and objects are equal, and how they describe themselves.
@Suite struct CollectionIdentityTests {
  let file = TemporaryRealm()

  private func filled() throws -> Realm {
    let realm = try file.open()
    try realm.write {
      let keeper = realm.create(Keeper.self, value: ["id": 1, "name": "Ada"])
      keeper.animals.append(Animal("Tom"))
    }
    return realm
  }

  @Test func resultsThatWereAskedForTwiceAreNotEqual() throws {
    let realm = try filled()
    let animals = realm.objects(Animal.self)
    let copy = animals
    #expect(animals == copy && AnyRealmCollection(animals) == AnyRealmCollection(copy))
    #expect(animals != realm.objects(Animal.self))
    #expect(animals.freeze() != animals)
    let keeper = realm.objects(Keeper.self)[0]
    #expect(keeper.animals == realm.objects(Keeper.self)[0].animals)
    #expect(
      AnyRealmCollection(keeper.animals)
        == AnyRealmCollection(realm.objects(Keeper.self)[0].animals))
  }

  @Test func frozenAndLiveObjectsAreNotTheSame() throws {
    let realm = try filled()
    let animal = realm.objects(Animal.self)[0]
    #expect(animal.isSameObject(as: realm.objects(Animal.self)[0]))
    #expect(!animal.isSameObject(as: animal.freeze()) && !animal.freeze().isSameObject(as: animal))
    #expect(animal.freeze().isSameObject(as: animal.freeze()))
    #expect(animal.freeze().thaw()!.isSameObject(as: animal))
    let keeper = realm.objects(Keeper.self)[0]
    #expect(keeper == realm.objects(Keeper.self)[0] && keeper != keeper.freeze())
    let other = realm.objects(Animal.self)[0]
    try realm.write { realm.delete(animal) }
    #expect(!animal.isSameObject(as: other) && animal.isSameObject(as: animal))
  }

  @Test func descriptionsNameTypeElementsAndInstance() throws {
    let realm = try filled()
    let animals = realm.objects(Animal.self)
    let keeper = realm.objects(Keeper.self)[0]
    #expect(animals.description.hasPrefix("Results<Animal> <0x"))
    #expect(animals.description.contains("> (\n\t[0] Animal {\n\t\tname = Tom;\n"))
    #expect(animals.description.hasSuffix("\n\t}\n)"))
    #expect(keeper.animals.description.hasPrefix("List<Animal> <0x"))
    #expect(animals[0].keepers.description.hasPrefix("LinkingObjects<Keeper> <0x"))
    #expect(AnyRealmCollection(animals).description.hasPrefix("AnyRealmCollection<Animal> <0x"))
    let everything = Everything(value: ["ints": [1, 2], "optionalInts": [1, nil] as [Int?]])
    #expect(everything.ints.description.hasPrefix("List<int> <0x"))
    #expect(everything.ints.description.hasSuffix("> (\n\t[0] 1,\n\t[1] 2\n)"))
    let address = String(UInt(bitPattern: ObjectIdentifier(everything.ints)), radix: 16)
    #expect(everything.ints.description.contains("<0x\(address)>"))
    #expect(everything.ints.description == "\(everything.ints)")
  }
}
