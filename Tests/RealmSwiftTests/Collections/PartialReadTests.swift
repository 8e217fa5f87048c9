import Foundation
import RealmSwift
import Testing

/// A count, the first elements and limits are found without the others; they must be those of the
/// whole.
@Suite struct PartialReadTests {
  let file = TemporaryRealm()

  private func filled(_ count: Int) throws -> Realm {
    let realm = try file.open()
    try realm.write {
      for index in 0..<count {
        let animal = Animal("animal \(index * 7919 % count)", age: index * 31 % 97)
        animal.weight = Double(index * 13 % 50) - 10
        animal.isTame = index % 3 == 0
        realm.add(animal)
      }
    }
    return realm
  }

  private typealias Animals = Results<Animal>

  /// Ways to ask, with and without an index, an order, and matches.
  private static let queries: [@Sendable (Animals) -> Animals] = [
    { $0 }, { $0.where { $0.age == 13 } }, { $0.where { $0.age > 40 } },
    { $0.where { $0.age == -1 } }, { $0.where { $0.weight > 20.5 } },
    { $0.where { $0.weight > 0 && $0.isTame == true } }, { $0.filter("name == %@", "animal 5") },
    { $0.filter("name CONTAINS[c] %@", "MAL 1") }, { $0.where { $0.age.in([3, 5, 90]) } },
    { $0.filter("age < weight") }, { $0.sorted(byKeyPath: "weight") },
    { $0.sorted(byKeyPath: "name", ascending: false) },
    { $0.where { $0.age > 90 }.sorted(byKeyPath: "name") },
    { $0.where { $0.isTame == true }.sorted(by: \.weight, ascending: false) },
    { $0.distinct(by: ["age"]) }, { $0.where { $0.weight < 3 }.distinct(by: [\.isTame]) },
  ]

  private func check(_ animals: Results<Animal>) {
    for (number, query) in Self.queries.enumerated() {
      let whole = Array(query(animals)).map(\.name)
      #expect(query(animals).count == whole.count, "query \(number)")
      #expect(query(animals).isEmpty == whole.isEmpty, "query \(number)")
      #expect(query(animals).first?.name == whole.first, "query \(number)")
      #expect(query(animals).last?.name == whole.last, "query \(number)")
      let results = query(animals)
      // First the first, then a few, then what lies beyond, of the same results.
      #expect(results.first?.name == whole.first, "query \(number)")
      #expect(results.prefix(100).map(\.name) == Array(whole.prefix(100)), "query \(number)")
      #expect(results.indices.map { results[$0].name } == whole, "query \(number)")
      #expect(results.count == whole.count, "query \(number)")
    }
  }

  @Test(arguments: [0, 3, 127, 129, 700]) func partsAreThoseOfTheWhole(count: Int) throws {
    let realm = try filled(count)
    check(realm.objects(Animal.self))
    check(realm.objects(Animal.self).freeze())
  }

  @Test func partsFollowChanges() throws {
    let realm = try filled(600)
    let animals = realm.objects(Animal.self)
    let old = animals.where { $0.age == 13 }
    let sorted = animals.sorted(byKeyPath: "weight")
    let before = (old.count, sorted.first!.name)
    try realm.write {
      check(animals)
      #expect((old.count, sorted.first!.name) == before)
      realm.delete(animals.where { $0.age < 20 })
      #expect(old.count == 0 && old.isEmpty && old.first == nil)
      #expect(sorted.first!.age >= 20)
      check(animals)
      realm.add(Animal("new", age: 13))
      #expect(old.count == 1 && old.first?.name == "new")
    }
    check(animals)
    #expect(old.count == 1)
  }

  @Test func countsOfLinksFollowChanges() throws {
    let realm = try file.open()
    let keepers = (0..<5).map { Keeper(value: ["id": $0]) }
    let animal = Animal("Rex")
    try realm.write {
      realm.add(animal)
      realm.add(keepers)
      #expect(animal.keepers.isEmpty && animal.keepers.first == nil)
      for (index, keeper) in keepers.enumerated() {
        keeper.animals.append(animal)
        #expect(animal.keepers.count == index + 1)
      }
      keepers[1].animals.removeAll()
      realm.delete(keepers[0])
      #expect(animal.keepers.count == 3 && animal.keepers.first?.id == 2)
    }
    let held = animal.keepers
    #expect(held.count == 3 && animal.freeze().keepers.count == 3)
    try realm.write { realm.delete(realm.objects(Animal.self)) }
    #expect(held.count == 0)
  }

  @Test func predicateStringsAreReadOncePerNumberOfArguments() throws {
    let realm = try filled(300)
    let animals = realm.objects(Animal.self)
    for age in [3, 5, 3, 90] {
      #expect(
        animals.filter("age == %@ OR age IN %@", age, [1, 2]).count
          == animals.where { $0.age == age || $0.age == 1 || $0.age == 2 }.count)
      #expect(
        animals.filter("NOT (age BETWEEN {%@, %@})", age, age + 5).count
          == animals.where { $0.age < age || $0.age > age + 5 }.count)
      #expect(
        animals.filter("age BETWEEN %@", [age, age + 5]).count
          == animals.where { $0.age >= age && $0.age <= age + 5 }.count)
      // The name of the property is an argument, too.
      #expect(animals.filter("%K == %@", "age", age).count == animals.where { $0.age == age }.count)
      #expect(
        animals.filter("%K == %@", "weight", age).count
          == animals.where { $0.weight == Double(age) }.count)
    }
    #expect(animals.filter("age == %@", 3.0).count == animals.filter("age == %@", 3).count)
    #expect(animals.freeze().filter("age == %@", 3).count == animals.filter("age == 3").count)
  }
}
