import Foundation
import ObjectStore
import Testing

@testable import RealmSwift

final class Crate: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var content: AnyRealmValue
  @Persisted var contents: List<AnyRealmValue>
  @Persisted var byName: Map<String, AnyRealmValue>
  @Persisted var set: MutableSet<AnyRealmValue>
  @Persisted var next: Crate?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Lists and dictionaries in `AnyRealmValue`.
@Suite struct NestedCollectionTests {
  private let file = TemporaryRealm([Crate.self])

  private static var tree: [String: Any] {
    [
      "name": "Rex", "tags": ["a", 1, [true, NSNull()], ["x": 2.5]] as [Any],
      "address": ["street": "Main", "numbers": [1, 2, 3]] as [String: Any],
    ]
  }

  private func plain(_ value: AnyRealmValue) -> NSObject {
    switch value {
    case .none: NSNull()
    case .list(let list): NSArray(array: list.map(plain))
    case .dictionary(let map):
      NSDictionary(
        dictionary: Dictionary(uniqueKeysWithValues: zip(map.keys, map.values.map(plain))))
    case .string(let text): NSString(string: text)
    case .int(let value): NSNumber(value: value)
    case .bool(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    default: NSString(string: "\(value)")
    }
  }

  private func check(_ realm: Realm) throws {
    let findings = try #require(realm.instance.snapshot).storeFindings()
    #expect(findings.isEmpty, "\(findings)")
  }

  private func nestedCount(_ realm: Realm) -> Int {
    NestedCollection.allCases.reduce(0) { count, kind in
      guard let description = realm.instance.schema.description.description(of: kind.className)
      else { return count }
      return count
        + realm.instance.table(of: realm.instance.binding(for: description.tableKey)).count
    }
  }

  @Test func valuesOfEveryShapeAreStoredAndReadBack() throws {
    let expected = plain(try #require(AnyRealmValue(content: Self.tree)))
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        let crate = Crate()
        crate.content = try #require(AnyRealmValue(content: Self.tree))
        crate.contents.append(crate.content)
        crate.contents.append(.fromArray([.fromArray([.fromArray([])])]))
        crate.byName["tree"] = crate.content
        #expect(plain(crate.content) == expected)
        realm.add(crate)
        realm.create(
          Crate.self,
          value: [
            "id": 1, "content": Self.tree, "contents": [Self.tree, [[[]]]],
            "byName": ["tree": Self.tree],
          ] as [String: Any])
      }
      try check(realm)
    }
    let realm = try file.open()
    for crate in realm.objects(Crate.self) {
      for crate in [crate, crate.freeze()] {
        #expect(plain(crate.content) == expected)
        #expect(plain(crate.contents[0]) == expected)
        #expect(crate.contents[1].listValue?[0].listValue?[0].listValue?.count == 0)
        #expect(plain(try #require(crate.byName["tree"])) == expected)
        #expect(
          crate.content.dictionaryValue?["tags"]?.listValue?[3].dictionaryValue?["x"]
            == .double(2.5))
      }
    }
  }

  @Test func managedOnesAreChangedInPlace() throws {
    let realm = try file.open()
    let crate = try realm.write {
      realm.create(Crate.self, value: ["content": ["a": [1, 2], "b": [:]] as [String: Any]])
    }
    let map = try #require(crate.content.dictionaryValue)
    let list = try #require(map["a"]?.listValue)
    try realm.write {
      list.append(.string("three"))
      list.insert(.fromDictionary(["k": .int(9)]), at: 0)
      list[1] = .none
      map["b"]?.dictionaryValue?["inner"] = .fromArray([.bool(true)])
      map["c"] = .int(7)
    }
    #expect(
      plain(crate.content)
        == plain(
          AnyRealmValue(
            content: [
              "a": [["k": 9], NSNull(), 2, "three"] as [Any], "b": ["inner": [true]], "c": 7,
            ] as [String: Any])!))
    #expect(list.count == 4 && map.keys == ["a", "b", "c"])
    try check(realm)
    try realm.write {
      list.move(from: 0, to: 3)
      list.removeFirst()
      map["b"] = nil
    }
    #expect(list.last?.dictionaryValue?["k"] == .int(9) && list.count == 3)
    try check(realm)
  }

  @Test func whatIsReplacedOrTakenOutIsGoneWithAllThatItHolds() throws {
    let realm = try file.open()
    let crate = try realm.write {
      realm.create(
        Crate.self,
        value: ["content": Self.tree, "contents": [[1], [[2]]], "byName": ["a": [3]]]
          as [String: Any])
    }
    #expect(nestedCount(realm) == 10)
    let map = try #require(crate.content.dictionaryValue)
    let list = try #require(crate.contents[1].listValue)
    try realm.write {
      crate.content = .int(1)
      crate.contents.removeAll()
    }
    #expect(map.isInvalidated && list.isInvalidated)
    #expect(nestedCount(realm) == 1)
    try realm.write { realm.delete(crate) }
    #expect(nestedCount(realm) == 0)
    try check(realm)
  }

  @Test func assigningCopies() throws {
    let realm = try file.open()
    let (first, second) = try realm.write {
      (
        realm.create(Crate.self, value: ["id": 1, "content": Self.tree]),
        realm.create(Crate.self, value: ["id": 2])
      )
    }
    try realm.write {
      second.content = first.content
      first.content = first.content
      second.content.dictionaryValue?["name"] = .string("Max")
    }
    #expect(first.content.dictionaryValue?["name"] == .string("Rex"))
    #expect(second.content.dictionaryValue?["name"] == .string("Max"))
    #expect(nestedCount(realm) == 12)
    try check(realm)
    let other = TemporaryRealm([Crate.self])
    let copy = try other.open()
    try copy.write {
      first.realm!.objects(Crate.self).forEach { copy.create(Crate.self, value: $0) }
    }
    #expect(plain(copy.objects(Crate.self).first!.content) == plain(first.content))
  }

  @Test func aCancelledWriteLeavesNothing() throws {
    let realm = try file.open()
    realm.beginWrite()
    let crate = realm.create(Crate.self, value: ["content": Self.tree])
    let map = crate.content.dictionaryValue
    realm.cancelWrite()
    #expect(map?.isInvalidated == true)
    try realm.write { realm.create(Crate.self, value: ["content": [1, [2]]]) }
    #expect(
      plain(realm.objects(Crate.self).first!.content) == plain(AnyRealmValue(content: [1, [2]])!))
    try check(realm)
  }

  @Test func updatingWithWhatIsThereChangesNothing() throws {
    let realm = try file.open()
    let value =
      ["id": 1, "content": Self.tree, "byName": ["a": [1]], "contents": [[2]]] as [String: Any]
    let crate = try realm.write { realm.create(Crate.self, value: value) }
    let map = try #require(crate.content.dictionaryValue)
    let list = try #require(crate.contents[0].listValue)
    try realm.write { realm.create(Crate.self, value: value, update: .modified) }
    #expect(!map.isInvalidated && !list.isInvalidated)
    try realm.write { realm.create(Crate.self, value: value, update: .all) }
    #expect(map.isInvalidated && plain(crate.content) == plain(AnyRealmValue(content: Self.tree)!))
    #expect(nestedCount(realm) == 8)
    try check(realm)
  }

  @Test func objectsInThemAreLinks() throws {
    let realm = try file.open()
    let crate = try realm.write {
      let target = Crate(value: ["id": 2])
      return realm.create(
        Crate.self,
        value: ["id": 1, "content": [["deep": target] as [String: Any]]] as [String: Any])
    }
    func target() -> Crate? {
      crate.content.listValue?[0].dictionaryValue?["deep"]?.object(Crate.self)
    }
    #expect(target()?.id == 2)
    try check(realm)
    try realm.write { realm.delete(target()!) }
    #expect(crate.content.listValue?[0].dictionaryValue?["deep"] == AnyRealmValue.none)
    try check(realm)
  }

  @Test func listsFindTheirOwnElements() throws {
    let realm = try file.open()
    let crate = try realm.write {
      realm.create(Crate.self, value: ["contents": [[1], [2]] as [Any]])
    }
    #expect(crate.contents.index(of: crate.contents[1]) == 1)
    #expect(crate.contents.index(of: .fromArray([.int(2)])) == nil)
    #expect(nestedCount(realm) == 2)
  }

  @Test func theyAreCoded() throws {
    let value = try #require(AnyRealmValue(content: Self.tree))
    let data = try JSONEncoder().encode(value)
    let decoded = try JSONDecoder().decode(AnyRealmValue.self, from: data)
    #expect(plain(decoded) == plain(value))
    let realm = try file.open()
    let crate = try realm.write { realm.create(Crate.self, value: ["content": value]) }
    let managed = try JSONDecoder().decode(
      AnyRealmValue.self, from: try JSONEncoder().encode(crate.content))
    #expect(plain(managed) == plain(value))
  }

  @Test func aFilesFirstOneIsFrozenWithinItsWrite() throws {
    let realm = try file.open()
    let (list, sorted, map) = try realm.write {
      let crate = realm.create(Crate.self, value: ["content": [["a": 1]]])
      let list = try #require(crate.content.listValue)
      let sorted = list.sorted(ascending: true)
      return (list.freeze(), sorted.freeze(), try #require(list[0].dictionaryValue).freeze())
    }
    // What is frozen is the version before the write, which has none of it.
    #expect(list.isFrozen && sorted.isFrozen && map.isFrozen)
    #expect(list.isInvalidated && sorted.isEmpty && map.isInvalidated)
  }

  @Test func onesThatOwnThemselvesAreFoundAndCanBeWrittenTo() throws {
    let realm = try file.open()
    let (table, list, column) = try realm.write {
      realm.create(Crate.self, value: ["content": [1, [2, ["a": [3]]]] as [Any]])
      let objects = try #require(realm.instance.writing).objects
      let (table, list) = try objects.createNested(.list)
      let (_, other) = try objects.createNested(.list)
      let column = try #require(objects.schema.description.description(of: table)).properties[0]
        .columnKey
      try objects.listInsert(.link(table, list), at: 0, column, of: other, in: table)
      try objects.listInsert(.link(table, other), at: 0, column, of: list, in: table)
      return (table, list, column)
    }
    // Whoever watches what holds a changed one is told, upwards: here without an end.
    try realm.write {
      let objects = try #require(realm.instance.writing).objects
      try objects.listInsert(.int(1), at: 1, column, of: list, in: table)
    }
    let findings = try #require(realm.instance.snapshot).storeFindings()
    #expect(findings.map(\.message) == ["2 embedded objects own one another in circles"])
  }

  @Test func theClassesThatKeepThemAreHidden() async {
    await #expect(processExitsWith: .failure) {
      let file = TemporaryRealm([Crate.self])
      let realm = try file.open()
      try realm.write { realm.create(Crate.self, value: ["content": [1]]) }
      _ = realm.dynamicObjects(NestedCollection.list.className)
    }
  }

  @Test func cyclesOfUnmanagedOnesAreRefused() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let realm = try TemporaryRealm([Crate.self]).open()
      let list = List<AnyRealmValue>()
      list.append(.list(list))
      realm.beginWrite()
      realm.create(Crate.self, value: ["content": AnyRealmValue.list(list)])
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Maximum nesting level of 100 exceeded"))
    let list = List<AnyRealmValue>()
    list.append(.list(list))
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(list) }
    #expect(list.description.contains("<Maximum depth exceeded>"))
    list.removeAll()
  }

  @Test func setsAndValuesThatAreTooDeepRefuseThem() async {
    await #expect(processExitsWith: .failure) {
      let set = MutableSet<AnyRealmValue>()
      set.insert(.fromArray([]))
    }
    await #expect(processExitsWith: .failure) {
      var value: Any = 1
      for _ in 0..<101 { value = [value] }
      _ = Crate(value: ["content": value])
    }
  }
}
