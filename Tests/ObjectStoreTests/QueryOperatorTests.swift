import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// What is computed for whole vectors, against the same question asked of each row by itself.
@Suite("Operators on vectors give what rows give")
struct QueryOperatorTests {
  private static let comparisons: [QueryComparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  private func check(
    _ predicate: QueryPredicate, _ keys: [ObjectKey], _ view: StoreView
  ) throws {
    let query = try CompiledQuery(
      QueryDescription(.table(Kennel.dog), where: predicate), schema: view.schema)
    var expected: [ObjectKey] = []
    for key in keys where try query.matches(key, view) { expected.append(key) }
    #expect(try Array(query.evaluate(view)) == expected, "\(predicate)")
    #expect(try query.count(view) == expected.count, "\(predicate)")
  }

  @Test("properties are compared with each other, whatever their kinds and widths")
  func pairs() throws {
    var writer = KennelWriter(seed: 5)
    let store = try ScratchStore(length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    let ages: [Int64] = [0, 1, 127, -129, 1 << 20, 1 << 53, (1 << 53) + 1, .max, .min]
    let weights = [0, -0.0, 1, 127, 0x1p53, 0x1p63, -.infinity, .nan]
    try store.write { transaction in
      for _ in 0..<700 { try writer.create(Kennel.dog, in: transaction) }
      // Wide values in some clusters only, so that narrow vectors meet wide ones.
      for (index, key) in writer.model.keys(Kennel.dog).enumerated() where index % 700 < 300 {
        let age = StoredValue.int(ages[index % ages.count])
        let weight = StoredValue.double(weights[index % weights.count])
        try transaction.set(age, Kennel.column("age"), of: key, in: Kennel.dog)
        try transaction.set(weight, Kennel.column("weight"), of: key, in: Kennel.dog)
      }
    }
    let view = try store.view
    let keys = writer.model.keys(Kennel.dog)
    let numbers = ["id", "age", "toys", "weight", "height"]
    for comparison in Self.comparisons {
      for left in numbers {
        for right in numbers {
          try check(
            .compare(.path(QueryPath(left)), comparison, .path(QueryPath(right))), keys, view)
        }
      }
      try check(.compare(.path("born"), comparison, .path("born")), keys, view)
      try check(.compare(.path("good"), comparison, .path("good")), keys, view)
    }
  }

  @Test("the ends of the range of integers are compared with floats and doubles")
  func extremeIntegers() throws {
    let store = try ScratchStore(length: 1 << 24)
    try store.write { try $0.apply(Kennel.schema) }
    let weights = [0, -0x1p63, 0x1p63, -.infinity, .infinity, -0x1p53, 0x1p53]
    try store.write { transaction in
      for (id, weight) in weights.enumerated() {
        let key = try transaction.createObject(in: Kennel.dog, primaryKey: Int64(id)).key
        for name in ["weight", "height"] {
          let value = name == "weight" ? StoredValue.double(weight) : .float(Float(weight))
          try transaction.set(value, Kennel.column(name), of: key, in: Kennel.dog)
        }
      }
    }
    let view = try store.view
    let keys = (0..<weights.count).map { ObjectKey(rawValue: Int64($0)) }
    for integer in [Int64.min, .min + 1, .max, -1 << 53, 1 << 53, -1 << 24] {
      for comparison in Self.comparisons {
        for name in ["weight", "height"] {
          let predicate = compare(name, comparison, .int(integer))
          try check(predicate, keys, view)
          let query = try CompiledQuery(
            QueryDescription(.table(Kennel.dog), where: predicate), schema: view.schema)
          let expected = keys.filter {
            NumberOrder.compare(integer, weights[Int($0.rawValue)]).reversed.satisfies(comparison)
          }
          #expect(try Array(query.evaluate(view)) == expected, "\(predicate)")
        }
      }
    }
  }

  @Test("folded strings, among them long ones and such beyond ASCII")
  func foldedText() throws {
    var writer = KennelWriter(seed: 6)
    let store = try ScratchStore(length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    let names = [
      "", "Rex", "REX", "rexona", "T-Rex", "straße", "STRASSE", "\u{212A}elvin", "kelvin", "éclair",
      "ECLAIR", "eclair", "日本", "@[`{", "ab Cd", String(repeating: "Rex ", count: 300) + "é",
      String(repeating: "aB", count: 600),
    ]
    var generator = SeededGenerator(seed: 7)
    try store.write { transaction in
      for _ in 0..<520 { try writer.create(Kennel.dog, in: transaction) }
      for (index, key) in writer.model.keys(Kennel.dog).enumerated() {
        // The first clusters hold nothing but ASCII.
        let choice = names.randomElement(using: &generator)!
        let name = index < 300 && !choice.utf8.allSatisfy { $0 < 0x80 } ? "Rex" : choice
        try transaction.set(.string(name), Kennel.column("name"), of: key, in: Kennel.dog)
        let nick: StoredValue = index % 5 == 0 ? .null : .string(name)
        try transaction.set(nick, Kennel.column("nick"), of: key, in: Kennel.dog)
      }
    }
    let view = try store.view
    let keys = writer.model.keys(Kennel.dog)
    let options: [TextOptions] = [
      .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]
    for path in ["name", "nick"] {
      for text in ["", "ReX", "SS", "k", "é", "本", "[", "*e?*"] {
        let value = QueryExpression.value(.string(text))
        for option in options {
          for operation in [TextOperation.contains, .begins, .ends, .like] {
            try check(
              .text(.path(QueryPath(path)), operation, value, options: option), keys, view)
          }
          for comparison in Self.comparisons {
            try check(
              .compare(.path(QueryPath(path)), comparison, value, options: option), keys, view)
          }
        }
      }
    }
  }

  @Test("an index counts and lists ranges as its entries say", arguments: [true, false])
  func ranges(small: Bool) throws {
    var writer = KennelWriter(seed: 8)
    let store = try ScratchStore(
      limits: small ? QueryEvaluationTests.small : .standard, length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    var generator = SeededGenerator(seed: 9)
    try store.write { transaction in
      for _ in 0..<1500 { try writer.create(Kennel.dog, in: transaction) }
      for key in writer.model.keys(Kennel.dog) {
        let age = Int64.random(in: -20...20, using: &generator) * 3
        try transaction.set(.int(age), Kennel.column("age"), of: key, in: Kennel.dog)
      }
    }
    let view = try store.view
    let table = try #require(try view.table(Kennel.dog))
    let property = try #require(Kennel.stored.description(of: Kennel.dog)?.property(named: "age"))
    let index = try #require(try table.index(of: property))
    var entries: [IndexPair] = []
    for place in 0..<table.count { entries.append(try index.entry(at: place)) }
    var bounds: [(Int64, Int64)] = [
      (.min, .max), (0, .max), (.min, 0), (5, 4), (61, 70), (-80, -61),
    ]
    for _ in 0..<200 {
      bounds.append(
        (
          Int64.random(in: -65...65, using: &generator),
          Int64.random(in: -65...65, using: &generator)
        ))
    }
    for (lower, upper) in bounds {
      let expected = entries.filter { $0.value >= lower && $0.value <= upper }
        .map { ObjectKey(rawValue: $0.key) }
      #expect(try index.count(from: lower, through: upper) == expected.count)
      #expect(try index.keys(from: lower, through: upper) == expected)
      let few = try index.keys(from: lower, through: upper, limit: 3)
      #expect(few == Array(expected.prefix(3)))
    }
  }
}
