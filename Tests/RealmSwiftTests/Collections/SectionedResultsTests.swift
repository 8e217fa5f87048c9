import Foundation
import RealmSwift
import TestSupport
import Testing

extension SectionedResultsChange {
  var text: String {
    func places(_ paths: [IndexPath]) -> String {
      paths.map { "\($0.section).\($0.item)" }.joined(separator: ",")
    }
    switch self {
    case .initial: return "initial"
    case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
      return "-\(places(deletions)) +\(places(insertions)) ~\(places(modifications))"
        + " sections +\(Array(inserted)) -\(Array(deleted))"
    }
  }
}

@Suite struct SectionedResultsTests {
  let observatory = Observatory()

  private func fill(_ realm: Realm, _ animals: [(String, Int)]) throws {
    try realm.write {
      for (name, age) in animals { realm.add(Animal(name, age: age)) }
    }
  }

  private static func texts<Key, Element: Animal>(
    _ sections: SectionedResults<Key, Element>
  ) -> [String] {
    sections.map { "\($0.key): \($0.map(\.name).joined(separator: ","))" }
  }

  @Test func `puts elements with the same key together, in the order of the results`() throws {
    let realm = try observatory.file.open()
    try fill(realm, [("bee", 2), ("ape", 1), ("cat", 2), ("ant", 1), ("dog", 3)])
    let byAge = realm.objects(Animal.self).sectioned(by: \.age)
    #expect(byAge.allKeys == [1, 2, 3])
    #expect(Self.texts(byAge) == ["1: ape,ant", "2: bee,cat", "3: dog"])
    let descending = realm.objects(Animal.self).sectioned(by: \.age, ascending: false)
    #expect(descending.allKeys == [3, 2, 1])
    let byLetter = realm.objects(Animal.self).sectioned(
      by: { String($0.name.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: \Animal.name)])
    #expect(Self.texts(byLetter) == ["a: ant,ape", "b: bee", "c: cat", "d: dog"])
    #expect(byLetter[IndexPath(item: 1, section: 0)].name == "ape")
    #expect(byLetter[0].id == "a")
    let byLength = realm.objects(Animal.self).sectioned(
      sortDescriptors: [SortDescriptor(keyPath: "name")]
    ) { $0.age % 2 == 0 }
    #expect(Self.texts(byLength) == ["false: ant,ape,dog", "true: bee,cat"])
  }

  @Test func `divides lists of values`() throws {
    let realm = try observatory.file.open()
    let numbers = Everything()
    numbers.ints.append(objectsIn: [5, 2, 4, 1])
    try realm.write { realm.add(numbers) }
    let parities = numbers.ints.sectioned(by: { $0 % 2 == 0 ? "even" : "odd" })
    #expect(parities.map { "\($0.key) \(Array($0))" } == ["odd [1, 5]", "even [2, 4]"])
  }

  @Test func `follows the realm, and stays as it was when frozen`() throws {
    let realm = try observatory.file.open()
    try fill(realm, [("ape", 1), ("bee", 2)])
    let sections = realm.objects(Animal.self).sectioned(by: \.age)
    let second = sections[1]
    let frozen = sections.freeze()
    try realm.write {
      realm.add(Animal("cat", age: 2))
      realm.delete(realm.objects(Animal.self).where { $0.age == 1 })
    }
    #expect(Self.texts(sections) == ["2: bee,cat"])
    #expect(second.map(\.name) == ["bee", "cat"])
    #expect(frozen.isFrozen && Self.texts(frozen) == ["1: ape", "2: bee"])
    #expect(frozen.thaw().map(Self.texts) == ["2: bee,cat"])
    let copy = sections
    #expect(sections == copy)
    try realm.write { realm.deleteAll() }
    #expect(sections.isEmpty && second.isEmpty)
  }

  @Test func `crosses to another thread by a reference`() async throws {
    let realm = try observatory.file.open()
    try fill(realm, [("ape", 1), ("bee", 2)])
    let sections = realm.objects(Animal.self).sectioned(by: \.age)
    let reference = ThreadSafeReference(to: sections)
    let section = ThreadSafeReference(to: sections[1])
    observatory.run { [observatory] realm in
      observatory.tell(realm.resolve(reference).map { Self.texts($0).joined(separator: " ") } ?? "")
      observatory.tell(realm.resolve(section).map { $0[0].name } ?? "")
    }
    #expect(await observatory.next() == "1: ape 2: bee")
    #expect(await observatory.next() == "bee")
  }

  @Test func `tells changes by section`() async {
    let box = RealmBox()
    observatory.writeElsewhere { realm in
      for (name, age) in [("ape", 1), ("ant", 1), ("bee", 2), ("cat", 3)] {
        realm.add(Animal(name, age: age))
      }
    }
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).sectioned(by: \.age).observe {
        observatory.tell($0.text)
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      realm.add(Animal("bat", age: 2))
      realm.objects(Animal.self).where { $0.name == "ant" }[0].weight = 9
    }
    #expect(await observatory.next() == "- +1.1 ~0.1 sections +[] -[]")
    observatory.writeElsewhere { realm in
      // Its section goes with it, and its deletion is not told by itself.
      realm.objects(Animal.self).where { $0.name == "cat" }[0].age = 4
    }
    #expect(await observatory.next() == "- +2.0 ~ sections +[2] -[2]")
    observatory.writeElsewhere { realm in
      realm.delete(realm.objects(Animal.self).where { $0.name == "bee" })
      realm.add(Animal("eel", age: 0))
    }
    #expect(await observatory.next() == "-1.0 +0.0 ~ sections +[0] -[]")
  }

  @Test func `tells the observer of one section only what concerns it`() async {
    let box = RealmBox()
    observatory.writeElsewhere { realm in
      for (name, age) in [("ape", 1), ("bee", 2)] { realm.add(Animal(name, age: age)) }
    }
    observatory.run { [observatory] realm in
      let section = realm.objects(Animal.self).sectioned(by: \.age)[1]
      box.token = section.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.add(Animal("ant", age: 1)) }
    observatory.writeElsewhere { realm in realm.add(Animal("cat", age: 2)) }
    #expect(await observatory.next() == "- +1.1 ~ sections +[] -[]")
    observatory.writeElsewhere { realm in
      realm.delete(realm.objects(Animal.self).where { $0.age == 2 })
    }
    #expect(await observatory.next() == "- + ~ sections +[] -[1]")
  }

  @Test func `needs something to sort by`() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm().open()
      _ = realm.objects(Animal.self).sectioned(by: \.age, sortDescriptors: [])
    }
  }

  /// Random changes, applied to what was shown before, give what is there now.
  @Test(arguments: [1, 2, 3] as [UInt64], [false, true])
  func `change sets lead from the sections before to those now`(seed: UInt64, isMixed: Bool) {
    let box = RealmBox()
    let shown = ShownSections()
    observatory.run { realm in
      try fill(realm, (0..<12).map { ("n\($0)", $0 % 4) })
      box.realm = realm
      box.token = Self.sections(realm, isMixed: isMixed).observe { shown.apply($0) }
    }
    for step in 0..<60 {
      observatory.writeElsewhere { realm in
        var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(step))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          Self.changeSomething(realm, "s\(step)", &random)
        }
      }
      observatory.run { realm in
        realm.refresh()
        let expected = Self.sections(realm, isMixed: isMixed).map { section in
          "\(section.key): " + section.map { "\($0.name)/\($0.weight)" }.joined(separator: ",")
        }
        #expect(shown.texts == expected, "seed \(seed), step \(step)")
      }
    }
    observatory.run { _ in box.realm = nil }
  }

  /// - Parameter isMixed: whether the elements of a section need not come one after the other, so
  ///   that sections change places, too.
  private static func sections(
    _ realm: Realm, isMixed: Bool
  ) -> SectionedResults<Int, Animal> {
    let animals = realm.objects(Animal.self)
    if !isMixed { return animals.sectioned(by: \.age) }
    return animals.sectioned(by: { $0.age }, sortDescriptors: [SortDescriptor(keyPath: "weight")])
  }

  private static func changeSomething(
    _ realm: Realm, _ name: String, _ random: inout SeededGenerator
  ) {
    let animals = realm.objects(Animal.self)
    let age = Int.random(in: 0..<6, using: &random)
    guard !animals.isEmpty, Int.random(in: 0..<4, using: &random) > 0 else {
      return realm.add(Animal(name, age: age))
    }
    let animal = animals[Int.random(in: 0..<animals.count, using: &random)]
    switch Int.random(in: 0..<3, using: &random) {
    case 0: realm.delete(animal)
    case 1: animal.age = age
    default: animal.weight += 1
    }
  }
}

/// Sections as a table would show them, kept up by change sets alone.
private final class ShownSections: @unchecked Sendable {
  // Touched on the loop thread only.

  private var sections: [(key: Int, items: [String])] = []

  var texts: [String] { sections.map { "\($0.key): " + $0.items.joined(separator: ",") } }

  func apply(_ change: SectionedResultsChange<SectionedResults<Int, Animal>>) {
    func text(_ animal: Animal) -> String { "\(animal.name)/\(animal.weight)" }
    switch change {
    case .initial(let now): sections = now.map { ($0.key, $0.map(text)) }
    case .update(
      let now, let deletions, let insertions, let modifications, let inserted, let deleted):
      for path in modifications { sections[path.section].items[path.item] = "modified" }
      for path in deletions.reversed() { sections[path.section].items.remove(at: path.item) }
      for section in deleted.reversed() { sections.remove(at: section) }
      for section in inserted { sections.insert((now[section].key, []), at: section) }
      for path in insertions {
        sections[path.section].items.insert(text(now[path]), at: path.item)
      }
      for (section, item) in now.enumerated().flatMap({ pair in
        pair.element.indices.map { (pair.offset, $0) }
      }) where sections[section].items[item] == "modified" {
        sections[section].items[item] = text(now[section][item])
      }
    }
  }
}
