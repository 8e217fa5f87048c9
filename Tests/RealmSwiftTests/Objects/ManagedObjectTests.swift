import Foundation
import RealmSwift
import Testing

@Suite struct ManagedObjectTests {
  let file = TemporaryRealm()

  /// The value without the address that descriptions of collections have.
  private static func text(_ value: Any?) -> String {
    "\(value ?? "nil")".replacing(/0x[0-9a-f]+/, with: "")
  }

  @Test func everyKindOfPropertyIsStoredAndRead() throws {
    let realm = try file.open()
    let values: [String: Any] = [
      "int": -5, "int8": 127, "int16": -32768, "int32": 70_000, "int64": Int64.max,
      "bool": true, "float": Float(1.25), "double": -2.5e300, "string": "å🦊",
      "data": Data([0, 255, 7]), "date": Date(timeIntervalSinceReferenceDate: 1.125),
      "objectId": try ObjectId(string: "0123456789abcdef01234567"),
      "uuid": UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!,
      "decimal": Decimal128("12.50"), "colour": Colour.green, "length": Metres(3.5),
      "optionalInt": 0, "optionalBool": false, "optionalFloat": Float(0), "optionalDouble": 0.0,
      "optionalString": "", "optionalData": Data(),
      "optionalDate": Date(timeIntervalSinceReferenceDate: 0),
      "optionalObjectId": ObjectId("ffffffffffffffffffffffff"), "optionalUUID": UUID(),
      "optionalDecimal": Decimal128(0), "optionalColour": Colour.red, "ints": [3, 1, 2],
      "strings": ["b", "", "a"], "optionalInts": [nil, 4] as [Int?],
      "dates": [Date(timeIntervalSinceReferenceDate: 8)],
    ]
    let given = Everything(value: values)
    let expected = Everything(value: given)
    try realm.write { realm.add(given) }
    let stored = try #require(realm.object(ofType: Everything.self, forPrimaryKey: given.id))
    for property in stored.objectSchema.properties {
      let name = property.name
      if name == "id" { continue }
      #expect(Self.text(stored[name]) == Self.text(expected[name]), "\(name)")
    }
    #expect(stored.optionalInt == 0 && stored.optionalBool == false)
    #expect(stored.optionalInts.map { $0 } == [nil, 4])
    try realm.write {
      for property in stored.objectSchema.properties where property.isOptional && !property.isArray
      {
        stored[property.name] = nil
      }
    }
    #expect(stored.optionalInt == nil && stored.optionalBool == nil)
    #expect(stored.optionalFloat == nil && stored.optionalDouble == nil)
    #expect(stored.optionalString == nil && stored.optionalData == nil)
    #expect(stored.optionalDate == nil && stored.optionalObjectId == nil)
    #expect(stored.optionalUUID == nil && stored.optionalDecimal == nil)
    #expect(stored.optionalColour == nil)
  }

  @Test func addingAnObjectAddsWhatItLinksTo() throws {
    let realm = try file.open()
    let keeper = Keeper(value: ["id": 1])
    let animal = Animal("Rex")
    keeper.animals.append(animal)
    animal.keeper = keeper
    keeper.favourite = animal
    try realm.write { realm.add(keeper) }
    #expect(animal.realm != nil)
    #expect(realm.objects(Animal.self).count == 1)
    #expect(keeper.favourite?.isSameObject(as: animal) == true)
    #expect(animal.keeper == keeper)
    #expect(keeper.animals.first?.name == "Rex")
  }

  @Test func linksCanBeFollowedBackwards() throws {
    let realm = try file.open()
    let animal = Animal("Rex")
    try realm.write {
      realm.add(animal)
      for id in 1...3 { realm.create(Keeper.self, value: ["id": id, "animals": [animal]]) }
    }
    #expect(animal.keepers.count == 3)
    #expect(animal.keepers.map(\.id) == [1, 2, 3])
    try realm.write { realm.delete(animal.keepers[1]) }
    #expect(animal.keepers.map(\.id) == [1, 3])
    #expect(Animal().keepers.isEmpty)
  }

  @Test func deletingAnObjectClearsLinksToIt() throws {
    let realm = try file.open()
    let keeper = Keeper(value: ["id": 1, "animals": [["name": "Rex"], ["name": "Pip"]]])
    try realm.write {
      realm.add(keeper)
      keeper.favourite = keeper.animals[0]
    }
    try realm.write { realm.delete(keeper.animals[0]) }
    #expect(keeper.favourite == nil)
    #expect(keeper.animals.map(\.name) == ["Pip"])
  }

  @Test func creatingWithAPolicyUpdatesWhatExists() throws {
    let realm = try file.open()
    try realm.write {
      realm.create(Keeper.self, value: ["id": 1, "name": "Ada", "animals": [["name": "Rex"]]])
      let updated = realm.create(
        Keeper.self, value: ["id": 1, "favourite": ["name": "Pip"]], update: .modified)
      #expect(updated.name == "Ada")
      #expect(updated.animals.count == 1)
      #expect(updated.favourite?.name == "Pip")
      realm.create(Keeper.self, value: ["id": 1, "name": "Bea"], update: .all)
      realm.add(Keeper(value: ["id": 2]), update: .modified)
    }
    let keepers = realm.objects(Keeper.self)
    #expect(keepers.map(\.name) == ["Bea", "nobody"])
  }

  @Test func nestedDictionariesUpdateOnlyWhatTheyGive() throws {
    let realm = try file.open()
    try realm.write {
      realm.create(Keeper.self, value: ["id": 1, "name": "Ada"])
      realm.create(
        Keeper.self,
        value: ["id": 2, "animals": [["name": "Rex", "keeper": ["id": 1]]]], update: .modified)
    }
    #expect(realm.objects(Keeper.self).map(\.name) == ["Ada", "nobody"])
    #expect(realm.objects(Animal.self).first?.keeper?.name == "Ada")
  }

  @Test func objectsWithoutPrimaryKeyAreEqualByIdentity() throws {
    let realm = try file.open()
    try realm.write {
      realm.add(Animal("Rex"))
      realm.add(Keeper(value: ["id": 1]))
    }
    let animals = realm.objects(Animal.self)
    #expect(animals[0] != animals[0])
    #expect(animals[0].isSameObject(as: animals[0]))
    let keepers = realm.objects(Keeper.self)
    #expect(keepers[0] == keepers[0])
    #expect(keepers[0].hash == keepers[0].hash)
  }

  @Test func assigningAListCopiesItsElements() throws {
    let realm = try file.open()
    let object = Everything(value: ["ints": [1, 2]])
    try realm.write { realm.add(object) }
    let list = object.ints
    let other = List<Int>()
    other.append(objectsIn: [7, 8, 9])
    try realm.write {
      object.ints = other
      other.append(10)
      object.ints = object.ints
    }
    #expect(Array(list) == [7, 8, 9])
  }

  @Test func manyObjectsKeepTheirValues() throws {
    let realm = try file.open()
    try realm.write {
      for index in 0..<1_000 { realm.add(Animal("animal \(index)", age: index)) }
    }
    let animals = realm.objects(Animal.self)
    #expect(animals.count == 1_000)
    for (index, animal) in animals.enumerated() {
      #expect(animal.age == index && animal.name == "animal \(index)")
    }
  }
}
