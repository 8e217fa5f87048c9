import Foundation
import RealmSwift
import Testing

/// Conditions on lists and dictionaries in `AnyRealmValue`.
@Suite struct NestedQueryTests {
  private let file = TemporaryRealm([Crate.self])

  private static var contents: [Any] {
    [
      ["name": "Rex", "tags": ["a", 1], "owner": ["age": 40, "names": ["Ann", "Bo"]]]
        as [String: Any],
      ["name": "Max", "tags": [1, "a"], "owner": ["age": 50] as [String: Any]] as [String: Any],
      [1, [2, 3], "four"] as [Any],
      ["a", "b"],
      "plain",
      NSNull(),
    ]
  }

  private func realm() throws -> Realm {
    let realm = try file.open()
    try realm.write {
      for (id, content) in Self.contents.enumerated() {
        realm.create(
          Crate.self,
          value: ["id": id, "content": content, "contents": [content], "byName": ["x": content]])
      }
    }
    return realm
  }

  @Test func typedOnesLookInside() throws {
    let crates = try realm().objects(Crate.self)
    func ids(_ condition: (Query<Crate>) -> Query<Bool>) -> [Int] {
      crates.where(condition).map(\.id)
    }
    #expect(ids { $0.content["name"] == .string("Rex") } == [0])
    #expect(ids { $0.content["owner"]["age"] > .int(45) } == [1])
    #expect(ids { $0.content["owner"]["names"][1] == .string("Bo") } == [0])
    #expect(ids { $0.content["tags"][0] == .string("a") } == [0])
    #expect(ids { $0.content["tags"].any == .string("a") } == [0, 1])
    #expect(ids { $0.content.any == .string("a") } == [3])
    #expect(ids { $0.content[0] == .int(1) } == [2])
    #expect(ids { $0.content.any.any == .int(3) } == [2])
    #expect(ids { $0.content[1][1] == .int(3) } == [2])
    #expect(ids { !($0.content[1][1] == .int(3)) } == [0, 1, 3, 4, 5])
    #expect(ids { $0.content["owner"]["age"].in([.int(40), .int(7)]) } == [0])
  }

  @Test func whatIsNotThereIsNull() throws {
    let crates = try realm().objects(Crate.self)
    #expect(crates.where { $0.content["name"] == .none }.map(\.id) == [2, 3, 4, 5])
    #expect(crates.where { $0.content[9] == .none }.count == 6)
    #expect(crates.where { $0.content["tags"]["x"] == .none }.count == 6)
    #expect(crates.where { $0.content.any == .none }.isEmpty)
  }

  @Test func elementsOfCollectionsAreLookedInto() throws {
    let crates = try realm().objects(Crate.self)
    #expect(crates.where { $0.byName["x"]["name"] == .string("Max") }.map(\.id) == [1])
    #expect(crates.where { $0.byName.values["name"] == .string("Max") }.map(\.id) == [1])
    #expect(crates.filter("contents[0]['owner']['age'] == 50").map(\.id) == [1])
    #expect(crates.filter("contents[*]['owner']['age'] == 50").map(\.id) == [1])
    #expect(crates.filter("ANY contents[*][*] == 'b'").map(\.id) == [3])
    let list = crates[2].contents
    #expect(list.filter("self[1][0] == 2").count == 1)
    #expect(list.where { $0[2] == .string("four") }.count == 1)
    #expect(list.where { $0[2] == .string("five") }.isEmpty)
  }

  @Test func stringsSayTheSame() throws {
    let crates = try realm().objects(Crate.self)
    #expect(crates.filter("content['name'] == 'Rex'").map(\.id) == [0])
    #expect(crates.filter("content[%@] == %@", "name", "Rex").map(\.id) == [0])
    #expect(crates.filter("content.name == 'Rex'").map(\.id) == [0])
    #expect(crates.filter("content.owner.names[1] == 'Bo'").map(\.id) == [0])
    #expect(crates.filter("ANY contents.owner.age == 50").map(\.id) == [1])
    #expect(crates.filter("byName['x'].name == 'Max'").map(\.id) == [1])
    #expect(crates.filter("content[%K][%@] == 2", "#any", 0).map(\.id) == [2])
    #expect(crates.filter("content[FIRST] == 'a' AND content[LAST] == 'b'").map(\.id) == [3])
    #expect(crates.filter("content['name'] BEGINSWITH[c] 'm'").map(\.id) == [1])
    #expect(crates.filter("content['owner']['age'] BETWEEN {45, 55}").map(\.id) == [1])
    #expect(crates.filter("content['tags'].@count == 2").map(\.id) == [0, 1])
    #expect(crates.filter("content.@size == 3").map(\.id) == [0, 1, 2])
    let (text, arguments) = Query<Crate>._constructForTesting().content["a"][1].any
      .isEqual(.int(1))._constructPredicate()
    #expect(text == "(content[%@][%@][%K] == %@)")
    #expect(arguments.map { "\($0)" } == ["a", "1", "#any", "1"])
  }

  @Test func listsAndDictionariesAreTypesOfTheirOwn() throws {
    let crates = try realm().objects(Crate.self)
    #expect(crates.filter("content.@type == 'list'").map(\.id) == [2, 3])
    #expect(crates.filter("content.@type == 'dictionary'").map(\.id) == [0, 1])
    #expect(crates.filter("content.@type == 'object'").isEmpty)
    #expect(crates.filter("content['owner'].@type IN {'dictionary', 'null'}").count == 6)
    #expect(crates[2].contents.filter("self.@type == 'list'").count == 1)
    #expect(crates[2].contents.filter("self.@type == 'object'").isEmpty)
  }

  @Test func whatIsNoValueOfAnyKindIsRefused() async {
    await #expect(processExitsWith: .failure) {
      _ = try TemporaryRealm([Crate.self]).open().objects(Crate.self).filter("id['a'] == 1").count
    }
  }

  @Test func observersHearOfWhatComesAndGoes() async {
    let observatory = Observatory([Crate.self])
    observatory.writeElsewhere { realm in
      realm.create(Crate.self, value: ["id": 1, "content": ["a": ["b": 1]]] as [String: Any])
    }
    let box = RealmBox()
    observatory.run { realm in
      box.token = realm.objects(Crate.self).where { $0.content["a"]["b"] == .int(2) }
        .observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    for (value, expected) in [(2, "[] [0] []"), (3, "[0] [] []")] {
      observatory.writeElsewhere { realm in
        let inner = realm.objects(Crate.self)[0].content.dictionaryValue!["a"]!.dictionaryValue!
        inner["b"] = .int(value)
      }
      #expect(await observatory.next() == expected)
    }
    observatory.run { _ in box.token = nil }
  }
}

extension Query where T == AnyRealmValue {
  fileprivate func isEqual(_ value: AnyRealmValue) -> Query<Bool> { self == value }
}
