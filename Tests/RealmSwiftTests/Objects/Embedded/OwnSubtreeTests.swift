import Foundation
import Testing

@testable import RealmSwift

/// A property gets a value that lies inside the one that it replaces.
@Suite struct OwnSubtreeTests {
  private let file = EmbeddedModels.file()

  private func house(_ realm: Realm) throws -> DynamicObject {
    try realm.write {
      let house = House(1)
      let hall = Room("hall")
      hall.next = Room("kitchen")
      hall.next?.next = Room("pantry")
      hall.next?.niches.append(Niche(3))
      house.hall = hall
      house.rooms.append(objectsIn: [Room("first"), Room("second")])
      house.rooms[0].next = Room("behind")
      house.named["a"] = Room("named")
      house.named["a"]??.next = Room("inner")
      realm.add(house)
    }
    return try #require(realm.dynamicObject(ofType: "House", forPrimaryKey: 1))
  }

  @Test func anEmbeddedObjectFromInsideTheOneThatGoes() throws {
    let realm = try file.open()
    let house = try house(realm)
    let before = EmbeddedModels.counts(realm)
    try realm.write { house["hall"] = (house["hall"] as? DynamicObject)?["next"] }
    let hall = try #require(realm.objects(House.self).first?.hall)
    #expect(hall.name == "kitchen" && hall.next?.name == "pantry")
    #expect(hall.niches.map(\.depth) == [3])
    #expect(EmbeddedModels.counts(realm) == [before[0] - 1, before[1]])
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func listsAndMapsOfEmbeddedObjectsFromInside() throws {
    let realm = try file.open()
    let house = try house(realm)
    try realm.write {
      let first = (house["rooms"] as? List<DynamicObject>)?[0]
      house["rooms"] = [first?["next"] as Any, first as Any]
      let named = (house["named"] as? Map<String, DynamicObject?>)?["a"] ?? nil
      house["named"] = ["b": named?["next"] as Any, "a": named as Any]
    }
    let typed = try #require(realm.objects(House.self).first)
    #expect(typed.rooms.map(\.name) == ["behind", "first"])
    #expect(typed.rooms[1].next?.name == "behind")
    #expect(typed.named.values.map { $0?.name } == ["named", "inner"])
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func wholeCollectionsFromInside() throws {
    let realm = try file.open()
    _ = try house(realm)
    let house = try #require(realm.objects(House.self).first)
    try realm.write {
      house.rooms = house.rooms
      house.hall?.niches = house.hall!.next!.niches
      house.named = house.named
    }
    #expect(house.rooms.count == 2 && house.hall?.niches.map(\.depth) == [3])
    #expect(house.named.count == 1)
    #expect(EmbeddedModels.findings(realm).isEmpty)
  }

  @Test func valuesOfAnyKindFromInside() throws {
    let realm = try TemporaryRealm([Crate.self]).open()
    let crate = try realm.write {
      realm.create(
        Crate.self,
        value: [
          "content": ["x": [1, ["deep": 2]] as [Any], "y": 3] as [String: Any],
          "contents": [[[7], [8]], 9] as [Any],
          "byName": ["a": ["b": ["c": 1]]],
        ] as [String: Any])
    }
    try realm.write {
      crate.content = crate.content.dictionaryValue!["x"]!
      crate.contents[0] = crate.contents[0].listValue![1]
      crate.byName["a"] = crate.byName["a"]?.dictionaryValue?["b"]
    }
    #expect(crate.content.listValue?[1].dictionaryValue?["deep"] == .int(2))
    #expect(crate.contents[0].listValue?[0] == .int(8))
    #expect(crate.byName["a"]?.dictionaryValue?["c"] == .int(1))
    try realm.write {
      crate.contents = crate.contents[0].listValue!
      crate["content"] = crate.content.listValue?[1]
      crate.byName = crate.byName["a"]!.dictionaryValue!
    }
    #expect(crate.contents.map { $0 } == [.int(8)] && crate.byName["c"] == .int(1))
    #expect(crate.content.dictionaryValue?["deep"] == .int(2))
    #expect(realm.instance.snapshot!.storeFindings().isEmpty)
  }

  @Test func elementsThatArePartOfWhatIsReplaced() throws {
    let realm = try TemporaryRealm([Crate.self]).open()
    let crate = try realm.write {
      realm.create(Crate.self, value: ["contents": [[[1], [2]], [3]] as [Any]])
    }
    try realm.write { crate.contents = crate.contents[0].listValue! }
    #expect(crate.contents.map { $0.listValue?[0] } == [.int(1), .int(2)])
    try realm.write { crate.contents.replaceSubrange(0..<2, with: crate.contents) }
    #expect(crate.contents.map { $0.listValue?[0] } == [.int(1), .int(2)])
    let list = List<AnyRealmValue>()
    list.append(objectsIn: crate.contents)
    try realm.write {
      realm.create(Crate.self, value: ["id": crate.id, "contents": list], update: .all)
    }
    #expect(crate.contents.map { $0.listValue?[0] } == [.int(1), .int(2)])
    #expect(realm.instance.snapshot!.storeFindings().isEmpty)
  }

  @Test func collectionsPutIntoThemselves() throws {
    let realm = try TemporaryRealm([Crate.self]).open()
    let crate = try realm.write {
      realm.create(
        Crate.self,
        value: ["contents": [1, [2]] as [Any], "byName": ["a": [1]], "set": [1, 2]]
          as [String: Any])
    }
    try realm.write {
      crate.contents.append(objectsIn: crate.contents)
      crate.contents.insert(contentsOf: crate.contents, at: 1)
      crate.byName.merge(crate.byName) { $1 }
      crate.set.formUnion(crate.set)
      crate.set.formIntersection(crate.set)
    }
    #expect(crate.contents.count == 8 && crate.set.count == 2)
    #expect(crate.byName["a"]?.listValue?[0] == .int(1))
    try realm.write { crate.set.subtract(crate.set) }
    #expect(crate.set.isEmpty)
    #expect(realm.instance.snapshot!.storeFindings().isEmpty)
  }

  @Test func aRefusedReplacementChangesNothing() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let realm = try EmbeddedModels.file().open()
      realm.beginWrite()
      let house = realm.create(House.self, value: [1])
      house.rooms.append(objectsIn: [Room("first"), Room("second")])
      let configuration = realm.configuration
      RealmMisuse.handler = { _, reason in
        // The same one, within its transaction.
        let house = (try? Realm(configuration: configuration))?.objects(House.self).first
        FileHandle.standardError.write(Data("\(reason) \(house?.rooms.count ?? -1)\n".utf8))
        exit(1)
      }
      house.rooms.replaceSubrange(0..<2, with: house.rooms)
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Cannot add an existing managed embedded object to a List. 2"))
  }
}
