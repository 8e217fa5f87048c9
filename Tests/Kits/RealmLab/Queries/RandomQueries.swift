import Foundation
import RealmSwift
import TestSupport

/// Random conditions, as closures, strings and `#Predicate`s, with and without indexes, against a
/// plain evaluation of the same.
public struct RandomQueries {
  public private(set) var conditions = 0
  /// How many queries were run.
  public private(set) var queries = 0
  public private(set) var disagreements: [String] = []

  public init() {}

  private static let itemCount = 60

  /// Runs so many conditions on items that follow from the seed.
  public mutating func run(conditions count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let items = (0..<Self.itemCount).map {
      PlainItem(id: $0, of: Self.itemCount, &random)
    }
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: "queries \(UUID().uuidString)",
        objectTypes: [IndexedItem.self, BareItem.self]))
    try fill(realm, items)
    var generator = RandomConditions(items: items, random: random)
    for _ in 0..<count {
      let condition = generator.condition(depth: 3)
      let expected = items.filter(condition.holds).map(\.id)
      check(condition, expected, realm, seed)
      conditions += 1
    }
  }

  private mutating func check(
    _ condition: RandomCondition, _ expected: [Int], _ realm: Realm, _ seed: UInt64
  ) {
    let indexed = realm.objects(IndexedItem.self)
    compare("string", indexed.filter(condition.text).map(\.id), expected, condition, seed)
    let bare = realm.objects(BareItem.self).filter(condition.text)
    compare("string without indexes", bare.map(\.id), expected, condition, seed)
    compare("count", [indexed.filter(condition.text).count], [expected.count], condition, seed)
    let first = indexed.filter(condition.text).first.map { [$0.id] } ?? []
    compare("first", first, Array(expected.prefix(1)), condition, seed)
    if let query = condition.query {
      compare("closure", indexed.where(query).map(\.id), expected, condition, seed)
    }
    if let predicate = condition.predicate {
      compare("#Predicate", indexed.where(predicate).map(\.id), expected, condition, seed)
    }
  }

  private mutating func compare(
    _ form: String, _ found: some Sequence<Int>, _ expected: [Int], _ condition: RandomCondition,
    _ seed: UInt64
  ) {
    queries += 1
    let found = Array(found)
    if found == expected || disagreements.count >= 20 { return }
    disagreements.append(
      "seed \(seed), \(form): \(condition.text) gives \(found), not \(expected)")
  }

  private func fill(_ realm: Realm, _ items: [PlainItem]) throws {
    try realm.write {
      for item in items {
        let (indexed, bare) = (IndexedItem(), BareItem())
        (indexed.id, bare.id) = (item.id, item.id)
        (indexed.number, bare.number) = (item.number, item.number)
        (indexed.maybe, bare.maybe) = (item.maybe, item.maybe)
        (indexed.real, bare.real) = (item.real, item.real)
        (indexed.text, bare.text) = (item.text, item.text)
        (indexed.word, bare.word) = (item.word, item.word)
        (indexed.note, bare.note) = (item.note, item.note)
        (indexed.day, bare.day) = (item.day, item.day)
        (indexed.flag, bare.flag) = (item.flag, item.flag)
        (indexed.mixed, bare.mixed) = (item.mixed.value, item.mixed.value)
        for list in [indexed.numbers, bare.numbers] { list.append(objectsIn: item.numbers) }
        for set in [indexed.words, bare.words] { set.insert(objectsIn: item.words) }
        for (key, value) in item.scores {
          indexed.scores[key] = value
          bare.scores[key] = value
        }
        realm.add(indexed)
        realm.add(bare)
      }
      let (indexed, bare) = (realm.objects(IndexedItem.self), realm.objects(BareItem.self))
      for item in items {
        indexed[item.id].other = item.other.map { indexed[$0] }
        bare[item.id].other = item.other.map { bare[$0] }
        indexed[item.id].parts.append(objectsIn: item.parts.map { indexed[$0] })
        bare[item.id].parts.append(objectsIn: item.parts.map { bare[$0] })
      }
    }
  }
}
