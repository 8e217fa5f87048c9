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
