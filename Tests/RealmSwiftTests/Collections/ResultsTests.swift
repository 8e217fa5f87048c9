import Foundation
import RealmSwift
import Testing

@Suite struct ResultsTests {
  let file = TemporaryRealm()

  private func filled() throws -> Realm {
    let realm = try file.open()
    try realm.write {
      for (name, age) in [("Rex", 3), ("Pip", 7), ("Tom", 3), ("Ada", 1)] {
        realm.add(Animal(name, age: age))
      }
    }
    return realm
  }

  @Test func resultsAreLive() throws {
    let realm = try filled()
    let animals = realm.objects(Animal.self)
    #expect(animals.count == 4)
    #expect(animals.first?.name == "Rex" && animals.last?.name == "Ada")
    try realm.write { realm.delete(animals[1]) }
    #expect(animals.map(\.name) == ["Rex", "Tom", "Ada"])
  }

  @Test func resultsAreSorted() throws {
    let animals = try filled().objects(Animal.self)
    #expect(animals.sorted(byKeyPath: "name").map(\.name) == ["Ada", "Pip", "Rex", "Tom"])
    #expect(animals.sorted(by: \.age, ascending: false).first?.name == "Pip")
    let both = animals.sorted(by: [
      SortDescriptor(keyPath: "age"), SortDescriptor(keyPath: \Animal.name, ascending: false),
    ])
    #expect(both.map(\.name) == ["Ada", "Tom", "Rex", "Pip"])
    #expect(both.index(of: animals[1]) == 3)
  }

  @Test func resultsAreMadeDistinct() throws {
    let animals = try filled().objects(Animal.self)
    #expect(animals.distinct(by: ["age"]).map(\.name) == ["Rex", "Pip", "Ada"])
    #expect(animals.distinct(by: [\.age]).count == 3)
  }

  @Test func propertiesAreAggregated() throws {
    let realm = try filled()
    let animals = realm.objects(Animal.self)
    #expect(animals.min(of: \.age) == 1)
    #expect(animals.max(ofProperty: "age") == 7)
    #expect(animals.sum(of: \.age) == 14)
    #expect(animals.average(ofProperty: "age") == 3.5)
    #expect(animals.average(of: \.age) as Double? == 3.5)
    let whole = animals.average(of: \.age)
    #expect(whole == Int?(3))
    #expect(animals.sum(of: \.weight) == 6)
    try realm.write { realm.deleteAll() }
    #expect(animals.min(of: \.age) == nil)
    #expect(animals.sum(of: \.age) == 0)
    let average: Double? = animals.average(ofProperty: "age")
    #expect(average == nil)
  }

  @Test func valuesAreAggregated() throws {
    let realm = try file.open()
    let object = Everything(value: ["ints": [3, 1, 2]])
    try realm.write { realm.add(object) }
    #expect(object.ints.min() == 1 && object.ints.max() == 3 && object.ints.sum() == 6)
    #expect(object.ints.average() == 2.0)
    #expect(object.dates.max() == nil)
  }

  @Test func listsOfValuesAreSortedAndMadeDistinct() throws {
    let realm = try file.open()
    let object = Everything(value: ["ints": [3, 1, 3, 2], "strings": ["b", "a", "b"]])
    try realm.write { realm.add(object) }
    #expect(Array(object.ints.sorted()) == [1, 2, 3, 3])
    #expect(Array(object.strings.sorted(ascending: false)) == ["b", "b", "a"])
    #expect(Array(object.ints.distinct()) == [3, 1, 2])
    let some = object.ints.where { $0 > 1 }.sorted(ascending: false)
    #expect(Array(some) == [3, 3, 2])
    #expect(some.sum() == 8 && some.min() == 2 && some.max() == 3)
    #expect(object.ints.distinct().average() == 2.0)
  }

  @Test func aLoopMayChangeWhatItGoesThrough() throws {
    let realm = try filled()
    try realm.write {
      for animal in realm.objects(Animal.self) { realm.delete(animal) }
    }
    #expect(realm.isEmpty)
  }

  @Test func allResultsCanBeDeletedAtOnce() throws {
    let realm = try filled()
    try realm.write { realm.delete(realm.objects(Animal.self)) }
    #expect(realm.isEmpty)
  }

  @Test func anyCollectionStaysLive() throws {
    let realm = try filled()
    let any = AnyRealmCollection(realm.objects(Animal.self))
    #expect(any.count == 4)
    try realm.write { realm.deleteAll() }
    #expect(any.isEmpty)
  }

  @Test func outOfRangeIsAMisuse() async {
    await #expect(processExitsWith: .failure) {
      _ = try TemporaryRealm().open().objects(Animal.self)[0]
    }
  }
}
