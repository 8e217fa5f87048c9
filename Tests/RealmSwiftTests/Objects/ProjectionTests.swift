import Foundation
import RealmSwift
import Testing

final class AnimalView: Projection<Animal> {
  @Projected(\Animal.name) var title
  @Projected(\Animal.age) var years
  @Projected(\Animal.keeper!.name) var keeperName
}

final class KeeperView: Projection<Keeper> {
  @Projected(\Keeper.name) var name
  @Projected(\Keeper.favourite?.name) var favouriteName
  @Projected(\Keeper.animals) var animals
  @Projected(\Keeper.animals.projectTo.name) var animalNames: ProjectedCollection<String>
}

extension ObjectChange {
  var projectionText: String {
    switch self {
    case .change(_, let changes):
      changes.map {
        "\($0.name) \($0.oldValue.map { "\($0)" } ?? "-") \($0.newValue.map { "\($0)" } ?? "-")"
      }.joined(separator: "; ")
    case .deleted: "deleted"
    case .error(let error): "error \(error)"
    }
  }
}

@Suite struct ProjectionTests {
  let observatory = Observatory()

  private func fill(_ realm: Realm) throws {
    try realm.write {
      let keeper = realm.create(Keeper.self, value: ["id": 1, "name": "Ada"])
      for (name, age) in [("cat", 3), ("ape", 1), ("bee", 2)] {
        let animal = Animal(name, age: age)
        animal.keeper = keeper
        keeper.animals.append(animal)
      }
      keeper.favourite = keeper.animals[0]
    }
  }

  @Test func `reads and writes its object`() throws {
    let realm = try observatory.file.open()
    try fill(realm)
    let view = AnimalView(projecting: realm.objects(Animal.self)[0])
    #expect(view.title == "cat" && view.years == 3 && view.keeperName == "Ada")
    try realm.write {
      view.title = "lion"
      view.keeperName = "Eva"
    }
    #expect(realm.objects(Animal.self)[0].name == "lion")
    #expect(realm.objects(Keeper.self)[0].name == "Eva")
    #expect(view == AnimalView(projecting: realm.objects(Animal.self)[0]))
    #expect(view != AnimalView(projecting: realm.objects(Animal.self)[1]))
    #expect(view.description.contains("title(\\.name) = lion;"))
  }

  @Test func `can be made from an unmanaged object`() {
    let view = AnimalView(projecting: Animal("dog", age: 4))
    view.years += 1
    #expect(view.rootObject.age == 5 && view.realm == nil)
  }

  @Test func `is fetched, filtered and sorted as its objects are`() throws {
    let realm = try observatory.file.open()
    try fill(realm)
    let views = realm.objects(AnimalView.self)
    #expect(views.map(\.title) == ["cat", "ape", "bee"])
    #expect(views.where { $0.years > 1 }.sorted(by: \.title).map(\.title) == ["bee", "cat"])
    #expect(views.where { $0.keeperName == "Ada" }.count == 3)
    #expect(views.filter("age == 2").first?.title == "bee")
    #expect(views.sorted(by: \.years, ascending: false)[0].title == "cat")
    #expect(views.index(of: views[2]) == 2)
    #expect(views.sectioned(by: \.years).allKeys == [1, 2, 3])
    #expect(views.sum(ofProperty: "age") == 6)
  }

  @Test func `shows a property of all objects of a list`() throws {
    let realm = try observatory.file.open()
    try fill(realm)
    let view = try #require(realm.objects(KeeperView.self).first)
    #expect(view.favouriteName == "cat")
    #expect(Array(view.animalNames) == ["cat", "ape", "bee"])
    #expect(view.animalNames.index(of: "bee") == 2)
    try realm.write { view.animalNames[1] = "monkey" }
    #expect(view.animals[1].name == "monkey")
    let frozen = view.freeze()
    try realm.write { view.animals.remove(at: 0) }
    #expect(Array(view.animalNames) == ["monkey", "bee"])
    #expect(Array(frozen.animalNames) == ["cat", "monkey", "bee"])
    #expect(frozen.thaw()?.animalNames.count == 2)
  }

  @Test func `crosses to another thread by a reference`() async throws {
    let realm = try observatory.file.open()
    try fill(realm)
    let reference = ThreadSafeReference(to: try #require(realm.objects(AnimalView.self).last))
    observatory.run { [observatory] realm in
      observatory.tell(realm.resolve(reference)?.title ?? "nothing")
    }
    #expect(await observatory.next() == "bee")
  }

  @Test func `tells changes under its own names, and only of what it shows`() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try fill(realm)
      box.token = realm.objects(AnimalView.self)[0].observe {
        (change: ObjectChange<AnimalView>) in observatory.tell(change.projectionText)
      }
    }
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].weight = 70 }
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].name = "lion" }
    #expect(await observatory.next() == "title cat lion")
    observatory.writeElsewhere { realm in realm.objects(Keeper.self)[0].name = "Eva" }
    #expect(await observatory.next() == "keeperName Ada Eva")
    observatory.writeElsewhere { realm in realm.delete(realm.objects(Animal.self)[0]) }
    #expect(await observatory.next() == "deleted")
  }

  @Test func `tells only of the properties that were asked for`() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try fill(realm)
      box.token = realm.objects(AnimalView.self)[0].observe(keyPaths: [\AnimalView.years]) {
        (change: ObjectChange<AnimalView>) in observatory.tell(change.projectionText)
      }
    }
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].name = "lion" }
    observatory.writeElsewhere { realm in realm.objects(Animal.self)[0].age = 9 }
    #expect(await observatory.next() == "years 3 9")
  }

  @Test func `tells changes of a projected list`() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try fill(realm)
      let view = realm.objects(KeeperView.self)[0]
      box.token = view.animalNames.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      realm.objects(Animal.self).where { $0.name == "ape" }[0].weight = 2
      realm.objects(Keeper.self)[0].animals.append(Animal("dog"))
    }
    #expect(await observatory.next() == "[] [3] []")
    observatory.writeElsewhere { realm in
      realm.objects(Animal.self).where { $0.name == "ape" }[0].name = "monkey"
    }
    #expect(await observatory.next() == "[] [] [1]")
  }

  @Test func `a computed property that uses a key path may be used in one`() throws {
    let file = TemporaryRealm([Nested.self])
    let realm = try file.open()
    #expect(realm.objects(Nested.self).sorted(by: \.nested).isEmpty)
  }
}

final class Nested: Object {
  @Persisted var value: Int

  /// Asks for a name of a key path while its own is being found.
  var nested: Int {
    _ = SortDescriptor(keyPath: \Nested.value)
    return value
  }
}
