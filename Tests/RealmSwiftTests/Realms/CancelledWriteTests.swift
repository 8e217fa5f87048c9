import RealmSwift
import Testing

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
}
