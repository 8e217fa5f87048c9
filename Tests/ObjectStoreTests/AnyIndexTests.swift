import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// Indexes of values of any kind: each value is in a property with an index and in one without.
@Suite struct AnyIndexTests {
  private static let small = TreeLimits(
    clusterRows: 8, innerChildren: 4, listElements: 4, pairEntries: 8)
  private let table = TableKey(rawValue: 0)

  private func schema(isIndexed: Bool) -> SchemaDescription {
    SchemaDescription(classes: [
      ClassDescription(
        name: "Thing",
        properties: [
          PropertyDescription(name: "value", kind: .any, isIndexed: isIndexed),
          PropertyDescription(name: "plain", kind: .any),
        ])
    ])
  }

  private static func decimal(
    _ coefficient: UInt128, _ exponent: Int, negative: Bool = false
  ) -> StoredValue {
    .decimal128(
      DecimalNumber(negative: negative, coefficient: coefficient, exponent: exponent).bits)
  }

  /// Many that are equal, nearly equal, or at the edge of something.
  private static let values: [StoredValue] =
    [.null, .bool(false), .bool(true), .string(""), .string("a"), .string("ab"), .string("1")]
    + [.data([]), .data([97]), .string(String(repeating: "long ", count: 80))]
    + [-2, -1, 0, 1, 2, 5, 1 << 46, (1 << 46) - 1, 1 << 53, (1 << 53) + 1, .max, .min].map {
      .int($0)
    }
    + [
      0, -0.0, 1, 1.5, 5, 5.000000000000001, 4.999999999999999, -5, -5.000000000000001, 0.1,
      0x1p46, 0x1p53, 0x1p63, 1e300, -1e300, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
      .infinity, -.infinity, .nan,
      -.nan,
    ].flatMap { [.double($0), .date($0)] }
    + [0, 1, 5, 5.0000005, 0.1, 1.1, 16_777_216, 3e38, .infinity, .nan].map { .float($0) }
    + [
      decimal(5, 0), decimal(500, -2), decimal(5, 0, negative: true), decimal(1, -1),
      decimal(11, -1), decimal(5_000_000_000_000_000_000_000_000_000_000_001, -33),
      decimal(4_999_999_999_999_999_999_999_999_999_999_999, -33),
      decimal(4_999_999_999_999_999_999_999_999_999_999_999, -33, negative: true),
      decimal(1, -6000), decimal(1, 6000), decimal(1, 6000, negative: true), decimal(0, 3),
      .decimal128(DecimalNumber.nan.bits),
      .decimal128(DecimalNumber.infinity(negative: false).bits), decimal(16_777_216, 0),
    ]
    + [
      .objectId(ObjectIdBytes(head: 7, tail: 1)), .objectId(ObjectIdBytes(head: 7, tail: 2)),
      .uuid(UUIDBytes(head: 7, tail: 1)), .uuid(UUIDBytes(head: 8, tail: 1)),
    ]

  private static let comparisons: [QueryComparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  /// What a condition finds by the index, and looking at every object.
  private func expectSame(
    _ view: StoreView, isIndexed: Bool = true, _ condition: (QueryExpression) -> QueryPredicate
  ) throws {
    func query(_ name: String) throws -> CompiledQuery {
      try CompiledQuery(
        QueryDescription(.table(table), where: condition(.path(QueryPath(name)))),
        schema: view.schema)
    }
    let (indexed, plain) = (try query("value"), try query("plain"))
    #expect(plain.probes.isEmpty)
    let expected = try Array(plain.evaluate(view))
    #expect(try Array(indexed.evaluate(view)) == expected, "\(condition(.path("value")))")
    #expect(try indexed.count(view) == expected.count, "\(condition(.path("value")))")
    #expect(try indexed.first(view) == expected.first, "\(condition(.path("value")))")
    // Whatever the planner prefers, the index alone has to give the same.
    let context = EvaluationContext(view)
    let stored = try #require(try context.table(table))
    for probe in indexed.probes {
      let property = try #require(view.schema.property(named: "value", of: table))
      let index = try #require(try stored.index(of: property))
      let named = try probe.keys(index, limit: .max)
      let kept = try named.filter { try probe.isExact || indexed.matches($0, view) }
      #expect(kept == expected, "\(condition(.path("value")))")
      if let count = try probe.count(index), probe.isExact { #expect(count == expected.count) }
    }
  }

  private func checkAll(
    _ store: ScratchStore, _ links: [StoredValue], _ random: inout SeededGenerator
  ) throws {
    store.expectSound()
    let view = try store.view
    let constants = Self.values + links
    for constant in constants {
      for comparison in Self.comparisons {
        try expectSame(view) { .compare($0, comparison, .value(constant)) }
      }
      let others = (0..<random.below(5)).map { _ in constants[random.below(constants.count)] }
      try expectSame(view) { .isIn($0, [constant] + others) }
      let other = constants[random.below(constants.count)]
      try expectSame(view) { .between($0, constant, other) }
      try expectSame(view) {
        .and([
          .compare($0, .greater, .value(constant)), .compare($0, .lessOrEqual, .value(other)),
          .compare($0, .notEqual, .value(.int(1))),
        ])
      }
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `what is found by the index is what every object says`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try ScratchStore(
      limits: seed == 2 ? .standard : Self.small, length: 1 << 28)
    try store.write { try $0.apply(schema(isIndexed: true)) }
    let columns = try ["value", "plain"].map {
      try #require(try store.schema.description.property(named: $0, of: table)).columnKey
    }
    var keys: [ObjectKey] = []
    func set(_ key: ObjectKey, _ transaction: ObjectTransaction) throws {
      let value =
        random.chance(6) && !keys.isEmpty
        ? .link(table, keys[random.below(keys.count)])
        : Self.values[random.below(Self.values.count)]
      for column in columns { try transaction.set(value, column, of: key, in: table) }
    }
    for round in 0..<4 {
      try store.write { transaction in
        for _ in 0..<80 {
          keys.append(try transaction.createObject(in: table))
          if !random.chance(9) { try set(keys.last!, transaction) }
        }
        for key in keys where random.chance(4) { try set(key, transaction) }
        for _ in 0..<8 {
          try transaction.deleteObject(keys.remove(at: random.below(keys.count)), in: table)
        }
        if round == 2 {
          let gone = keys.filter { _ in random.chance(3) }
          try transaction.deleteObjects(gone, in: table)
          keys.removeAll(where: Set(gone).contains)
        }
      }
      store.expectSound()
    }
    try checkAll(store, keys.prefix(4).map { .link(table, $0) }, &random)
    for isIndexed in [false, true] {
      try store.write { try $0.apply(schema(isIndexed: isIndexed)) }
      store.expectSound()
      let query = try CompiledQuery(
        QueryDescription(
          .table(table), where: .compare(.path("value"), .equal, .value(.int(5)))),
        schema: store.view.schema)
      #expect(query.probes.count == (isIndexed ? 1 : 0))
    }
    try checkAll(store, keys.prefix(4).map { .link(table, $0) }, &random)
  }

  @Test func `a whole number is counted without a look at the objects`() throws {
    let store = try ScratchStore(length: 1 << 24)
    try store.write { transaction in
      try transaction.apply(schema(isIndexed: true))
      let column = try #require(
        transaction.schema.description.property(named: "value", of: table)
      ).columnKey
      for value in Self.values {
        try transaction.set(value, column, of: transaction.createObject(in: table), in: table)
      }
    }
    let view = try store.view
    func probe(_ condition: QueryPredicate) throws -> PlannedProbe {
      let query = try CompiledQuery(
        QueryDescription(.table(table), where: condition), schema: view.schema)
      return try #require(query.probes.first)
    }
    #expect(try probe(compare("value", .equal, .int(5))).isExact)
    #expect(try probe(compare("value", .less, .double(-1))).isExact)
    #expect(try probe(compare("value", .equal, .bool(true))).isExact)
    #expect(try probe(compare("value", .equal, .null)).isExact)
    #expect(try probe(.isIn(.path("value"), [.int(5), .null, .float(1)])).isExact)
    #expect(try !probe(compare("value", .equal, .double(0.1))).isExact)
    #expect(try !probe(compare("value", .equal, .string("a"))).isExact)
    // 5 as an integer, a double, a float and two decimals.
    let five = try probe(compare("value", .equal, .int(5)))
    let property = try #require(view.schema.property(named: "value", of: table))
    let stored = try #require(try view.table(table))
    #expect(try five.count(#require(try stored.index(of: property))) == 5)
  }

  @Test func `two bounds of one property are one look into the index`() throws {
    let store = try ScratchStore(length: 1 << 24)
    try store.write { try $0.apply(schema(isIndexed: true)) }
    let query = try CompiledQuery(
      QueryDescription(.table(table), where: .between(.path("value"), .int(1), .int(5))),
      schema: store.view.schema)
    #expect(query.probes.count == 1)
  }

  @Test func `a primary key is not of any kind`() throws {
    let store = try ScratchStore(length: 1 << 24)
    let wrong = SchemaDescription(classes: [
      ClassDescription(
        name: "Thing", properties: [PropertyDescription(name: "n", kind: .any, isPrimaryKey: true)])
    ])
    #expect(throws: (any Error).self) { try store.write { try $0.apply(wrong) } }
  }
}
