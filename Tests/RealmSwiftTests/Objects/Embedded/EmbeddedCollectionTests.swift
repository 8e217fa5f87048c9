import Foundation
import Testing

@testable import RealmSwift

/// Embedded objects in lists and maps, queries over them, and what crosses threads and files.
@Suite struct EmbeddedCollectionTests {
  let file = EmbeddedModels.file()

  private func house(_ realm: Realm, _ names: [String]) throws -> House {
    try realm.write {
      let house = realm.create(House.self, value: ["number": realm.objects(House.self).count])
      house.rooms.append(objectsIn: names.map { Room($0) })
      return house
    }
  }

  private func check(_ realm: Realm, _ house: House, _ names: [String]) {
    #expect(house.rooms.map(\.name) == names)
    #expect(EmbeddedModels.counts(realm)[0] == names.count)
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func listsMakeAndDeleteTheirElements() throws {
    let realm = try file.open()
    let house = try house(realm, ["a", "b", "c"])
    check(realm, house, ["a", "b", "c"])
    let (a, b) = (house.rooms[0], house.rooms[1])
    try realm.write {
      house.rooms.insert(Room("i"), at: 1)
      house.rooms.insert(contentsOf: [Room("j"), Room("k")], at: 0)
      house.rooms[2] = Room("A")
    }
    check(realm, house, ["j", "k", "A", "i", "b", "c"])
    #expect(a.isInvalidated && !b.isInvalidated)
    try realm.write {
      house.rooms.move(from: 0, to: 5)
      house.rooms.swapAt(0, 1)
      house.rooms[3] = house.rooms[3]
      house.rooms.remove(at: 2)
    }
    check(realm, house, ["A", "k", "b", "c", "j"])
    try realm.write {
      house.rooms.replaceSubrange(1..<3, with: [Room("x")])
      house.rooms.removeLast()
    }
    check(realm, house, ["A", "x", "c"])
    #expect(b.isInvalidated)
    try realm.write { house.rooms.remove(atOffsets: IndexSet([0, 2])) }
    check(realm, house, ["x"])
    try realm.write { house.rooms.removeAll() }
    check(realm, house, [])
  }

  @Test func assigningAListCopiesManagedElements() throws {
    let realm = try file.open()
    let first = try house(realm, ["a", "b"])
    let second = try house(realm, ["c"])
    try realm.write { second.rooms = first.rooms }
    #expect(second.rooms.map(\.name) == ["a", "b"] && first.rooms.map(\.name) == ["a", "b"])
    #expect(EmbeddedModels.counts(realm) == [4, 0])
    try realm.write { second.rooms = second.rooms }
    #expect(second.rooms.count == 2)
    let unmanaged = List<Room>()
    unmanaged.append(Room("u"))
    try realm.write { second.rooms = unmanaged }
    #expect(second.rooms.map(\.name) == ["u"] && EmbeddedModels.counts(realm) == [3, 0])
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func mapsMakeAndDeleteTheirValues() throws {
    let realm = try file.open()
    let house = try house(realm, [])
    try realm.write {
      house.named["a"] = Room("1")
      house.named.updateValue(Room("2"), forKey: "b")
      house.named["c"] = Room("3")
    }
    let (a, b, c) = (house.named["a"]!!, house.named["b"]!!, house.named["c"]!!)
    try realm.write {
      house.named["a"] = Room("4")
      house.named["b"] = .some(nil)
      house.named["c"] = house.named["c"]
      house.named.merge([(key: "d", value: Room("5"))]) { old, _ in old }
    }
    #expect(a.isInvalidated && b.isInvalidated && !c.isInvalidated)
    #expect(house.named.map { $0.value?.name ?? "-" } == ["4", "-", "3", "5"])
    let other = try self.house(realm, [])
    try realm.write {
      other.named = house.named
      house.named.removeObject(for: "a")
      house.named["d"] = nil
    }
    #expect(other.named.keys == ["a", "b", "c", "d"] && house.named.keys == ["b", "c"])
    #expect(EmbeddedModels.counts(realm) == [4, 0])
    try realm.write { other.named.removeAll() }
    #expect(EmbeddedModels.counts(realm) == [1, 0] && EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func updatesTakeTheirElementsFromWhatIsThere() throws {
    let realm = try file.open()
    let first = try house(realm, ["a", "b"])
    try realm.write {
      first.named["old"] = Room("kept")
      realm.create(
        House.self,
        value: ["number": 0, "rooms": [["name": "new"]] + Array(first.rooms) as [Any]]
          as [String: Any], update: .modified)
      realm.create(
        House.self, value: ["number": 0, "named": ["new": first.named["old"]!!]] as [String: Any],
        update: .modified)
    }
    #expect(first.rooms.map(\.name) == ["new", "a", "b"])
    #expect(first.named.keys == ["new"] && first.named["new"]??.name == "kept")
    try realm.write {
      realm.create(
        House.self, value: ["number": 0, "rooms": Array(first.rooms.reversed())] as [String: Any],
        update: .modified)
    }
    #expect(first.rooms.map(\.name) == ["b", "a", "new"])
  }

  @Test func dynamicOnesCanBeAssignedToThemselves() throws {
    let realm = try file.open()
    let first = try house(realm, ["a", "b"])
    let dynamic = realm.dynamicObjects("House")[0]
    try realm.write {
      first.hall = Room("hall")
      dynamic["hall"] = dynamic["hall"]
      dynamic["rooms"] = dynamic["rooms"]
      dynamic["named"] = dynamic["named"]
    }
    #expect(first.hall?.name == "hall" && first.rooms.map(\.name) == ["a", "b"])
  }

  @Test func queriesGoThroughThem() throws {
    let realm = try file.open()
    let first = try house(realm, ["a", "b"])
    let second = try house(realm, ["c"])
    try realm.write {
      second.hall = Room("hall", size: 40)
      first.rooms[1].niches.append(Niche(9))
      second.hall?.view = first
    }
    let houses = realm.objects(House.self)
    #expect(houses.where { $0.rooms.name == "b" }.map(\.number) == [0])
    #expect(houses.where { $0.hall.size > 30 }.map(\.number) == [1])
    #expect(houses.filter("hall.view.number == 0").map(\.number) == [1])
    #expect(houses.filter("ANY rooms.niches.depth == 9").map(\.number) == [0])
    #expect(houses.sorted(byKeyPath: "hall.size").first?.number == 1)
    #expect(first.rooms.filter("name > 'a'").map(\.name) == ["b"])
    #expect(first.rooms.where { $0.niches.depth == 9 }.map(\.name) == ["b"])
    #expect(first.rooms.sorted(by: \.name, ascending: false).map(\.name) == ["b", "a"])
    #expect(first.rooms.index(of: first.rooms[1]) == 1 && first.rooms.index(of: Room("a")) == nil)
    #expect(first.rooms[0].houses.map(\.number) == [0])
    #expect(realm.objects(House.self).where { $0.hall == second.hall }.map(\.number) == [1])
    #expect(first.rooms.max(of: \.size) == 10 && first.rooms.value(forKey: "name").count == 2)
    #expect(Set(first.rooms.map(\.id)).count == 2)
  }

  @Test func freezesThawsAndCrossesThreads() throws {
    let realm = try file.open()
    let house = try house(realm, ["a"])
    let room = house.rooms[0]
    let frozen = room.freeze()
    let reference = ThreadSafeReference(to: room)
    try realm.write { room.name = "b" }
    #expect(frozen.isFrozen && frozen.name == "a" && frozen.thaw()?.name == "b")
    #expect(!frozen.isSameObject(as: room) && frozen.houses.first?.isFrozen == true)
    let thread = LoopThread(name: "elsewhere")
    thread.performAndWait { [file] in
      let realm = try! file.open()
      #expect(realm.resolve(reference)?.name == "b")
    }
    thread.join()
    try realm.write { house.rooms.removeAll() }
    #expect(frozen.thaw() == nil && frozen.name == "a")
  }

  @Test func isKeptByAFileAndItsCopy() throws {
    let other = file.directory.appendingPathComponent("copy.realm")
    do {
      let realm = try file.open()
      let house = try house(realm, ["a", "b"])
      try realm.write { house.hall = Room("hall") }
      try realm.writeCopy(toFile: other)
    }
    for url in [file.configuration.fileURL!, other] {
      var configuration = file.configuration
      configuration.fileURL = url
      let realm = try Realm(configuration: configuration)
      let house = try #require(realm.objects(House.self).first)
      #expect(house.hall?.name == "hall")
      #expect(house.rooms.map(\.name) == ["a", "b"] && EmbeddedModels.counts(realm) == [3, 0])
      #expect(EmbeddedModels.findings(realm).isEmpty)
    }
  }

  @Test func projectionsShowThem() throws {
    let realm = try file.open()
    let house = try house(realm, ["a", "b"])
    try realm.write { house.hall = Room("hall") }
    let view = HouseView(projecting: house)
    #expect(view.hallName == "hall" && Array(view.roomNames) == ["a", "b"])
    let room = RoomView(projecting: house.rooms[0])
    try realm.write { room.title = "A" }
    #expect(house.rooms[0].name == "A" && room.nextTitle == nil)
  }

  @Test func keyPathsAreNamed() {
    #expect(_name(for: \House.hall?.next?.name) == "hall.next.name")
    #expect(_name(for: \House.hall?.niches) == "hall.niches")
  }

  @Test func everyClassOfTheProgramIsFound() throws {
    let infos = try RealmSchema.classes(of: Realm.Configuration(inMemoryIdentifier: "discovery"))
    let names = infos.map(\.name)
    #expect(names.contains("Room") && names.contains("House") && !names.contains("EmbeddedObject"))
    #expect(!infos.contains { $0.isAsymmetric })
  }
}
