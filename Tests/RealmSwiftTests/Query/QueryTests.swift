import Foundation
import Testing

@testable import RealmSwift

enum QueryColor: Int, PersistableEnum {
  case red, green
}

struct QueryDistance: CustomPersistable, Hashable {
  var meters: Int
  init(persistedValue: Int) { meters = persistedValue }
  var persistableValue: Int { meters }
}

final class QueryOwner: Object {
  @Persisted var name: String
  @Persisted var pet: QueryPet?
}

final class QueryPet: Object {
  @Persisted var name: String
  @Persisted var nickname: String?
  @Persisted var age: Int
  @Persisted var height: Int?
  @Persisted var weight: Double
  @Persisted var price: Decimal128
  @Persisted var isTame: Bool
  @Persisted var born: Date
  @Persisted var photo: Data
  @Persisted var id: ObjectId
  @Persisted var color: QueryColor
  @Persisted var coat: QueryColor?
  @Persisted var range: QueryDistance
  @Persisted var owner: QueryOwner?
  @Persisted var friends: List<QueryPet>
  @Persisted var toys: List<QueryPet>
  @Persisted var scores: List<Int>
  @Persisted var tags: List<String>
  @Persisted var colors: List<QueryColor>
  @Persisted var coats: MutableSet<QueryColor?>
  @Persisted var ranges: List<QueryDistance>
  @Persisted var counts: Map<String, Int>
  @Persisted var shades: Map<String, QueryColor>
  @Persisted var spans: Map<String, QueryDistance?>
  @Persisted var owners: Map<String, QueryOwner?>
  @Persisted var any: AnyRealmValue
}

/// The predicate strings are those of Apple's SDK, which programs compare in their tests.
@Suite struct QueryTests {
  private typealias Pet = Query<QueryPet>

  private func expect(
    _ text: String, _ arguments: Any?..., sourceLocation: SourceLocation = #_sourceLocation,
    from query: (Query<QueryPet>) -> Query<Bool>
  ) {
    let (actual, values) = query(Query<QueryPet>._constructForTesting())._constructPredicate()
    #expect(actual == text, sourceLocation: sourceLocation)
    let expected = arguments.map { $0 ?? NSNull() }
    #expect(
      values.map { "\($0)" } == expected.map { "\($0)" }, sourceLocation: sourceLocation)
    // What is made from a closure can be read back.
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
      try PredicateParser.parse(actual, values)
    }
  }

  @Test func comparisons() {
    expect("(age == %@)", 3) { $0.age == 3 }
    expect("(age != %@)", 3) { $0.age != 3 }
    expect("(age > %@)", 3) { $0.age > 3 }
    expect("(age >= %@)", 3) { $0.age >= 3 }
    expect("(age < %@)", 3) { $0.age < 3 }
    expect("(age <= %@)", 3) { $0.age <= 3 }
    expect("(weight > %@)", 2.5) { $0.weight > 2.5 }
    expect("(price < %@)", "9.99") { $0.price < 9.99 }
    expect("(name == %@)", "Rex") { $0.name == "Rex" }
    expect("(id == %@)", ObjectId()) { $0.id == ObjectId() }
    expect("(age == weight)") {
      Query<Bool>(.comparison($0.age.operand, .equal, $0.weight.operand, []))
    }
    expect("(name != nickname)") {
      Query<Bool>(.comparison($0.name.operand, .notEqual, $0.nickname.operand, []))
    }
    expect("(age <= age)") { $0.age <= $0.age }
  }

  @Test func optionals() {
    expect("(nickname == %@)", nil) { $0.nickname == nil }
    expect("(nickname != %@)", "Rexy") { $0.nickname != "Rexy" }
    expect("(height > %@)", 3) { $0.height > 3 }
    expect("(owner == %@)", nil) { $0.owner == nil }
    expect("(coat == %@)", 1) { $0.coat == .green }
  }

  @Test func logic() {
    expect("isTame == true") { $0.isTame }
    expect("isTame == false") { !$0.isTame }
    expect("(isTame == %@)", true) { $0.isTame == true }
    expect("(isTame == true && (age > %@))", 3) { $0.isTame && $0.age > 3 }
    expect("((age > %@) || isTame == false)", 3) { $0.age > 3 || !$0.isTame }
    expect("NOT (age > %@)", 3) { !($0.age > 3) }
    expect("NOT ((age > %@) && (name == %@))", 3, "Rex") { !($0.age > 3 && $0.name == "Rex") }
    expect("(((age == %@) || (age == %@)) && (name == %@))", 1, 2, "Rex") {
      ($0.age == 1 || $0.age == 2) && $0.name == "Rex"
    }
  }

  @Test func listsAndRanges() {
    expect("(age IN %@)", [1, 2]) { $0.age.in([1, 2]) }
    expect("(name IN %@)", ["a"]) { $0.name.in(Set(["a"])) }
    expect("(age BETWEEN {%@, %@})", 1, 5) { $0.age.contains(1...5) }
    expect("((age >= %@) && (age < %@))", 1, 5) { $0.age.contains(1..<5) }
    expect("(height BETWEEN {%@, %@})", 1, 5) { $0.height.contains(1...5) }
    expect("(weight BETWEEN {%@, %@})", 1.5, 2.5) { $0.weight.contains(1.5...2.5) }
    expect("NOT (age BETWEEN {%@, %@})", 1, 5) { !$0.age.contains(1...5) }
  }

  @Test func strings() {
    expect("(name CONTAINS %@)", "e") { $0.name.contains("e") }
    expect("(name CONTAINS[c] %@)", "e") { $0.name.contains("e", options: .caseInsensitive) }
    expect("(name BEGINSWITH[cd] %@)", "e") {
      $0.name.starts(with: "e", options: [.caseInsensitive, .diacriticInsensitive])
    }
    expect("(nickname ENDSWITH[d] %@)", "e") {
      $0.nickname.ends(with: "e", options: .diacriticInsensitive)
    }
    expect("(name LIKE %@)", "R*") { $0.name.like("R*") }
    expect("(name LIKE[c] %@)", "R*") { $0.name.like("R*", caseInsensitive: true) }
    expect("(name ==[c] %@)", "rex") { $0.name.equals("rex", options: .caseInsensitive) }
    expect("(name !=[cd] %@)", "rex") {
      $0.name.notEquals("rex", options: [.caseInsensitive, .diacriticInsensitive])
    }
    expect("(name CONTAINS nickname)") { $0.name.contains($0.nickname) }
    expect("(photo BEGINSWITH %@)", Data([1])) { $0.photo.starts(with: Data([1])) }
    expect("(name > %@)", "M") { $0.name > "M" }
  }

  @Test func links() {
    expect("(owner.name == %@)", "Ada") { $0.owner.name == "Ada" }
    expect("(owner.pet.owner.name BEGINSWITH %@)", "A") {
      $0.owner.pet.owner.name.starts(with: "A")
    }
  }

  @Test func collectionsOfObjects() {
    expect("(ANY friends.age > %@)", 3) { $0.friends.age > 3 }
    expect("(ANY friends.owner.name == %@)", "Ada") { $0.friends.owner.name == "Ada" }
    expect("(ANY friends.friends.age == %@)", 3) { $0.friends.friends.age == 3 }
    expect("(ANY owner.pet.friends.name CONTAINS %@)", "x") {
      $0.owner.pet.friends.name.contains("x")
    }
    expect("(friends.@count > %@)", 2) { $0.friends.count > 2 }
    expect("(friends.age.@min > %@)", 2) { $0.friends.age.min > 2 }
    expect("(friends.age.@sum == %@)", 2) { $0.friends.age.sum == 2 }
    expect("NOT (ANY friends.age > %@)", 3) { !($0.friends.age > 3) }
  }

  @Test func collectionsOfValues() {
    expect("(%@ IN scores)", 3) { $0.scores.contains(3) }
    expect("(ANY scores == %@)", 3) { $0.scores == 3 }
    expect("(ANY scores > %@)", 3) { $0.scores > 3 }
    expect("(ANY scores IN %@)", [1, 2]) { $0.scores.containsAny(in: [1, 2]) }
    expect("(scores.@count == %@)", 0) { $0.scores.count == 0 }
    expect("(scores.@min == %@)", 0) { $0.scores.min == 0 }
    expect("(scores.@max == %@)", 0) { $0.scores.max == 0 }
    expect("(scores.@avg == %@)", 0) { $0.scores.avg == 0 }
    expect("(scores.@sum == %@)", 0) { $0.scores.sum == 0 }
    expect("((scores.@min >= %@) && (scores.@max <= %@))", 1, 5) { $0.scores.contains(1...5) }
    expect("((scores.@min >= %@) && (scores.@max < %@))", 1, 5) { $0.scores.contains(1..<5) }
    expect("(%@ IN tags)", "x") { $0.tags.contains("x") }
  }

  @Test func enumerationsAndCustomTypes() {
    expect("(color == %@)", 1) { $0.color == .green }
    expect("(color IN %@)", [0, 1]) { $0.color.in([.red, .green]) }
    expect("(color > %@)", 0) { $0.color > .red }
    expect("(color == %@)", 7) { $0.color.rawValue == 7 }
    expect("(coat > %@)", 7) { $0.coat.rawValue > 7 }
    expect("(ANY colors == %@)", 1) { $0.colors == .green }
    expect("(%@ IN colors)", 1) { $0.colors.contains(.green) }
    expect("(ANY colors > %@)", 5) { $0.colors.rawValue > 5 }
    expect("(range == %@)", 5) { $0.range == QueryDistance(persistedValue: 5) }
    expect("(range > %@)", 5) { $0.range.persistableValue > 5 }
  }

  @Test func collectionsOfEnumerationsAndCustomTypes() {
    expect("(ANY coats == %@)", 1) { $0.coats == .green }
    expect("(ANY coats > %@)", 5) { $0.coats.rawValue > 5 }
    expect("(ANY ranges >= %@)", 5) { $0.ranges.persistableValue >= 5 }
    expect("(ranges.@max == %@)", 5) { $0.ranges.persistableValue.max == 5 }
    expect("(ANY shades == %@)", 1) { $0.shades == .green }
    expect("(%@ IN shades)", 7) { $0.shades.rawValue.contains(7) }
    expect("(%@ IN spans)", 7) { $0.spans.persistableValue.contains(7) }
  }

  @Test func maps() {
    expect("(counts[%@] == %@)", "a", 3) { $0.counts["a"] == 3 }
    expect("(counts[%@] > %@)", "a", 3) { $0.counts["a"] > 3 }
    expect("(ANY counts.@allValues > %@)", 3) { $0.counts.values > 3 }
    expect("(ANY counts.@allKeys BEGINSWITH %@)", "a") { $0.counts.keys.starts(with: "a") }
    expect("(%@ IN counts)", 3) { $0.counts.contains(3) }
    expect("(ANY counts IN %@)", [1, 2]) { $0.counts.containsAny(in: [1, 2]) }
    expect("(counts.@count == %@)", 3) { $0.counts.count == 3 }
    expect("(counts.@min == %@)", 3) { $0.counts.min == 3 }
    expect("(counts.@avg == %@)", 3) { $0.counts.avg == 3 }
    expect("((counts.@min >= %@) && (counts.@max < %@))", 1, 5) { $0.counts.contains(1..<5) }
    expect("(owners[%@].name == %@)", "a", "Ada") { $0.owners["a"].name == "Ada" }
    expect("(ANY owners.@allValues.name == %@)", "Ada") { $0.owners.values.name == "Ada" }
    expect("(owner.pet.counts[%@] == %@)", "a", 3) { $0.owner.pet.counts["a"] == 3 }
    expect("(ANY friends.counts == %@)", 3) { $0.friends.counts == 3 }
    expect("(ANY friends.counts[%@] == %@)", "a", 3) { $0.friends.counts["a"] == 3 }
    expect("(SUBQUERY(friends, $col1, ($col1.counts[%@] == %@)).@count > %@)", "a", 3, 0) {
      ($0.friends.counts["a"] == 3).count > 0
    }
  }

  @Test func propertiesAreComparedWithEachOther() {
    expect("(name < name)") { $0.name < $0.name }
    expect("(nickname >= nickname)") { $0.nickname >= $0.nickname }
    expect("(color > color)") { $0.color > $0.color }
    expect("(name BETWEEN {%@, %@})", "a", "b") { $0.name.contains("a"..."b") }
    expect("((nickname >= %@) && (nickname < %@))", "a", "b") { $0.nickname.contains("a"..<"b") }
    expect("((tags.@min >= %@) && (tags.@max <= %@))", "a", "b") { $0.tags.contains("a"..."b") }
  }

  @Test func subqueries() {
    expect("(SUBQUERY(friends, $col1, ($col1.age > %@)).@count > %@)", 3, 1) {
      ($0.friends.age > 3).count > 1
    }
    expect(
      "(SUBQUERY(friends, $col1, (($col1.age > %@) && ($col1.name == %@))).@count == %@)",
      3, "Rex", 0
    ) { ($0.friends.age > 3 && $0.friends.name == "Rex").count == 0 }
    expect(
      "((SUBQUERY(friends, $col1, $col1.isTame == true).@count > %@) && "
        + "(SUBQUERY(toys, $col2, (ANY $col2.scores == %@)).@count == %@))", 1, 4, 2
    ) { $0.friends.isTame.count > 1 && ($0.toys.scores == 4).count == 2 }
  }

  @Test func elementsOfCollectionsOfValues() {
    let query = Query<Int>._constructForTesting() > 5
    #expect(query._constructPredicate().0 == "(self > %@)")
  }

  @Test func subqueriesOfTwoCollectionsAreMisuse() async {
    await #expect(processExitsWith: .failure) {
      let pet = Query<QueryPet>._constructForTesting()
      _ = (pet.friends.age > 3 && pet.toys.age > 3).count > 1
    }
  }
}
