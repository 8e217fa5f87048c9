import Foundation
import RealmSwift
import Testing

/// Loops over collections that are changed meanwhile.
@Suite struct IterationTests {
  let file = TemporaryRealm()

  /// More objects than a cluster holds.
  private func filled(_ count: Int = 700) throws -> Realm {
    let realm = try file.open()
    try realm.write {
      for index in 0..<count { realm.add(Animal("animal \(index)", age: index % 10)) }
    }
    return realm
  }

  @Test func eachObjectIsDeletedInAWriteOfItsOwn() throws {
    let realm = try filled()
    var names: [String] = []
    for animal in realm.objects(Animal.self) {
      names.append(animal.name)
      try realm.write { realm.delete(animal) }
    }
    #expect(names == (0..<700).map { "animal \($0)" })
    #expect(realm.objects(Animal.self).isEmpty)
  }

  @Test func objectsOfAQueryAreChangedSoThatTheyNoLongerBelong() throws {
    let realm = try filled()
    var count = 0
    for animal in realm.objects(Animal.self).where({ $0.age == 3 }) {
      try realm.write { animal.age = 4 }
      count += 1
    }
    #expect(count == 70)
    #expect(realm.objects(Animal.self).where { $0.age == 4 }.count == 140)
    try realm.write {
      for animal in realm.objects(Animal.self).sorted(byKeyPath: "age") { animal.age += 1 }
    }
    #expect(realm.objects(Animal.self).where { $0.age == 5 }.count == 140)
  }

  @Test func objectsThatAreAddedMeanwhileAreNotSeen() throws {
    let realm = try filled(300)
    var count = 0
    for animal in realm.objects(Animal.self) {
      try realm.write { _ = realm.create(Animal.self, value: ["name": animal.name]) }
      count += 1
    }
    #expect(count == 300)
    #expect(realm.objects(Animal.self).count == 600)
  }

  @Test func whatWasDeletedMeanwhileComesInvalidated() throws {
    let realm = try filled(300)
    var valid = 0
    for (index, animal) in realm.objects(Animal.self).enumerated() {
      if index == 0 {
        try realm.write { realm.delete(realm.objects(Animal.self).where { $0.age > 4 }) }
      }
      if !animal.isInvalidated {
        #expect(animal.age <= 4)
        valid += 1
      }
    }
    #expect(valid == 150)
  }

  @Test func elementsOfAListAreRemoved() throws {
    let realm = try filled(300)
    let keeper = Keeper(value: ["id": 1])
    let numbers = Everything(value: ["ints": Array(0..<300)])
    try realm.write {
      realm.add(keeper)
      realm.add(numbers)
      keeper.animals.append(objectsIn: realm.objects(Animal.self))
    }
    var count = 0
    for animal in keeper.animals {
      #expect(animal.name == "animal \(count)")
      try realm.write { keeper.animals.remove(at: 0) }
      count += 1
    }
    #expect(count == 300 && keeper.animals.isEmpty)
    var values: [Int] = []
    for value in numbers.ints {
      values.append(value)
      try realm.write { numbers.ints.removeLast() }
    }
    #expect(values == Array(0..<300))
  }

  @Test func aCancelledWriteInTheLoopLeavesWhatItMadeInvalid() throws {
    let realm = try filled(2)
    realm.beginWrite()
    for index in 0..<5 { realm.add(Animal("new \(index)")) }
    var names: [String?] = []
    for animal in realm.objects(Animal.self) {
      if names.count == 3 { realm.cancelWrite() }
      names.append(animal.isInvalidated ? nil : animal.name)
    }
    #expect(names == ["animal 0", "animal 1", "new 0", nil, nil, nil, nil])
  }

  @Test func frozenCollectionsAndObjectsInOthersAreGoneThrough() throws {
    let realm = try filled(600)
    let frozen = realm.objects(Animal.self).freeze()
    let some = frozen.where { $0.age == 3 }
    try realm.write { realm.deleteAll() }
    #expect(frozen.map(\.age) == (0..<600).map { $0 % 10 })
    #expect(frozen.allSatisfy { $0.isFrozen })
    #expect(some.map(\.name) == stride(from: 3, to: 600, by: 10).map { "animal \($0)" })
    #expect(
      Array(frozen.sorted(byKeyPath: "age", ascending: false).prefix(2)).map(\.age) == [9, 9])
  }

  @Test func elementsOfSectionsAreDeletedAndMoved() throws {
    let realm = try filled(100)
    let sections = realm.objects(Animal.self).sectioned(by: \.age)
    var names: [String] = []
    for section in sections {
      for animal in section {
        names.append(animal.name)
        try realm.write { if names.count.isMultiple(of: 2) { realm.delete(animal) } }
        if !animal.isInvalidated { try realm.write { animal.age += 20 } }
      }
    }
    #expect(names.count == 100 && Set(names).count == 100)
    #expect(realm.objects(Animal.self).where { $0.age >= 20 }.count == 50)
  }
}
