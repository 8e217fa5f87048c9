import Testing

@testable import ObjectStore
@testable import Storage

@Suite("Queries give what the plainest evaluation gives")
struct QueryEvaluationTests {
  static let small = TreeLimits(
    clusterRows: 8, innerChildren: 4, listElements: 4, pairEntries: 8)

  @Test("random predicates, sorts, distinct and limits", arguments: Seeds.list(3))
  func randomQueries(seed: UInt64) throws {
    var writer = KennelWriter(seed: seed)
    let store = try ScratchStore(limits: seed % 2 == 0 ? Self.small : .standard, length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    for _ in 0..<3 {
      try store.write { transaction in
        for _ in 0..<100 { try writer.create(Kennel.dog, in: transaction) }
        for _ in 0..<20 { try writer.create(Kennel.person, in: transaction) }
        for _ in 0..<200 { try writer.step(transaction) }
      }
      let view = try store.view
      for _ in 0..<40 {
        let description = writer.query()
        let query = try CompiledQuery(description, schema: view.schema)
        let expected = writer.model.evaluate(description)
        #expect(try Array(query.evaluate(view)) == expected, "seed \(seed): \(description)")
        #expect(try query.count(view) == expected.count, "seed \(seed): \(description)")
        #expect(try query.first(view) == expected.first, "seed \(seed): \(description)")
        let few = try Array(query.first(3, view))
        #expect(few == Array(expected.prefix(3)), "seed \(seed): \(description)")
        try checkAggregates(query, expected, writer.model, view, seed)
      }
    }
  }

  private func checkAggregates(
    _ query: CompiledQuery, _ expected: [ObjectKey], _ model: KennelModel, _ view: StoreView,
    _ seed: UInt64
  ) throws {
    for name in ["age", "toys", "weight", "owner.age"] {
      for operation in [AggregateOperation.minimum, .maximum, .sum, .average] {
        let column = try AggregateColumn(
          QueryPath(name), of: Kennel.dog, for: operation, schema: view.schema)
        let found = try query.aggregate(operation, column, view)
        let values = expected.map { model.values(QueryPath(name).steps[...], Kennel.dog, $0)[0] }
        var wanted = KennelModel.aggregate(operation, values)
        if name == "weight", operation == .sum, case .int(let zero) = wanted {
          wanted = .double(Double(zero))
        }
        #expect(found == wanted, "seed \(seed): \(operation) of \(name)")
      }
    }
  }

  @Test("an index gives what a scan gives")
  func indexedAndNot() throws {
    var writer = KennelWriter(seed: 99)
    let store = try ScratchStore(limits: Self.small, length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    try store.write { transaction in
      for _ in 0..<1500 { try writer.create(Kennel.dog, in: transaction) }
    }
    let view = try store.view
    let predicates = [
      compare("age", .equal, .int(5)), compare("age", .greater, .int(300)),
      compare("nick", .equal, .string("Rex")), compare("nick", .equal, .null),
      compare("born", .equal, .date(1)), compare("born", .less, .date(-1)),
      compare("id", .equal, .int(77)), .isIn(.path("id"), [.int(3), .int(900), .int(-1)]),
      .and([compare("age", .equal, .int(127)), compare("good", .equal, .bool(true))]),
      .isIn(.path("nick"), [.string("ab"), .string("b"), .string("日本")]),
    ]
    for predicate in predicates {
      let description = QueryDescription(.table(Kennel.dog), where: predicate)
      let query = try CompiledQuery(description, schema: view.schema)
      #expect(!query.probes.isEmpty)
      let expected = writer.model.evaluate(description)
      #expect(try Array(query.evaluate(view)) == expected, "\(predicate)")
      #expect(try query.count(view) == expected.count, "\(predicate)")
    }
  }

  @Test("lists and backlinks as sources")
  func sources() throws {
    var writer = KennelWriter(seed: 7)
    let store = try ScratchStore(length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    try store.write { transaction in
      for _ in 0..<20 { try writer.create(Kennel.dog, in: transaction) }
      for _ in 0..<800 { try writer.step(transaction) }
    }
    let view = try store.view
    let predicate = compare("age", .greater, .int(2))
    for key in writer.model.keys(Kennel.dog) {
      let list = writer.model.row(Kennel.dog, key)!.lists["friends"]!
      let query = try CompiledQuery(
        QueryDescription(
          .list(owner: Kennel.dog, object: key, column: Kennel.column("friends")),
          where: predicate),
        schema: view.schema)
      let expected = list.compactMap { value -> ObjectKey? in
        guard case .link(_, let key) = value else { return nil }
        return writer.model.holds(predicate, Kennel.dog, key) ? key : nil
      }
      #expect(try Array(query.evaluate(view)) == expected)
      let backwards = try CompiledQuery(
        QueryDescription(
          .backlinks(origin: Kennel.dog, column: Kennel.column("friends"), target: key)),
        schema: view.schema)
      let sources = writer.model.values(
        [.backlinks(className: "Dog", property: "friends")], Kennel.dog, key)
      #expect(try backwards.count(view) == sources.count)
    }
  }

  @Test("strings are folded where the query asks for it")
  func folding() throws {
    let store = try ScratchStore(length: 1 << 24)
    try store.write { try $0.apply(Kennel.schema) }
    let names = ["Bello", "BELLO", "béllo", "Rex", ""]
    try store.write { transaction in
      for (index, name) in names.enumerated() {
        let key = try transaction.createObject(in: Kennel.dog, primaryKey: Int64(index)).key
        try transaction.setString(name, Kennel.column("name"), of: key, in: Kennel.dog)
      }
    }
    let view = try store.view
    func count(_ predicate: QueryPredicate) throws -> Int {
      try CompiledQuery(
        QueryDescription(.table(Kennel.dog), where: predicate), schema: view.schema
      ).count(view)
    }
    #expect(try count(compare("name", .equal, .string("bello"))) == 0)
    #expect(try count(compare("name", .equal, .string("bello"), .caseInsensitive)) == 2)
    #expect(try count(compare("name", .notEqual, .string("bello"), .caseInsensitive)) == 3)
    let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    #expect(try count(compare("name", .equal, .string("bello"), both)) == 3)
    #expect(
      try count(.text(.path("name"), .like, .value(.string("?e*")), options: both)) == 4)
    #expect(try count(.text(.path("name"), .contains, .value(.null))) == 5)
    #expect(try count(.text(.path("name"), .contains, .value(.string("")))) == 0)
  }

  @Test("a query that does not fit the schema is refused in words")
  func misfits() throws {
    let schema = Kennel.stored
    func reason(_ predicate: QueryPredicate) -> String? {
      do {
        _ = try CompiledQuery(
          QueryDescription(.table(Kennel.dog), where: predicate), schema: schema)
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(
      reason(compare("colour", .equal, .int(1)))
        == "Property 'colour' not found in object of type 'Dog'.")
    #expect(reason(compare("age", .equal, .string("x"))) != nil)
    #expect(reason(compare("age.years", .equal, .int(1))) != nil)
    #expect(reason(.text(.path("age"), .contains, .value(.string("1")))) != nil)
    #expect(reason(.compare(.path("name"), .equal, .path("age"))) != nil)
    #expect(reason(.compare(.count(of: "age"), .equal, .value(.int(1)))) != nil)
    #expect(throws: QueryError.self) {
      try CompiledQuery(
        QueryDescription(.table(Kennel.dog), sort: [SortKey("friends.age")]), schema: schema)
    }
  }

  @Test("lists of scalars are filtered, sorted and told apart")
  func listQueries() throws {
    let store = try ScratchStore(limits: Self.small, length: 1 << 24)
    try store.write { try $0.apply(Kennel.schema) }
    let column = Kennel.column("scores")
    let numbers: [Int64] = [5, 3, 9, 3, 5, 1, 8, 3, 2, 7]
    let dog = try store.write { transaction in
      let dog = try transaction.createObject(in: Kennel.dog, primaryKey: 1).key
      try transaction.listInsert(
        contentsOf: numbers.map { .int($0) }, at: 0, column, of: dog, in: Kennel.dog)
      return dog
    }
    let table = try store.table(Kennel.dog)
    let property = Kennel.stored.description(of: Kennel.dog)!.property(named: "scores")!
    let list = try table.list(of: property, at: try #require(try table.find(dog)))
    func run(
      _ predicate: QueryPredicate = .constant(true), ascending: Bool? = nil,
      isDistinct: Bool = false, limit: Int? = nil
    ) throws -> [Int64] {
      let query = QueryDescription(
        .table(Kennel.dog), sort: ascending.map { [SortKey([], ascending: $0)] } ?? [],
        distinct: isDistinct ? [[]] : [], limit: limit)
      return try ListQuery(kind: .int, where: predicate, stages: query.stages)
        .evaluate(list, store.view).map { numbers[$0] }
    }
    #expect(try run() == numbers)
    #expect(try run(compare("", .greater, .double(4.5))) == [5, 9, 5, 8, 7])
    #expect(try run(.not(.between(.path(""), .int(3), .int(5)))) == [9, 1, 8, 2, 7])
    #expect(try run(.isIn(.path(""), [.int(3), .int(1)]), ascending: true) == [1, 3, 3, 3])
    #expect(try run(ascending: false, isDistinct: true, limit: 3) == [9, 8, 7])
    #expect(throws: QueryError.self) { try run(compare("age", .equal, .int(1))) }
    #expect(throws: QueryError.self) { try run(compare("", .equal, .string("x"))) }
    #expect(try list.aggregate(.sum) == .int(46))
    #expect(try list.aggregate(.average) == .double(4.6))
  }
}
