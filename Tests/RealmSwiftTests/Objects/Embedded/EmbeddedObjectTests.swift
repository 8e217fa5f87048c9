import Foundation
import Testing

@testable import RealmSwift

/// One embedded object in a property of its owner.
@Suite struct EmbeddedObjectTests {
  let file = EmbeddedModels.file()

  @Test func isAddedWithItsOwner() throws {
    let realm = try file.open()
    let house = House(1)
    let hall = Room("hall")
    hall.next = Room("kitchen")
    hall.niches.append(objectsIn: [Niche(1), Niche(2)])
    house.hall = hall
    #expect(hall.realm == nil && !hall.isInvalidated && hall.owner.isEmpty)
    try realm.write { realm.add(house) }
    #expect(hall.realm != nil && house.hall?.isSameObject(as: hall) == true)
    #expect(house.hall?.next?.name == "kitchen" && hall.niches.map(\.depth) == [1, 2])
    #expect(hall.owner.map(\.number) == [1] && hall.niches[0].rooms.first?.name == "hall")
    #expect(EmbeddedModels.counts(realm) == [2, 2])
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func isAddedWhenAManagedOwnerGetsIt() throws {
    let realm = try file.open()
    let room = Room("hall", size: 4)
    let house = try realm.write {
      let house = realm.create(House.self)
      house.hall = room
      house.hall?.size += 1
      return house
    }
    #expect(room.realm != nil && room.size == 5 && house.hall?.name == "hall")
    try realm.write { house.hall = house.hall }
    #expect(!room.isInvalidated)
  }

  @Test func goesWhenItsOwnerGetsAnotherOrNone() throws {
    let realm = try file.open()
    let (house, first, niche) = try realm.write {
      let house = realm.create(House.self)
      let room = Room("first")
      room.niches.append(Niche(1))
      house.hall = room
      return (house, room, room.niches[0])
    }
    let second = Room("second")
    try realm.write { house.hall = second }
    #expect(first.isInvalidated && niche.isInvalidated && !second.isInvalidated)
    #expect(EmbeddedModels.counts(realm) == [1, 0])
    try realm.write { house.hall = nil }
    #expect(second.isInvalidated && house.hall == nil)
    #expect(EmbeddedModels.counts(realm) == [0, 0])
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func goesWithItsOwner() throws {
    let realm = try file.open()
    let room = Room("hall")
    try realm.write {
      let house = realm.create(House.self)
      house.hall = room
      house.rooms.append(objectsIn: [Room("a"), Room("b")])
      house.named["c"] = Room("c")
    }
    #expect(EmbeddedModels.counts(realm) == [4, 0])
    try realm.write { realm.delete(realm.objects(House.self)) }
    #expect(room.isInvalidated && EmbeddedModels.counts(realm) == [0, 0])
    try realm.write {
      let house = realm.create(House.self, value: ["hall": ["name": "hall"]])
      realm.delete([house, house.hall!] as [ObjectBase])
    }
    #expect(realm.isEmpty)
    try realm.write {
      realm.create(House.self, value: ["hall": ["name": "hall"]])
      realm.deleteAll()
    }
    #expect(realm.isEmpty && EmbeddedModels.counts(realm) == [0, 0])
  }

  @Test func canBeDeletedByItself() throws {
    let realm = try file.open()
    let house = try realm.write {
      realm.create(House.self, value: ["hall": ["name": "hall"], "rooms": [["a"], ["b"]]])
    }
    try realm.write {
      realm.delete(house.hall!)
      realm.delete(house.rooms[0])
    }
    #expect(house.hall == nil && house.rooms.map(\.name) == ["b"])
    try realm.write { realm.delete(house.rooms) }
    #expect(house.rooms.isEmpty && EmbeddedModels.counts(realm) == [0, 0])
  }

  @Test func isMadeOutOfDictionariesAndArrays() throws {
    let realm = try file.open()
    let house = try realm.write {
      realm.create(
        House.self,
        value: [
          "number": 3,
          "hall": ["name": "hall", "next": ["name": "stairs"], "niches": [[1], ["depth": 2]]],
          "rooms": [["a", 1], ["name": "b"]],
          "named": ["x": ["name": "c"] as [String: Any]?, "y": nil],
        ] as [String: Any])
    }
    #expect(house.hall?.next?.name == "stairs" && house.hall?.niches.map(\.depth) == [1, 2])
    #expect(house.rooms.map(\.name) == ["a", "b"] && house.rooms.map(\.size) == [1, 10])
    #expect(house.named["x"]??.name == "c" && house.named["y"] == .some(nil))
    let unmanaged = House(value: ["number": 4, "hall": ["name": "u"], "rooms": [["v"]]])
    #expect(unmanaged.hall?.name == "u" && unmanaged.rooms[0].name == "v")
    #expect(Room(value: ["name": "w", "next": ["name": "x"]]).next?.name == "x")
  }

  @Test func isCopiedWhenAnObjectIsCreatedFromItsOwner() throws {
    let realm = try file.open()
    let first = try realm.write {
      realm.create(
        House.self,
        value: [
          "number": 1, "hall": ["name": "hall", "niches": [[7]]], "rooms": [["a"]],
          "named": ["n": ["name": "b"]],
        ] as [String: Any])
    }
    let other = EmbeddedModels.file()
    let elsewhere = try other.open()
    let copy = try elsewhere.write { elsewhere.create(House.self, value: first) }
    #expect(copy.hall?.name == "hall" && copy.hall?.niches[0].depth == 7)
    #expect(copy.rooms.map(\.name) == ["a"] && copy.named["n"]??.name == "b")
    let second = try realm.write {
      realm.create(
        House.self,
        value: ["number": 2, "hall": first.hall!, "rooms": first.rooms, "named": first.named])
    }
    #expect(second.hall?.name == "hall" && second.hall?.isSameObject(as: first.hall) == false)
    #expect(second.rooms.map(\.name) == ["a"] && second.named["n"]??.name == "b")
    #expect(first.rooms.count == 1 && EmbeddedModels.counts(realm) == [6, 2])
    let room = Room("mine")
    try realm.write { realm.create(House.self, value: ["number": 5, "hall": room]) }
    #expect(room.realm == nil)
  }

  @Test func isChangedInPlaceByAModifiedUpdate() throws {
    let realm = try file.open()
    let house = try realm.write {
      realm.create(
        House.self,
        value: [
          "number": 1, "hall": ["name": "hall", "size": 3], "rooms": [["a", 1], ["b", 2]],
          "named": ["x": ["name": "c", "size": 5], "y": ["name": "d"]],
        ] as [String: Any])
    }
    let (hall, rooms) = (house.hall!, Array(house.rooms))
    let (x, y) = (house.named["x"]!!, house.named["y"]!!)
    try realm.write {
      realm.create(
        House.self,
        value: [
          "number": 1, "hall": ["name": "lobby"], "rooms": [["name": "A"]],
          "named": ["x": ["name": "C"], "z": ["name": "e"]],
        ] as [String: Any], update: .modified)
    }
    #expect(house.hall!.isSameObject(as: hall) && hall.name == "lobby" && hall.size == 3)
    #expect(rooms[0].name == "A" && rooms[0].size == 1 && rooms[1].isInvalidated)
    #expect(x.name == "C" && x.size == 5 && y.isInvalidated && house.named["z"]??.name == "e")
    #expect(house.named.keys == ["x", "z"] && EmbeddedModels.counts(realm) == [4, 0])
    let again = House(1)
    again.hall = Room("foyer")
    again.rooms.append(objectsIn: [Room("1"), Room("2"), Room("3")])
    again.named["x"] = Room("cc")
    try realm.write { realm.add(again, update: .modified) }
    #expect(again.hall!.isSameObject(as: hall) && hall.name == "foyer" && hall.size == 10)
    #expect(again.rooms[0].isSameObject(as: rooms[0]) && house.rooms.count == 3)
    #expect(house.named.keys == ["x"] && x.name == "cc" && EmbeddedModels.counts(realm) == [5, 0])
    try realm.write {
      realm.create(
        House.self, value: ["number": 1, "hall": ["name": "new"]] as [String: Any], update: .all)
    }
    #expect(hall.isInvalidated && house.hall?.name == "new" && house.rooms.count == 3)
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func isReachedByName() throws {
    let realm = try file.open()
    let house = try realm.write {
      let house = realm.create(House.self)
      house["hall"] = Room("hall")
      house.setValue(["name": "next"], forKeyPath: "hall.next")
      return house
    }
    #expect((house["hall"] as? Room)?.name == "hall")
    #expect(house.value(forKeyPath: "hall.next.name") as? String == "next")
    #expect(house.hall?["size"] as? Int == 10)
    try realm.write { house.setValue(nil, forKey: "hall") }
    #expect(EmbeddedModels.counts(realm) == [0, 0])
    #expect(house.description.contains("hall = (null);"))
  }

  @Test func longChainsAreAddedAndDeletedWithoutMuchStack() throws {
    let realm = try file.open()
    let house = House(1)
    let length = 100_000
    var room = Room("end")
    for index in 1..<length {
      let before = Room("\(index)")
      before.next = room
      room = before
    }
    house.hall = room
    try realm.write { realm.add(house) }
    #expect(EmbeddedModels.counts(realm) == [length, 0])
    var last = house.hall!
    for _ in 1..<length { last = last.next! }
    #expect(last.name == "end")
    let copy = try realm.write {
      realm.create(House.self, value: ["number": 2, "hall": house.hall!])
    }
    #expect(EmbeddedModels.counts(realm) == [2 * length, 0])
    last = copy.hall!
    for _ in 1..<length { last = last.next! }
    #expect(last.name == "end")
    try realm.write {
      house.hall = nil
      realm.delete(copy)
    }
    #expect(EmbeddedModels.counts(realm) == [0, 0])
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func longChainsAreUpdatedAndSetByNameWithoutMuchStack() throws {
    let realm = try file.open()
    let length = 20_000
    func chain() -> Room {
      (0..<length).reduce(Room("end")) { room, index in
        let before = Room("\(index)")
        before.next = room
        return before
      }
    }
    try realm.write {
      let houses = [House(1), House(2)]
      for house in houses { house.hall = chain() }
      realm.add(houses)
      for policy in [Realm.UpdatePolicy.modified, .all] {
        houses[0].hall?.next?.name = "changed \(policy)"
        realm.create(
          House.self, value: ["number": 2, "hall": houses[0].hall!], update: policy)
        #expect(houses[1].hall?.next?.name == "changed \(policy)")
      }
      realm.dynamicObject(ofType: "House", forPrimaryKey: 2)?["hall"] = houses[0].hall
      realm.dynamicCreate("House", value: ["number": 3, "hall": houses[0].hall!])
    }
    #expect(EmbeddedModels.counts(realm) == [3 * (length + 1), 0])
    var last = try #require(realm.object(ofType: House.self, forPrimaryKey: 3)?.hall)
    while let next = last.next { last = next }
    #expect(last.name == "end")
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func anUpdateReadsWhatItOverwritesBefore() throws {
    let realm = try file.open()
    let house = House(1)
    house.hall = Room(value: [
      "name": "a", "next": ["name": "b", "next": ["name": "c", "size": 3]],
    ])
    house.hall?.next?.niches.append(Niche(5))
    try realm.write {
      realm.add(house)
      realm.create(
        House.self, value: ["number": 1, "hall": house.hall!.next!], update: .modified)
    }
    #expect(house.hall?.name == "b" && house.hall?.niches.map(\.depth) == [5])
    #expect(house.hall?.next?.name == "c" && house.hall?.next?.size == 3)
    #expect(house.hall?.next?.niches.isEmpty == true && house.hall?.next?.next == nil)
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func longChainsOfObjectsAreAddedWithoutMuchStack() throws {
    let realm = try file.open()
    var house = House(0)
    for index in 1..<100_000 {
      let before = House(index)
      before.neighbour = house
      house = before
    }
    try realm.write { realm.add(house) }
    #expect(realm.objects(House.self).count == 100_000)
    #expect(house.neighbour?.neighbour?.number == 99_997)
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func cancellingUndoesIt() throws {
    let realm = try file.open()
    let house = try realm.write { realm.create(House.self, value: ["hall": ["name": "hall"]]) }
    let hall = house.hall!
    realm.beginWrite()
    let room = Room("new")
    house.hall = room
    #expect(hall.isInvalidated)
    realm.cancelWrite()
    #expect(house.hall?.name == "hall" && !hall.isInvalidated && room.isInvalidated)
  }

  @Test func schemasSayThatItIsEmbedded() throws {
    let realm = try file.open()
    #expect(realm.schema["Room"]?.isEmbedded == true && realm.schema["House"]?.isEmbedded == false)
    #expect(Room().objectSchema.isEmbedded && !House().objectSchema.isEmbedded)
    #expect(House().objectSchema["hall"]?.objectClassName == "Room")
  }

  @Test func isDecodedAndEncoded() throws {
    final class Codes: EmbeddedObject, Codable { @Persisted var code: Int }
    final class Box: Object, Codable {
      @Persisted var single: Codes?
      @Persisted var many: List<Codes>
      @Persisted var named: Map<String, Codes?>
    }
    let text = #"{"single":{"code":1},"many":[{"code":2}],"named":{"a":{"code":3},"b":null}}"#
    let box = try JSONDecoder().decode(Box.self, from: Data(text.utf8))
    #expect(box.single?.code == 1 && box.many[0].code == 2 && box.named["a"]??.code == 3)
    let encoded = try JSONEncoder().encode(box)
    let again = try JSONDecoder().decode(Box.self, from: encoded)
    #expect(again.single?.code == 1 && again.many.count == 1 && again.named.count == 2)
  }

  @Test func asymmetricObjectsAreDescribedOnly() throws {
    final class Reading: AsymmetricObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var value: Double
      @Persisted var place: Niche?
    }
    let reading = Reading(value: ["id": 3, "value": 1.5, "place": ["depth": 4]])
    #expect(reading.id == 3 && reading["value"] as? Double == 1.5 && reading.place?.depth == 4)
    #expect(reading.objectSchema.isAsymmetric && reading.objectSchema.className == "Reading")
    #expect(reading.description.contains("value = 1.5;"))
    let file = TemporaryRealm([Reading.self, Niche.self])
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    #expect(
      error?.localizedDescription.contains(
        "Asymmetric table 'Reading' not allowed in a local Realm") == true)
  }
}
