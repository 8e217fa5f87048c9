import Foundation
import RealmSwift
import Testing

/// Collections without a realm: what they can do all the same.
@Suite struct UnmanagedCollectionTests {
  private func animals() -> List<Animal> {
    let list = List<Animal>()
    list.append(objectsIn: [Animal("a", age: 3), Animal("b", age: 4), Animal("c", age: 8)])
    return list
  }

  @Test func listsAggregate() {
    let list = animals()
    #expect(list.min(of: \.age) == 3 && list.max(of: \.age) == 8 && list.sum(of: \.age) == 15)
    #expect(list.average(of: \.age) == 5)
    #expect(list.max(ofProperty: "weight") == 1.5)
    #expect(list.min(ofProperty: "born") == Date?.none)
    list[1].born = Date(timeIntervalSince1970: 5)
    #expect(list.min(ofProperty: "born") == Date(timeIntervalSince1970: 5))
    let number: NSNumber? = list.max(ofProperty: "age")
    #expect(number == 8)
    #expect(List<Int>().min() == nil && List<Int>().sum() == 0)
    #expect(List<Int>().average() == Double?.none)
  }

  /// Nothing links to an unmanaged object: queries give results that are empty and stay so.
  @Test func linkingObjectsHoldNothing() throws {
    let keepers = Animal("a").keepers
    let all: [Results<Keeper>] = [
      keepers.filter("name == 'x'"), keepers.where { $0.id > 3 },
      keepers.filter(NSPredicate(format: "id == %@", 1)), keepers.sorted(byKeyPath: "name"),
      keepers.sorted(by: \.name), keepers.distinct(by: ["name"]),
      keepers.where { $0.id > 3 }.filter("name == 'x'").sorted(byKeyPath: "name"),
      AnyRealmCollection(keepers).filter("id == 1"),
    ]
    for results in all {
      #expect(results.count == 0 && results.isEmpty && results.first == nil && results.last == nil)
      #expect(Array(results).isEmpty && results.map(\.name).isEmpty)
      #expect(results.index(of: Keeper()) == nil && results.index(matching: "id == 1") == nil)
      #expect(results.realm == nil && !results.isInvalidated && !results.isFrozen)
      #expect(results.max(of: \.id) == nil && results.sum(of: \.id) == 0)
      #expect(results.sectioned(by: \.name).isEmpty)
      #expect((results.value(forKey: "name") as? [Any])?.isEmpty == true)
      #expect(results.description.hasPrefix("Results<Keeper> <0x0> ("))
      #expect(String(decoding: try JSONEncoder().encode(results.map(\.id)), as: UTF8.self) == "[]")
    }
    let realm = try TemporaryRealm().open()
    try realm.write {
      realm.add(Keeper())
      realm.delete(all[0])
    }
    #expect(realm.objects(Keeper.self).count == 1)
  }

  @Test func valuesSetsAndMapsAggregate() {
    let list = List<Double?>()
    list.append(objectsIn: [0.1, nil, 0.2])
    #expect(list.sum() == 0.1 + 0.2 && list.max() == 0.2 && list.average() == (0.1 + 0.2) / 2)
    let set = MutableSet<Decimal128>()
    set.insert(objectsIn: ["0.1", "0.2"])
    #expect(set.sum() == "0.3" && set.min() == "0.1")
    let map = Map<String, Int>()
    map["a"] = 1
    map["b"] = 4
    #expect(map.sum() == 5 && map.max() == 4 && map.average() == 2.5)
    let keepers = Map<String, Animal?>()
    keepers["a"] = Animal("a", age: 2)
    keepers["b"] = .some(nil)
    #expect(keepers.max(of: \.age) == 2 && keepers.sum(of: \.age) == 2)
    let colours = List<Colour>()
    colours.append(objectsIn: [.green, .red])
    #expect(colours.min() == .red)
    let any = List<AnyRealmValue>()
    any.append(objectsIn: [.int(2), .double(2.5), .string("no number")])
    #expect(any.sum() == .decimal128("4.5"))
  }

  @Test func averagesHaveTheTypeThatIsAskedFor() throws {
    let file = TemporaryRealm()
    let realm = try file.open()
    try realm.write { realm.add(animals()) }
    let results = realm.objects(Animal.self)
    let whole = results.average(of: \.age)
    #expect(type(of: whole) == Int?.self && whole == 5)
    let exact: Double? = results.where { $0.age < 8 }.average(of: \.age)
    #expect(exact == 3.5)
    #expect(results.where { $0.age < 8 }.average(of: \.age) as Int? == 3)
    let number: NSNumber? = results.average(ofProperty: "age")
    #expect(number == 5)
    func largest<T: _HasPersistedType>(_ keyPath: KeyPath<Animal, T>) -> T?
    where T.PersistedType: MinMaxType { results.max(of: keyPath) }
    #expect(largest(\.age) == 8 && largest(\.weight) == 1.5)
  }

  @Test func theyAreEqualIfTheyHoldTheSame() {
    let (first, second) = (List<Int>(), List<Int>())
    #expect(first == second)
    first.append(1)
    #expect(first != second)
    second.append(1)
    #expect(first == second)
    let (left, right) = (MutableSet<String>(), MutableSet<String>())
    left.insert(objectsIn: ["a", "b"])
    right.insert(objectsIn: ["b", "a"])
    #expect(left == right)
    let (one, other) = (Map<String, Int>(), Map<String, Int>())
    one["a"] = 1
    #expect(one != other)
    other["a"] = 1
    #expect(one == other)
    let list: RLMSwiftCollectionBase = first
    #expect(list != left)
  }

  @Test func managedOnesAreEqualOnlyToThemselves() throws {
    let file = TemporaryRealm()
    let realm = try file.open()
    let (first, second) = try realm.write {
      (realm.create(Everything.self), realm.create(Everything.self))
    }
    #expect(first.ints == first.ints && first.ints != second.ints)
    #expect(first.ints != List<Int>())
  }

  @Test func anyCollectionCanBeAnUnmanagedOne() {
    let list = animals()
    let any = AnyRealmCollection(list)
    #expect(any.count == 3 && any.first?.name == "a" && any[2].age == 8 && any.realm == nil)
    #expect(any.max(of: \.age) == 8)
    list.removeLast()
    #expect(any.map(\.name) == ["a", "b"] && any.index(of: list[1]) == 1)
    #expect(any == AnyRealmCollection(list) && !any.isFrozen && !any.isInvalidated)
  }
}

/// `index(matching:)` of collections without a realm.
@Suite struct UnmanagedMatchingTests {
  private let keepers: List<Keeper> = {
    let list = List<Keeper>()
    for (id, names) in [[], ["Rex"], ["Tom", "Ida"]].enumerated() {
      let keeper = Keeper(value: ["id": id, "name": "keeper \(id)"])
      keeper.animals.append(objectsIn: names.enumerated().map { Animal($1, age: $0 + 3) })
      list.append(keeper)
    }
    return list
  }()

  @Test func valuesAreFound() {
    let list = List<Int?>()
    list.append(objectsIn: [1, nil, 5, 9])
    #expect(list.index(matching: "self > 3") == 2 && list.index(matching: { $0 == nil }) == 1)
    #expect(list.index(matching: NSPredicate(format: "self IN {9, 10}")) == 3)
    #expect(list.index(matching: "self BETWEEN {6, 8}") == nil)
    let set = MutableSet<String>()
    set.insert("Rex")
    #expect(set.index(matching: { $0.starts(with: "re", options: .caseInsensitive) }) == 0)
    #expect(AnyRealmCollection(list).index(matching: "self == 5") == 2)
    let any = List<AnyRealmValue>()
    any.append(objectsIn: [.int(1), .fromDictionary(["a": .fromArray([.int(7)])])])
    #expect(any.index(matching: { $0["a"][0] == .int(7) }) == 1)
  }

  @Test(arguments: [
    ("id == 1", 1), ("name ENDSWITH '2'", 2), ("name LIKE 'k*1'", 1), ("NOT id == 0", 1),
    ("id > 0 AND id < 2 OR FALSEPREDICATE", 1), ("id + 1 == 3", 2), ("animals.@count == 2", 2),
    ("ANY animals.name == 'Ida'", 2), ("animals.name CONTAINS[c] 'REX'", 1),
    ("ALL animals.age > 3", 0), ("NONE animals.age > 3", 0), ("animals.@max.age == 4", 2),
    ("SUBQUERY(animals, $a, $a.age == 4 AND $a.name == 'Ida').@count == 1", 2),
    ("animals[FIRST].name == 'Tom'", 2), ("name.@count == 8", 0),
  ])
  func objectsAreFound(_ predicate: String, _ index: Int) {
    #expect(keepers.index(matching: predicate) == index)
    #expect(keepers.index(matching: NSPredicate(format: predicate)) == index)
  }

  @Test func closuresAndObjectsFind() {
    #expect(keepers.index(matching: { $0.animals.name == "Rex" }) == 1)
    #expect(keepers.index(matching: { $0.animals.count > 1 && $0.name != "" }) == 2)
    #expect(keepers.index(matching: { $0.id > 7 }) == nil)
    let tom = keepers[2].animals[0]
    #expect(keepers.index(matching: { $0.animals.contains(tom) }) == 2)
    #expect(keepers.index(matching: "%@ IN animals", Animal("Tom")) == nil)
  }
}
