import Foundation
import Testing

@testable import RealmSwift

final class Accents: Object {
  @Persisted(primaryKey: true) var id: String
  @Persisted var text: String
  @Persisted(indexed: true) var indexed: String
  @Persisted var list: List<String>
  @Persisted var optionals: List<String?>
  @Persisted var set: MutableSet<String>
  @Persisted var map: Map<String, Int>
  @Persisted var any: AnyRealmValue
  @Persisted var anys: MutableSet<AnyRealmValue>
  @Persisted var reals: MutableSet<Double>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Strings that Swift takes for equal although they are composed differently: a realm keeps both,
/// and so do objects without one.
@Suite struct ComposedStringTests {
  private let file = TemporaryRealm([Accents.self])
  private static let one = "caf\u{E9}"
  private static let two = "cafe\u{301}"

  private func scalars(_ texts: some Sequence<String>) -> [Int] {
    texts.map(\.unicodeScalars.count)
  }

  /// The same object without a realm and in one.
  private func both(_ fill: (Accents) -> Void) throws -> [Accents] {
    let (loose, managed) = (Accents(), Accents())
    fill(loose)
    let realm = try file.open()
    try realm.write {
      realm.add(managed)
      fill(managed)
    }
    return [loose, managed]
  }

  @Test func setsHoldBoth() throws {
    for object in try both({ object in
      object.set.insert(objectsIn: [Self.one, Self.two, Self.one])
      object.anys.insert(objectsIn: [.string(Self.one), .string(Self.two)])
    }) {
      #expect(object.set.count == 2 && scalars(object.set).sorted() == [4, 5])
      #expect(object.anys.count == 2)
      #expect(object.set.index(of: Self.one) != object.set.index(of: Self.two))
      let copy = Accents(value: object)
      #expect(copy.set.count == 2)
      copy.set.remove(Self.one)
      #expect(scalars(copy.set) == [5] && !copy.set.contains(Self.one))
    }
  }

  @Test func whatANewObjectHoldsIsThereWhenItIsAdded() throws {
    let object = Accents()
    object.set.insert(objectsIn: [Self.one, Self.two])
    object.map[Self.one] = 1
    object.map[Self.two] = 2
    let realm = try file.open()
    try realm.write { realm.add(object) }
    #expect(object.set.count == 2 && object.map.count == 2)
    #expect(object.map[Self.one] == 1 && object.map[Self.two] == 2)
  }

  @Test func mapsHoldBothKeysInTheirOrder() throws {
    for object in try both({ object in
      object.map[Self.one] = 1
      object.map[Self.two] = 2
      object.map["cafz"] = 3
    }) {
      #expect(object.map.count == 3)
      #expect(object.map[Self.one] == 1 && object.map[Self.two] == 2)
      #expect(object.map.values == [2, 3, 1])
      #expect(object.map.pairs.map(\.value) == [2, 3, 1])
      #expect(scalars(object.map.keys) == [5, 4, 4])
      let data = try JSONEncoder().encode(object.map)
      #expect(try JSONDecoder().decode([String: Int].self, from: data).count == 2)
    }
  }

  @Test func listsTellThemApart() throws {
    for object in try both({ object in
      object.list.append(objectsIn: [Self.one, Self.two])
      object.optionals.append(objectsIn: [nil, Self.two])
    }) {
      #expect(object.list.index(of: Self.two) == 1)
      #expect(object.optionals.index(of: Self.one) == nil)
      #expect(object.optionals.index(of: nil) == 0)
    }
    let (left, right) = (List<String>(), List<String>())
    left.append(Self.one)
    right.append(Self.two)
    #expect(left != right)
    right[0] = Self.one
    #expect(left == right)
  }

  @Test func updatesAndQueriesTellThemApart() throws {
    let realm = try file.open()
    try realm.write {
      for (key, text) in [(Self.one, Self.one), (Self.two, Self.two)] {
        realm.create(
          Accents.self,
          value: [
            "id": key, "text": text, "indexed": text, "list": [text], "any": [text] as [Any],
          ] as [String: Any])
      }
    }
    let all = realm.objects(Accents.self)
    #expect(all.count == 2)
    let first = try #require(realm.object(ofType: Accents.self, forPrimaryKey: Self.one))
    #expect(first.text.unicodeScalars.count == 4)
    for property in ["text", "indexed", "id"] {
      #expect(all.filter("\(property) == %@", Self.two).count == 1)
      #expect(all.filter("\(property) IN %@", [Self.two]).count == 1)
      #expect(all.filter("\(property) IN %@", [Self.one, Self.two, "x"]).count == 2)
    }
    #expect(all.distinct(by: ["text"]).count == 2)
    #expect(all.sectioned(by: \.text).count == 2)
    try realm.write {
      let value: [String: Any] = [
        "id": Self.one, "text": Self.two, "list": [Self.two], "any": [Self.two] as [Any],
      ]
      realm.create(Accents.self, value: value, update: .modified)
    }
    #expect(scalars([first.text, first.list[0]]) == [5, 5])
    #expect(first.any.listValue?[0].stringValue?.unicodeScalars.count == 5)
    try realm.write { first.list.append(Self.one) }
    #expect(first.list.distinct(by: ["self"]).count == 2)
    #expect(first.list.sorted(ascending: false).index(of: Self.two) == 1)
  }

  @Test func setsAreOneInWhatElseTheyTakeForEqual() throws {
    for object in try both({ object in
      object.reals.insert(objectsIn: [.nan, .nan, 0, -0.0, 1])
      object.anys.insert(
        objectsIn: [.int(1), .double(1), .decimal128(1), .bool(true), .none, .none])
    }) {
      #expect(object.reals.count == 3 && object.anys.count == 3)
      #expect(object.reals.contains(.nan) && object.anys.contains(.float(1)))
    }
  }
}
