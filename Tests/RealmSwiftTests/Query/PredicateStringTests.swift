import Foundation
import ObjectStore
import TestSupport
import Testing

@testable import RealmSwift

@Suite struct PredicateStringTests {
  private let age = QueryExpression.path("age")
  private let name = QueryExpression.path("name")

  @Test(arguments: [
    ("age = 3", QueryComparison.equal), ("age == 3", .equal), ("age!=3", .notEqual),
    ("age <> 3", .notEqual), ("age<3", .less), ("age <= 3", .lessOrEqual),
    ("age =< 3", .lessOrEqual),
    ("age > 3", .greater), ("age >= 3", .greaterOrEqual), ("age => 3", .greaterOrEqual),
  ])
  func comparisons(text: String, comparison: QueryComparison) throws {
    #expect(try lowered(text) == .compare(age, comparison, .value(.int(3))))
  }

  @Test(arguments: [
    ("'x'", StoredValue.string("x")), ("\"it's\"", .string("it's")),
    (#"'it\'s\n'"#, .string("it's\n")),
    ("3", .int(3)), ("-3", .int(-3)), ("0x1F", .int(31)), ("2.5", .double(2.5)),
    (".5", .double(0.5)),
    ("-1.5e3", .double(-1500)), ("1E-2", .double(0.01)), ("true", .bool(true)),
    ("YES", .bool(true)),
    ("FALSE", .bool(false)), ("no", .bool(false)), ("nil", .null), ("NULL", .null),
    ("(3)", .int(3)),
  ])
  func literals(text: String, value: StoredValue) throws {
    #expect(try lowered("score == \(text)") == .compare(.path("score"), .equal, .value(value)))
  }

  @Test func argumentsAreTakenInOrder() throws {
    let predicate = try lowered(
      "%K > %d && name == %@ OR %K.%K == %ld", "age", 4, "x", "bestDog", "age", Int8(5))
    #expect(
      predicate
        == .or([
          .and([
            .compare(age, .greater, .value(.int(4))), .compare(name, .equal, .value(.string("x"))),
          ]),
          .compare(.path("bestDog.age"), .equal, .value(.int(5))),
        ]))
  }

  @Test func argumentsAreStoredByTheirTypes() throws {
    let id = ObjectId("000102030405060708090a0b")
    let uuid = UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F")!
    func value(_ argument: Any?) throws -> StoredValue? {
      guard case .compare(_, _, .value(let value), _) = try lowered("score == %@", argument) else {
        return nil
      }
      return value
    }
    #expect(try value(nil) == .null)
    #expect(try value(NSNull()) == .null)
    #expect(try value(Optional(Optional(3)) as Any) == .int(3))
    #expect(try value(true) == .bool(true))
    #expect(try value(Float(1.5)) == .float(1.5))
    #expect(try value(Date(timeIntervalSinceReferenceDate: 9)) == .date(9))
    #expect(try value(Data([1, 2])) == .data([1, 2]))
    #expect(try value(id) == .objectId(id.stored))
    #expect(
      try value(uuid)
        == .uuid(UUIDBytes(head: 0x0706_0504_0302_0100, tail: 0x0F0E_0D0C_0B0A_0908)))
    #expect(try value(Decimal128(5)) == .decimal128(Decimal128(5).stored))
    #expect(try value(NSNumber(value: 7)) == .int(7))
    #expect(try value(NSNumber(value: 7.5)) == .double(7.5))
    #expect(try value(NSString(string: "x")) == .string("x"))
    #expect(try value(Object()) == .link(TableKey(rawValue: 1), ObjectKey(rawValue: 7)))
    #expect(throws: InvalidPredicate.self) { try lowered("score == %@", URL(string: "x:")!) }
  }

  @Test func textOperations() throws {
    func text(_ operation: TextOperation, _ options: TextOptions = []) -> QueryPredicate {
      .text(name, operation, .value(.string("a")), options: options)
    }
    #expect(try lowered("name CONTAINS 'a'") == text(.contains))
    #expect(try lowered("name contains[c] 'a'") == text(.contains, .caseInsensitive))
    #expect(
      try lowered("name BEGINSWITH[cd] 'a'")
        == text(.begins, [.caseInsensitive, .diacriticInsensitive]))
    #expect(try lowered("name ENDSWITH[d]'a'") == text(.ends, .diacriticInsensitive))
    #expect(try lowered("name LIKE[c] 'a'") == text(.like, .caseInsensitive))
  }

  @Test func equalityTakesOptions() throws {
    #expect(
      try lowered("name ==[c] %@", "x")
        == .compare(name, .equal, .value(.string("x")), options: .caseInsensitive))
    #expect(
      try lowered("name !=[cd] %@", "x")
        == .compare(
          name, .notEqual, .value(.string("x")), options: [.caseInsensitive, .diacriticInsensitive])
    )
  }

  @Test func logicBindsInTheUsualOrder() throws {
    let (one, two, three) = (
      QueryPredicate.compare(age, .equal, .value(.int(1))),
      QueryPredicate.compare(age, .equal, .value(.int(2))),
      QueryPredicate.compare(age, .equal, .value(.int(3)))
    )
    #expect(try lowered("age == 1 OR age == 2 AND age == 3") == .or([one, .and([two, three])]))
    #expect(try lowered("(age == 1 || age == 2) && age == 3") == .and([.or([one, two]), three]))
    #expect(try lowered("NOT age == 1 AND age == 2") == .and([.not(one), two]))
    #expect(try lowered("!(age == 1 and age == 2)") == .not(.and([one, two])))
    #expect(try lowered("not not age == 1") == one)
    #expect(try lowered("age == 1 && age == 2 && age == 3") == .and([one, two, three]))
    #expect(try lowered("((((age)) == ((1))))") == one)
    #expect(try lowered("TRUEPREDICATE") == .constant(true))
    #expect(try lowered("age == 1 OR FALSEPREDICATE") == .or([one, .constant(false)]))
  }

  @Test func listsAndRanges() throws {
    let values: [StoredValue] = [.int(1), .int(2)]
    #expect(try lowered("age IN {1, 2}") == .isIn(age, values))
    #expect(try lowered("age IN %@", [1, 2]) == .isIn(age, values))
    #expect(try lowered("age IN %@", [1] as Set) == .isIn(age, [.int(1)]))
    #expect(try lowered("name IN %@", ["x", nil]) == .isIn(name, [.string("x"), .null]))
    #expect(try lowered("age IN {}") == .isIn(age, []))
    #expect(try lowered("age BETWEEN {1, 2}") == .between(age, .int(1), .int(2)))
    #expect(try lowered("age BETWEEN %@", [1, 2]) == .between(age, .int(1), .int(2)))
    #expect(try lowered("age BETWEEN {%@, %@}", 1, 2) == .between(age, .int(1), .int(2)))
    #expect(
      try lowered("name IN[c] {'x'}")
        == .or([.compare(name, .equal, .value(.string("x")), options: .caseInsensitive)]))
  }

  @Test func pathsUseTheNamesOfTheFile() throws {
    #expect(
      try lowered("isAdult == YES") == .compare(.path("is_adult"), .equal, .value(.bool(true))))
    #expect(try lowered("age == bestDog.age") == .compare(age, .equal, .path("bestDog.age")))
    #expect(try lowered("3 < age") == .compare(.value(.int(3)), .less, age))
    #expect(
      try lowered("self == %@", Object())
        == .compare(
          .path([]), .equal, .value(.link(TableKey(rawValue: 1), ObjectKey(rawValue: 7)))))
    #expect(try lowered("SELF > 5", on: nil) == .compare(.path([]), .greater, .value(.int(5))))
    #expect(try lowered("self.age == 3") == .compare(age, .equal, .value(.int(3))))
    #expect(try lowered("#age == 3") == .compare(age, .equal, .value(.int(3))))
  }

  @Test func anyGoesThroughCollections() throws {
    let dogAge = QueryPredicate.compare(.path("dogs.age"), .greater, .value(.int(3)))
    #expect(try lowered("ANY dogs.age > 3") == dogAge)
    #expect(try lowered("SOME dogs.age > 3") == dogAge)
    #expect(try lowered("NONE dogs.age > 3") == .not(dogAge))
    #expect(try lowered("NOT ANY dogs.age > 3") == .not(dogAge))
    #expect(try lowered("any numbers IN {1}") == .isIn(.path("numbers"), [.int(1)]))
    #expect(
      try lowered("%@ IN numbers", 4) == .compare(.value(.int(4)), .equal, .path("numbers")))
    #expect(
      try lowered("numbers CONTAINS %@", 4) == .compare(.path("numbers"), .equal, .value(.int(4))))
    #expect(
      try lowered("ANY owners.name == 'x'", on: .dog)
        == .compare(
          .path([.backlinks(className: "Person", property: "dogs"), .property("name")]), .equal,
          .value(.string("x"))))
  }

  @Test func collectionOperators() throws {
    func left(_ text: String) throws -> QueryExpression? {
      guard case .compare(let left, _, _, _) = try lowered(text + " > 3") else { return nil }
      return left
    }
    #expect(try left("dogs.@count") == .count(of: "dogs"))
    #expect(try left("bestDog.toys.@count") == .count(of: "bestDog.toys"))
    #expect(try left("dogs.@min.age") == .aggregate(.minimum, of: "dogs", property: "age"))
    #expect(try left("dogs.age.@max") == .aggregate(.maximum, of: "dogs", property: "age"))
    #expect(try left("dogs.@sum.age") == .aggregate(.sum, of: "dogs", property: "age"))
    #expect(try left("numbers.@avg") == .aggregate(.average, of: "numbers", property: nil))
  }

  @Test func subqueriesCount() throws {
    let inner = QueryPredicate.and([
      .compare(.path("age"), .greater, .value(.int(3))),
      .compare(.path("name"), .equal, .value(.string("Rex"))),
    ])
    #expect(
      try lowered("SUBQUERY(dogs, $dog, $dog.age > 3 AND $dog.name == 'Rex').@count > 1")
        == .compare(.subqueryCount("dogs", inner), .greater, .value(.int(1))))
    let nested = QueryPredicate.compare(
      .subqueryCount("toys", .compare(.path("age"), .equal, .value(.int(1)))), .equal,
      .value(.int(0)))
    #expect(
      try lowered("0 == SUBQUERY(dogs, $d, SUBQUERY($d.toys, $t, $t.age == 1).@count == 0).@count")
        == .compare(.value(.int(0)), .equal, .subqueryCount("dogs", nested)))
  }

  @Test(arguments: [
    ("", "expected a value or a key path, but found the end"),
    ("age", "expected an operator, but found the end"),
    ("age ==", "expected a value or a key path, but found the end"),
    ("age == 3 3", "expected the end, but found '3'"),
    ("age == 3 AND", "expected a value or a key path, but found the end"),
    ("(age == 3", "expected ')', but found the end"),
    ("age == 'x", "has no end"), ("age == %@", "there are only 0 arguments"),
    ("age == %b", "is not a format"), ("age == 3x", "'3x' is not a number"),
    ("age ? 3", "'?' is not expected"),
    ("age ==[x] 3", "is not an option"), ("age == {1", "expected '}'"),
    ("age MATCHES 'x'", "Operator 'MATCHES' not supported"),
    ("age + == 2", "expected a value or a key path"),
    ("age == uuid(12)", "'12' is not a UUID"), ("age == oid(xy)", "'xy' is not an ObjectId"),
    ("age == B64'?'", "is not base64"), ("age == 2017-13-01@00:00:00", "there is no such date"),
    ("age == $0", "there are only 0 arguments"), ("age == NONE dogs.age", "NONE must stand before"),
    ("age > 3 SORT(name)", "expected ASC or DESC"), ("age > 3 LIMIT(x)", "expected a number"),
    ("age == obj('Cat', 3)", "There is no class 'Cat'"),
    ("@links.Cat.age == 3", "Property 'age' not found in object of type 'Cat'"),
    ("@links == 3", "@links must be followed by a class and a property"),
    ("@links.@max == 3", "@links must be followed by a class and a property"),
    ("age.@links.@count == 3", "asks for the links to what is no object"),
    ("SUBQUERY(@links, $l, TRUEPREDICATE).@count > 0", "@links must be followed by a class"),
    ("score.@type == 'colour'", "Unable to parse the type attribute string 'colour'"),
    ("name CONTAINS ALL dogs.name", "ALL must stand on the left"),
    ("dogs.@keys == 'x'", "asks for the keys or values of what is no map"),
    ("now() == 3", "Function expressions are not supported"),
    ("name['x'] == 3", "Subscripts are only supported for lists and maps"),
    ("dogs[name].age == 3", "a key or an index was expected"),
    ("SUBQUERY(dogs, $d, $d.age > 3)", "immediately followed by .@count"),
    ("SUBQUERY(dogs, $d, $e.age > 3).@count > 0", "a variable that no SUBQUERY has"),
    ("SUBQUERY(bestDog, $d, $d.age > 3).@count > 0", "needs a collection of objects"),
    ("height == 3", "Property 'height' not found in object of type 'Person'"),
    ("bestDog.height == 3", "Property 'height' not found in object of type 'Dog'"),
    ("age.x == 3", "there is no object before it"),
    ("ANY age > 3", "can only be used on key paths that include an array property"),
    ("age.@count > 3", "@count can only be used on a collection"),
    ("dogs.@first == 3", "Unsupported collection operation '@first'"),
    ("age IN 3", "IN clause requires an array"), ("age BETWEEN 3", "requires exactly two values"),
    ("age BETWEEN {1, 2, 3}", "requires exactly two values"),
    ("age == {1}", "only allowed after IN"),
    ("age BETWEEN {score, 3}", "A constant was expected"),
    (
      "age == 'x'",
      "Expected object of type int for property 'age' on object of type 'Person', but received: x"
    ),
    (
      "'x' == bestDog.age", "Expected object of type int for property 'age' on object of type 'Dog'"
    ),
    ("name == 3", "Expected object of type string"),
    ("isAdult == 2", "Expected object of type bool"),
    ("ANY numbers == 'x'", "Expected object of type int"),
    ("age BETWEEN {1, 'x'}", "but received: x"), ("bestDog == 3", "Expected object of type object"),
    ("age BEGINSWITH 'x'", "Expected object of type int"),
    ("age BEGINSWITH name", "Operator 'BEGINSWITH' not supported for type 'int'"),
  ])
  func mistakesAreExplained(text: String, reason: String) throws {
    let error = #expect(throws: InvalidPredicate.self) { try lowered(text) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func `neither dates far away nor long sums are the end of the program`() throws {
    _ = try lowered("score < T-9223372036854775808:-999999999")
    #expect(throws: InvalidPredicate.self) {
      try lowered("score < 9223372036854775-01-01@00:00:00")
    }
    let sum = Array(repeating: "1", count: 1000).joined(separator: "+")
    _ = try lowered("\(sum) == age")
    for sign in ["+", "-", "*", "/"] {
      let long = Array(repeating: "1", count: 5000).joined(separator: sign)
      #expect(throws: InvalidPredicate.self) { try lowered("\(long) == age") }
    }
  }

  @Test func unusedArgumentsAreAMistake() {
    #expect(throws: InvalidPredicate.self) { try lowered("age == 3", 4) }
  }

  @Test func deepNestingIsRefused() throws {
    let deep = String(repeating: "(", count: 60) + "age == 3" + String(repeating: ")", count: 60)
    #expect(try lowered(deep) == .compare(age, .equal, .value(.int(3))))
    for opening in ["(", "NOT (", "SUBQUERY(dogs, $d, ", "age == ((", "age IN {{"] {
      #expect(throws: InvalidPredicate.self) {
        try lowered(String(repeating: opening, count: 10_000))
      }
    }
    let long = Array(repeating: "age == 3", count: 5_000).joined(separator: " OR ")
    guard case .or(let parts) = try lowered(long) else {
      Issue.record("not a disjunction")
      return
    }
    #expect(parts.count == 5_000)
  }

  @Test func damagedTextNeverCrashes() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("predicate fuzz seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "age", "dogs", "name", "==", "IN", "{", "}", "(", ")", "[c]", "%@", "%K", "'x'", "3", "AND",
      "OR",
      "NOT", "ANY", "SUBQUERY", "$d", ",", ".@count", ".", "BETWEEN", "-", "@min", "é", "nil", "!",
      "%",
    ]
    for _ in 0..<3_000 {
      let words = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        pieces.randomElement(using: &generator)!
      }
      _ = try? lowered(words.joined(separator: Bool.random(using: &generator) ? " " : ""), "age", 3)
    }
  }
}
