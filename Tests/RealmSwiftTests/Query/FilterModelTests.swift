import Foundation
import RealmSwift
import TestSupport
import Testing

final class ModelItem: Object {
  @Persisted(indexed: true) var number: Int
  @Persisted var maybe: Int?
  @Persisted var text: String
  @Persisted var flag: Bool
  @Persisted var other: ModelItem?
  @Persisted var parts: List<ModelItem>
}

/// One condition in three forms.
private struct Condition {
  var query: (Query<ModelItem>) -> Query<Bool>
  var text: String
  var holds: (ModelItem) -> Bool
}

/// Random conditions: closures and strings select what plain Swift selects.
@Suite struct FilterModelTests {
  @Test func randomConditionsSelectWhatSwiftSelects() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("filter model seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [ModelItem.self]))
    try fill(realm, using: &generator)
    let all = Array(realm.objects(ModelItem.self))
    for _ in 0..<300 {
      let condition = random(depth: 3, using: &generator)
      let expected = all.filter(condition.holds)
      let objects = realm.objects(ModelItem.self)
      let byClosure = Array(objects.where(condition.query))
      let byText = Array(objects.filter(condition.text))
      #expect(same(byClosure, expected), "closure: \(condition.text)")
      #expect(same(byText, expected), "string: \(condition.text)")
    }
  }

  private func same(_ left: [ModelItem], _ right: [ModelItem]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0.isSameObject(as: $1) }
  }

  private func fill(_ realm: Realm, using generator: inout SeededGenerator) throws {
    try realm.write {
      let items = (0..<80).map { _ in
        let item = ModelItem()
        item.number = Int.random(in: 0...9, using: &generator)
        item.maybe = Bool.random(using: &generator) ? Int.random(in: 0...9, using: &generator) : nil
        item.text = ["", "a", "ab", "AB", "bá", "b"].randomElement(using: &generator)!
        item.flag = Bool.random(using: &generator)
        realm.add(item)
        return item
      }
      for item in items {
        if Bool.random(using: &generator) { item.other = items.randomElement(using: &generator) }
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          item.parts.append(items.randomElement(using: &generator)!)
        }
      }
    }
  }

  private func random(depth: Int, using generator: inout SeededGenerator) -> Condition {
    guard depth > 0, Int.random(in: 0..<4, using: &generator) > 0 else {
      return leaf(Int.random(in: 0...9, using: &generator), using: &generator)
    }
    let left = random(depth: depth - 1, using: &generator)
    let right = random(depth: depth - 1, using: &generator)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      return Condition(
        query: { left.query($0) && right.query($0) }, text: "(\(left.text) AND \(right.text))",
        holds: { left.holds($0) && right.holds($0) })
    case 1:
      return Condition(
        query: { left.query($0) || right.query($0) }, text: "(\(left.text) || \(right.text))",
        holds: { left.holds($0) || right.holds($0) })
    default:
      return Condition(
        query: { !left.query($0) }, text: "NOT (\(left.text))", holds: { !left.holds($0) })
    }
  }

  private func leaf(_ n: Int, using generator: inout SeededGenerator) -> Condition {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: Condition(query: { $0.number > n }, text: "number > \(n)") { $0.number > n }
    case 1: Condition(query: { $0.number == n }, text: "number == \(n)") { $0.number == n }
    case 2:
      Condition(query: { $0.maybe < n }, text: "maybe < \(n)") { $0.maybe.map { $0 < n } ?? false }
    case 3: Condition(query: { $0.maybe == nil }, text: "maybe == nil") { $0.maybe == nil }
    case 4:
      Condition(query: { $0.maybe != n }, text: "maybe != \(n)") { $0.maybe != n }
    case 5:
      Condition(query: { $0.number.contains(n...n + 2) }, text: "number BETWEEN {\(n), \(n + 2)}") {
        (n...n + 2).contains($0.number)
      }
    case 6:
      Condition(
        query: { $0.text.contains("B", options: .caseInsensitive) }, text: "text CONTAINS[c] 'B'"
      ) { $0.text.lowercased().contains("b") }
    case 7: Condition(query: { $0.flag }, text: "flag == true") { $0.flag }
    case 8:
      Condition(query: { $0.other.number >= n }, text: "other.number >= \(n)") {
        $0.other.map { $0.number >= n } ?? false
      }
    case 9:
      Condition(query: { $0.parts.number == n }, text: "ANY parts.number == \(n)") {
        $0.parts.contains { $0.number == n }
      }
    case 10:
      Condition(query: { $0.parts.count == n % 4 }, text: "parts.@count == \(n % 4)") {
        $0.parts.count == n % 4
      }
    default:
      Condition(
        query: { ($0.parts.flag && $0.parts.number < n).count > 1 },
        text: "SUBQUERY(parts, $p, $p.flag == YES AND $p.number < \(n)).@count > 1"
      ) { $0.parts.filter { $0.flag && $0.number < n }.count > 1 }
    }
  }
}
