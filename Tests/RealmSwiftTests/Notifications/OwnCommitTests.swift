import Foundation
import RealmSwift
import Testing

/// What a realm's observers hear of the realm's own commits, and what object changes carry.
@Suite struct OwnCommitTests {
  let observatory = Observatory()

  @Test func observersOfARealmAreCalledBeforeWriteReturns() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.observe { notification, realm in
        observatory.tell("\(notification) \(realm.objects(Animal.self).count)")
      }
      try realm.write { realm.add(Animal("Tom")) }
      observatory.tell("written")
      try realm.write(withoutNotifying: [box.token!]) { realm.add(Animal("Spike")) }
      observatory.tell("silent")
    }
    #expect(await observatory.next() == "didChange 1")
    #expect(await observatory.next() == "written")
    #expect(await observatory.next() == "silent")
    observatory.writeElsewhere { $0.add(Animal("Rex")) }
    #expect(await observatory.next() == "didChange 3")
    observatory.run { _ in box.token = nil }
  }

  @Test func aHandlerThatWritesIsCalledOnceForEachCommit() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.observe { _, realm in
        let count = realm.objects(Animal.self).count
        observatory.tell("\(count)")
        if count < 3 { try! realm.write { realm.add(Animal("more")) } }
      }
      try realm.write { realm.add(Animal("Tom")) }
      observatory.tell("written")
    }
    for expected in ["1", "2", "3", "written"] { #expect(await observatory.next() == expected) }
    observatory.run { _ in box.token = nil }
  }

  @Test func oldValuesAreThoseOfOthersWrites() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try realm.write {
        realm.create(Keeper.self, value: ["id": 1, "name": "Ada"])
        realm.add(Animal("Tom"))
      }
      let keeper = realm.objects(Keeper.self)[0]
      box.token = keeper.observe { (change: ObjectChange<Keeper>) in
        guard case .change(_, let properties) = change else { return }
        observatory.tell(
          properties.map {
            "\($0.name): \($0.oldValue ?? "nil") -> \($0.newValue ?? "nil")"
          }.joined(separator: ", "))
      }
    }
    observatory.writeElsewhere { $0.objects(Keeper.self)[0].name = "Eve" }
    #expect(await observatory.next() == "name: Ada -> Eve")
    observatory.run { realm in
      try realm.write { realm.objects(Keeper.self)[0].name = "Bob" }
    }
    #expect(await observatory.next() == "name: nil -> Bob")
    observatory.run { realm in
      try realm.write(withoutNotifying: [box.token!]) { realm.objects(Keeper.self)[0].name = "Cy" }
    }
    observatory.writeElsewhere { realm in
      realm.objects(Keeper.self)[0].animals.append(realm.objects(Animal.self)[0])
      realm.objects(Keeper.self)[0].name = "Dee"
    }
    #expect(await observatory.next() == "name: Cy -> Dee, animals: nil -> nil")
    observatory.run { _ in box.token = nil }
  }

  @Test func whatWasModifiedIsNamedByWhereItWas() async {
    let box = RealmBox()
    observatory.writeElsewhere { realm in
      for index in 0..<5 { realm.add(Animal("\(index)", age: index)) }
    }
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).sorted(byKeyPath: "age").observe {
        observatory.tell($0.text)
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      let animals = realm.objects(Animal.self).sorted(byKeyPath: "age")
      animals[3].name = "new"
      realm.delete(animals[0])
      realm.add(Animal("first", age: -2))
      realm.add(Animal("second", age: -1))
    }
    #expect(await observatory.next() == "[0] [0, 1] [3]")
    observatory.run { _ in box.token = nil }
  }
}
