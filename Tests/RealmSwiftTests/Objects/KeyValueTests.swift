import Foundation
import RealmSwift
import Testing

private final class IdentifiedAnimal: Projection<Animal>, ObjectKeyIdentifiable {
  @Projected(\Animal.name) var name
}

@Suite struct KeyValueTests {
  let file = TemporaryRealm()

  private func filled() throws -> Realm {
    let realm = try file.open()
    try realm.write {
      let keeper = realm.create(Keeper.self, value: ["id": 1, "name": "Ada"])
      for (name, age) in [("cat", 3), ("ape", 1), ("bee", 2)] {
        let animal = Animal(name, age: age)
        animal.keeper = keeper
        keeper.animals.append(animal)
      }
      keeper.animals.append(Animal("wild", age: 2))
    }
    return realm
  }

  @Test(arguments: [true, false])
  func `reads and sets properties by name and through links`(isManaged: Bool) throws {
    let realm = try filled()
    let keeper = isManaged ? realm.objects(Keeper.self)[0] : Keeper()
    try realm.write {
      if !isManaged { keeper.animals.append(Animal("cat", age: 3)) }
      keeper.setValue("Eva", forKey: "name")
      keeper.favourite = keeper.animals[0]
      keeper.setValue(7, forKeyPath: "favourite.age")
      keeper.animals[0].setValue(nil, forKey: "born")
    }
    #expect(keeper.value(forKey: "name") as? String == "Eva")
    #expect(keeper.value(forKeyPath: "favourite.age") as? Int == 7)
    #expect(keeper.animals[0].value(forKey: "born") == nil)
    try realm.write {
      keeper.favourite = nil
      keeper.setValue(9, forKeyPath: "favourite.age")
    }
    #expect(keeper.value(forKeyPath: "favourite.age") == nil)
  }

  @Test(arguments: [
    ("animals.@count", "4"), ("animals.@max.age", "3"), ("animals.@min.age", "1"),
    ("animals.@sum.age", "8"), ("animals.@avg.age", "2.0"), ("animals.@sum.weight", "6.0"),
    ("animals.name", "[cat, ape, bee, wild]"), ("animals.@unionOfObjects.age", "[3, 1, 2, 2]"),
    ("animals.@distinctUnionOfObjects.age", "[3, 1, 2]"), ("animals.@max.name", "wild"),
    ("animals.keeper.name", "[Ada, Ada, Ada, <null>]"),
  ])
  func `collection operators work on lists`(path: String, expected: String) throws {
    let realm = try filled()
    let value = realm.objects(Keeper.self)[0].value(forKeyPath: path)
    let text = (value as? [Any]).map { "[\($0.map { "\($0)" }.joined(separator: ", "))]" }
    #expect((text ?? value.map { "\($0)" }) == expected)
  }

  @Test func `results give the values of all, and set them for all`() throws {
    let realm = try filled()
    let animals = realm.objects(Animal.self)
    #expect(animals.value(forKey: "age") as? [Int] == [3, 1, 2, 2])
    #expect(animals.value(forKeyPath: "@count") as? Int == 4)
    #expect(animals.value(forKeyPath: "@avg.age") as? Double == 2)
    #expect(animals.where { $0.age > 9 }.value(forKeyPath: "@max.age") == nil)
    #expect(animals.where { $0.age > 9 }.value(forKeyPath: "@sum.age") as? Int == 0)
    let names: [Any] = realm.objects(Keeper.self)[0].animals.value(forKey: "name")
    #expect(names as? [String] == ["cat", "ape", "bee", "wild"])
    try realm.write { animals.where { $0.age == 2 }.setValue(0, forKey: "age") }
    #expect(Array(animals.map(\.age)) == [3, 1, 0, 0])
    #expect(
      realm.objects(Keeper.self).value(forKeyPath: "@distinctUnionOfArrays.animals.age")
        as? [Int] == [3, 1, 0])
  }

  @Test(arguments: [true, false])
  func `maps give and take values by their keys`(isManaged: Bool) throws {
    let realm = try TemporaryRealm([Drawer.self, Tool.self]).open()
    let drawer = Drawer()
    realm.beginWrite()
    if isManaged { realm.add(drawer) }
    drawer.counts.setValue(3, forKey: "a")
    drawer.counts.setValue(5, forKey: "b.c")
    drawer.counts.setValue(1, forKey: "gone")
    drawer.counts.setValue(nil, forKey: "gone")
    drawer.texts.setValue("text", forKey: "a")
    drawer.tools.setValue(Tool("saw", 2), forKey: "first")
    drawer.tools.setValue(["label": "axe", "weight": 9] as [String: Any], forKey: "second")
    drawer.tools["none"] = .some(nil)
    #expect(drawer.counts.value(forKey: "b.c") as? Int == 5 && drawer.counts.count == 2)
    #expect(drawer.counts.value(forKey: "gone") == nil)
    #expect(drawer.counts.value(forKey: "@count") as? Int == 2)
    #expect(drawer.counts.value(forKeyPath: "@sum.self") as? Int == 8)
    #expect(drawer.texts.value(forKey: "a") as? String == "text")
    #expect(drawer.tools.value(forKeyPath: "first.label") as? String == "saw")
    #expect(drawer.tools.value(forKeyPath: "@max.weight") as? Int == 9)
    #expect(drawer.tools.value(forKey: "none") == nil)
    #expect(drawer.value(forKeyPath: "tools.second.weight") as? Int == 9)
    #expect(drawer.value(forKeyPath: "counts.a") as? Int == 3)
    realm.cancelWrite()
  }

  @Test func `an operator that there is not is a misuse`() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      _ = realm.objects(Animal.self).value(forKeyPath: "@median.age")
    }
  }

  @Test func `accessors of one object have one identity`() throws {
    let realm = try filled()
    let views = realm.objects(IdentifiedAnimal.self)
    #expect(views[1].id == views[1].id)
    #expect(Set(views.map(\.id)).count == 4)
  }
}
