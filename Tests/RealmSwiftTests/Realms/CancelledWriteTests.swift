import RealmSwift
import Testing

/// What can hold collections that have tables of their own.
final class Chest: Object {
  @Persisted var content: AnyRealmValue
}

/// What is left of cancelled writes.
@Suite struct CancelledWriteTests {
  let file = TemporaryRealm()

  private func cancelled(_ realm: Realm, _ name: String) -> Animal {
    let animal = Animal(name)
    realm.beginWrite()
    realm.add(animal)
    realm.cancelWrite()
    return animal
  }

  @Test("any number of cancelled writes in a row leave as much behind as one")
  func cancelsInARow() throws {
    let realm = try file.open()
    try realm.write { realm.add(Animal("held")) }
    let held = realm.objects(Animal.self).first!
    let made = (0..<500).map { cancelled(realm, "\($0)") }
    #expect(realm.cancelledWriteCount == 1)
    #expect(held.name == "held")
    #expect(made.allSatisfy { $0.isInvalidated })
  }

  @Test("objects of cancelled writes stay invalid when their keys are used again")
  func keysAreUsedAgain() throws {
    let realm = try file.open()
    var gone: [Animal] = []
    var there: [Animal] = []
    for round in 0..<50 {
      gone.append(cancelled(realm, "gone \(round)"))
      if round % 3 == 0 { gone.append(cancelled(realm, "gone, too \(round)")) }
      let animal = Animal("there \(round)")
      try realm.write { realm.add(animal) }
      there.append(animal)
    }
    #expect(gone.allSatisfy { $0.isInvalidated })
    #expect(there.map(\.name) == (0..<50).map { "there \($0)" })
    // Once more, when each has been looked for.
    #expect(gone.allSatisfy { $0.isInvalidated } && !there.contains { $0.isInvalidated })
  }

  @Test("any number of cancelled writes that would have added tables leave as much as one")
  func tablesThatNeverCame() throws {
    let file = TemporaryRealm([Chest.self])
    let realm = try file.open()
    func chest() -> Chest {
      let chest = realm.create(Chest.self)
      chest.content = .fromDictionary(["key": .fromArray([.int(1)])])
      return chest
    }
    var gone: [Chest] = []
    for _ in 0..<20 {
      realm.beginWrite()
      gone.append(chest())
      realm.cancelWrite()
    }
    #expect(realm.abandonedSchemaCount == 1)
    #expect(gone.allSatisfy { $0.isInvalidated })
    let kept = try realm.write { chest() }
    #expect(gone.allSatisfy { $0.isInvalidated })
    #expect(kept.content.dictionaryValue?["key"]?.listValue?[0] == .int(1))
    realm.beginWrite()
    #expect(chest().content.dictionaryValue?.count == 1)
    realm.cancelWrite()
    #expect(realm.abandonedSchemaCount == 1)
  }

  @Test("what was dynamic between two new tables of a cancelled write can still be asked")
  func dynamicInBetween() throws {
    let file = TemporaryRealm([Chest.self])
    let realm = try file.open()
    var gone: [DynamicObject] = []
    for _ in 0..<20 {
      realm.beginWrite()
      let chest = realm.create(Chest.self)
      chest.content = .fromArray([.int(1)])
      gone.append(try #require(realm.dynamicObjects("Chest").first))
      chest.content = .fromDictionary(["key": .int(2)])
      realm.cancelWrite()
    }
    #expect(gone.allSatisfy { $0.isInvalidated })
    #expect(gone.allSatisfy { $0.objectSchema.className == "Chest" })
  }
}
