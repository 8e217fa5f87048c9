import RealmSwift
import Testing

/// Tokens of a realm that is invalidated.
@Suite struct InvalidationTests {
  let observatory = Observatory()
  let box = RealmBox()

  private func end() {
    observatory.run { [box] _ in (box.token, box.realm) = (nil, nil) }
  }

  @Test("a collection's observer goes on with what the realm reads after invalidate()")
  func collections() async {
    observatory.run { [observatory, box] realm in
      box.realm = realm
      box.token = realm.objects(Animal.self).observe { change in
        switch change {
        case .initial(let animals): observatory.tell("initial \(animals.count)")
        case .update(let animals, _, _, _):
          observatory.tell("\(change.text) \(animals.count) \(animals.isInvalidated)")
        case .error(let error): observatory.tell("\(error)")
        }
      }
    }
    #expect(await observatory.next() == "initial 0")
    observatory.run { realm in realm.invalidate() }
    observatory.writeElsewhere { $0.add(Animal("first")) }
    observatory.run { realm in #expect(realm.objects(Animal.self).count == 1) }
    #expect(await observatory.next() == "[] [0] [] 1 false")
    end()
  }

  @Test("a list's observer goes on with what the realm reads after invalidate()")
  func lists() async {
    observatory.writeElsewhere { $0.add(Keeper(value: ["name": "keeper"])) }
    observatory.run { [observatory, box] realm in
      box.realm = realm
      box.token = realm.objects(Keeper.self).first!.animals.observe { change in
        switch change {
        case .initial(let animals): observatory.tell("initial \(animals.count)")
        case .update(let animals, _, _, _): observatory.tell("\(change.text) \(animals.count)")
        case .error(let error): observatory.tell("\(error)")
        }
      }
    }
    #expect(await observatory.next() == "initial 0")
    observatory.run { realm in realm.invalidate() }
    observatory.writeElsewhere { realm in
      realm.objects(Keeper.self).first!.animals.append(Animal("first"))
    }
    observatory.run { realm in #expect(realm.objects(Animal.self).count == 1) }
    #expect(await observatory.next() == "[] [0] [] 1")
    end()
  }

  @Test("an object's observer goes on with what the realm reads after invalidate()")
  func objects() async {
    observatory.writeElsewhere { $0.add(Animal("first")) }
    observatory.run { [observatory, box] realm in
      box.realm = realm
      let animal = realm.objects(Animal.self).first!
      box.token = animal.observe { (change: ObjectChange<Animal>) in
        switch change {
        case .change(let animal, let properties):
          observatory.tell("\(animal.name) \(properties.map(\.name))")
        case .deleted: observatory.tell("deleted")
        case .error(let error): observatory.tell("\(error)")
        }
      }
    }
    observatory.run { realm in realm.invalidate() }
    observatory.writeElsewhere { $0.objects(Animal.self).first!.name = "renamed" }
    observatory.run { realm in #expect(realm.objects(Animal.self).count == 1) }
    #expect(await observatory.next() == "renamed [\"name\"]")
    observatory.run { realm in realm.invalidate() }
    observatory.writeElsewhere { $0.deleteAll() }
    observatory.run { realm in #expect(realm.objects(Animal.self).isEmpty) }
    #expect(await observatory.next() == "deleted")
    end()
  }
}
