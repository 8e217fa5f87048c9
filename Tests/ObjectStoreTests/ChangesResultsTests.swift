import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

@Suite("Change sets lead from the old results to the new ones")
struct ChangesResultsTests {
  /// A query that is watched, and how far it has come.
  private struct Watched {
    var description: QueryDescription
    var results: QueryResults
    var scope: ChangeScope
    var model: [ObjectKey]
  }

  @Test("random histories, in one step or several", arguments: Seeds.list(3))
  func randomHistories(seed: UInt64) throws {
    var writer = KennelWriter(seed: seed)
    let limits = seed % 2 == 0 ? QueryEvaluationTests.small : .standard
    let store = try ScratchStore(limits: limits, length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    try store.write { transaction in
      for _ in 0..<80 { try writer.create(Kennel.dog, in: transaction) }
      for _ in 0..<20 { try writer.create(Kennel.person, in: transaction) }
    }
    var view = try store.view
    let scope = ChangeScope(elementsOf: Kennel.dog, schema: view.schema)
    var watched = try (0..<25).map { index in
      var description = writer.query()
      if index == 0 { description = QueryDescription(.table(Kennel.dog)) }
      let query = try CompiledQuery(description, schema: view.schema)
      return Watched(
        description: description, results: try QueryResults(query, view), scope: scope,
        model: writer.model.evaluate(description))
    }
    for _ in 0..<25 {
      var changes = ChangeSet()
      let before = writer.model
      for _ in 0..<Int.random(in: 1...3, using: &writer.random) {
        let transaction = try store.begin()
        for _ in 0..<writer.random.pickSize() { try writer.step(transaction) }
        changes.merge(try store.commit(transaction))
      }
      let new = try store.view
      let touched = Self.deeplyTouched(changes, before, writer.model)
      for index in watched.indices {
        try Self.advance(&watched[index], view, new, changes, touched, writer.model, seed)
      }
      view = new
    }
  }

  private static func advance(
    _ watched: inout Watched, _ old: StoreView, _ new: StoreView, _ changes: ChangeSet,
    _ touched: Set<ObjectKey>, _ model: KennelModel, _ seed: UInt64
  ) throws {
    let expected = model.evaluate(watched.description)
    let (results, found) = try watched.results.advanced(
      from: old, to: new, changes, watched.scope)
    let keys = try (0..<results.count).map { try results.key(at: $0, new) }
    let note: Comment = "seed \(seed): \(watched.description)"
    #expect(keys == expected, note)
    if let last = expected.last {
      #expect(try results.index(of: last, new) == expected.count - 1, note)
    }
    #expect(
      isWellFormed(found, oldCount: watched.model.count, newCount: expected.count), note)
    var applied = watched.model
    for index in found.deletions.reversed() { applied.remove(at: index) }
    for index in found.insertions { applied.insert(expected[index], at: index) }
    #expect(applied == expected, note)
    // What stayed and was touched is told as modified, and nothing else is.
    let inserted = Set(found.insertions)
    let modified = expected.indices.filter {
      !inserted.contains($0) && touched.contains(expected[$0])
    }
    #expect(found.modificationsNew == modified, note)
    #expect(
      found.modificationsOld.map { watched.model[$0] } == modified.map { expected[$0] }, note)
    watched.results = results
    watched.model = expected
  }

  /// The dogs from which a changed object is at most four links away.
  private static func deeplyTouched(
    _ changes: ChangeSet, _ before: KennelModel, _ after: KennelModel
  ) -> Set<ObjectKey> {
    var links: [StoredValue: [StoredValue]] = [:]
    var touched: Set<StoredValue> = []
    for (table, rows) in after.tables {
      for (key, row) in rows {
        let object = StoredValue.link(table, key)
        links[object] = (Array(row.values.values) + row.lists.values.flatMap { $0 }).filter {
          if case .link = $0 { true } else { false }
        }
        if changes.changes(in: table)?.isModified(key) ?? false { touched.insert(object) }
      }
    }
    for _ in 0..<4 {
      touched.formUnion(links.filter { !touched.isDisjoint(with: $0.value) }.keys)
    }
    return Set(after.keys(Kennel.dog).filter { touched.contains(.link(Kennel.dog, $0)) })
  }

  @Test("one changed object of many is told exactly")
  func single() throws {
    let store = try ScratchStore(length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    let age = Kennel.column("age")
    try store.write { transaction in
      for id in 0..<2000 {
        let key = try transaction.createObject(in: Kennel.dog, primaryKey: Int64(id)).key
        try transaction.setInt(Int64(id), age, of: key, in: Kennel.dog)
      }
    }
    let old = try store.view
    let scope = ChangeScope(elementsOf: Kennel.dog, schema: old.schema)
    func results(_ predicate: QueryPredicate, _ sort: [SortKey]) throws -> QueryResults {
      try QueryResults(
        CompiledQuery(
          QueryDescription(.table(Kennel.dog), where: predicate, sort: sort), schema: old.schema),
        old)
    }
    let all = try results(.constant(true), [])
    let filtered = try results(compare("age", .less, .int(1000)), [])
    let sorted = try results(.constant(true), [SortKey("age", ascending: false)])
    let moved = try old.table(Kennel.dog)!.position(at: 10).key
    let transaction = try store.begin()
    try transaction.setInt(5000, age, of: moved, in: Kennel.dog)
    let same = try old.table(Kennel.dog)!.position(at: 20).key
    try transaction.setInt(20, age, of: same, in: Kennel.dog)
    let changes = try store.commit(transaction)
    let new = try store.view
    let (_, ofAll) = try all.advanced(from: old, to: new, changes, scope)
    #expect(ofAll.modificationsNew == [10, 20] && ofAll.modificationsOld == [10, 20])
    #expect(ofAll.deletions.isEmpty && ofAll.insertions.isEmpty)
    let (_, ofFiltered) = try filtered.advanced(from: old, to: new, changes, scope)
    #expect(ofFiltered.deletions == [10] && ofFiltered.insertions.isEmpty)
    #expect(ofFiltered.modificationsOld == [20] && ofFiltered.modificationsNew == [19])
    let (_, ofSorted) = try sorted.advanced(from: old, to: new, changes, scope)
    #expect(ofSorted.deletions == [1989] && ofSorted.insertions == [0])
    #expect(ofSorted.modificationsOld == [1979] && ofSorted.modificationsNew == [1980])
  }

  @Test("key paths decide what counts, across links too")
  func keyPaths() throws {
    let store = try ScratchStore(length: 1 << 26)
    try store.write { try $0.apply(Kennel.schema) }
    var dog = ObjectKey(rawValue: 0)
    var other = dog
    var person = dog
    try store.write { transaction in
      dog = try transaction.createObject(in: Kennel.dog, primaryKey: 1).key
      other = try transaction.createObject(in: Kennel.dog, primaryKey: 2).key
      person = try transaction.createObject(in: Kennel.person)
      try transaction.setLink(person, Kennel.column("owner"), of: dog, in: Kennel.dog)
      try transaction.listInsert(
        .link(Kennel.dog, dog), at: 0, Kennel.column("friends"), of: other, in: Kennel.dog)
    }
    let old = try store.view
    let all = try QueryResults(
      CompiledQuery(QueryDescription(.table(Kennel.dog)), schema: old.schema), old)
    let personAge = Kennel.column("age", of: Kennel.person)
    let transaction = try store.begin()
    try transaction.set(.int(3), personAge, of: person, in: Kennel.person)
    let changes = try store.commit(transaction)
    let new = try store.view
    func modified(_ paths: [QueryPath]?) throws -> [Int] {
      let scope =
        try paths.map { (paths) throws(QueryError) in
          try ChangeScope(keyPaths: paths, of: Kennel.dog, schema: old.schema)
        } ?? ChangeScope(elementsOf: Kennel.dog, schema: old.schema)
      return try all.advanced(from: old, to: new, changes, scope).changes.modificationsNew
    }
    #expect(try modified(nil) == [0, 1])
    #expect(try modified(["owner.age"]) == [0])
    #expect(try modified(["owner.*"]) == [0])
    #expect(try modified(["owner.name", "name"]) == [])
    #expect(try modified(["owner"]) == [])
    #expect(try modified(["friends.owner.age"]) == [1])
    #expect(try modified(["*"]) == [])

    func change(_ scope: ChangeScope, _ key: ObjectKey) throws -> ObservedObjectChange {
      try scope.change(of: key, from: old, to: new, changes)
    }
    let across = try ChangeScope(keyPaths: ["owner.age"], of: Kennel.dog, schema: old.schema)
    #expect(try change(across, dog) == .changed([Kennel.column("owner")]))
    #expect(try change(across, other) == .none)
    #expect(try change(ChangeScope(object: Kennel.dog), dog) == .none)
    #expect(try change(ChangeScope(object: Kennel.person), person) == .changed([personAge]))
    let backwards = try ChangeScope(
      keyPaths: [[.backlinks(className: "Dog", property: "owner"), .property("name")]],
      of: Kennel.person, schema: old.schema)
    #expect(try change(backwards, person) == .none)
    let next = try store.begin()
    try next.setString("Rex", Kennel.column("name"), of: dog, in: Kennel.dog)
    let more = try store.commit(next)
    let newest = try store.view
    let seen = try backwards.change(of: person, from: new, to: newest, more)
    #expect(seen != .none && seen != .deleted)
    let last = try store.begin()
    try last.deleteObject(person, in: Kennel.person)
    let end = try store.commit(last)
    #expect(
      try ChangeScope(object: Kennel.person).change(
        of: person, from: newest, to: try store.view, end) == .deleted)
    #expect(
      try ChangeScope(object: Kennel.dog).change(
        of: dog, from: newest, to: try store.view, end) == .changed([Kennel.column("owner")]))
  }

  @Test("results on a list and on backlinks are carried on", arguments: Seeds.list(3))
  func sources(seed: UInt64) throws {
    var writer = KennelWriter(seed: seed)
    let store = try ScratchStore(limits: QueryEvaluationTests.small, length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    try store.write { transaction in
      for _ in 0..<15 { try writer.create(Kennel.dog, in: transaction) }
      for _ in 0..<300 { try writer.step(transaction) }
    }
    var view = try store.view
    let scope = ChangeScope(elementsOf: Kennel.dog, schema: view.schema)
    let column = Kennel.column("friends")
    var all = try writer.model.keys(Kennel.dog).flatMap { key in
      try [
        QuerySource.list(owner: Kennel.dog, object: key, column: column),
        .backlinks(origin: Kennel.dog, column: column, target: key),
      ].map { source in
        let description = QueryDescription(
          source, where: compare("owner.age", .notEqual, .int(3)), sort: [SortKey("age")])
        return try QueryResults(CompiledQuery(description, schema: view.schema), view)
      }
    }
    for _ in 0..<15 {
      let before = writer.model
      let transaction = try store.begin()
      for _ in 0..<3 { try writer.step(transaction) }
      let changes = try store.commit(transaction)
      let new = try store.view
      let touched = Self.deeplyTouched(changes, before, writer.model)
      for index in all.indices {
        let old = try all[index].query.evaluate(view)
        let expected = try Array(all[index].query.evaluate(new))
        let (results, found) = try all[index].advanced(from: view, to: new, changes, scope)
        #expect(applying(found, to: Array(old), from: expected) == expected, "seed \(seed)")
        #expect(try (0..<results.count).map { try results.key(at: $0, new) } == expected)
        let inserted = Set(found.insertions)
        let modified = expected.indices.filter {
          !inserted.contains($0) && touched.contains(expected[$0])
        }
        #expect(found.modificationsNew == modified, "seed \(seed)")
        all[index] = results
      }
      view = new
    }
  }

  @Test("an observed list follows what was done to it", arguments: Seeds.list(3))
  func lists(seed: UInt64) throws {
    var writer = KennelWriter(seed: seed)
    let store = try ScratchStore(limits: QueryEvaluationTests.small, length: 1 << 28)
    try store.write { try $0.apply(Kennel.schema) }
    try store.write { transaction in
      for _ in 0..<12 { try writer.create(Kennel.dog, in: transaction) }
    }
    let dogs = writer.model.keys(Kennel.dog)
    for name in ["friends", "scores"] {
      for _ in 0..<20 {
        let before = writer.model
        let old = try store.view
        var changes = ChangeSet()
        for _ in 0..<2 {
          let transaction = try store.begin()
          for _ in 0..<12 { try writer.step(transaction) }
          let property = Kennel.stored.description(of: Kennel.dog)!.property(named: name)!
          for key in dogs where writer.model.row(Kennel.dog, key) != nil {
            try writer.change(property, of: key, Kennel.dog, transaction)
          }
          changes.merge(try store.commit(transaction))
        }
        for key in dogs where before.row(Kennel.dog, key) != nil {
          try Self.check(name, key, before, writer.model, old, try store.view, changes, seed)
        }
      }
    }
  }

  private static func check(
    _ name: String, _ key: ObjectKey, _ before: KennelModel, _ after: KennelModel,
    _ old: StoreView, _ new: StoreView, _ changes: ChangeSet, _ seed: UInt64
  ) throws {
    let list = ObservedList(
      owner: Kennel.dog, object: key, column: Kennel.column(name))
    let found = try list.changes(
      from: old, to: new, changes,
      name == "friends" ? ChangeScope(elementsOf: Kennel.dog, schema: new.schema) : nil)
    guard let row = after.row(Kennel.dog, key) else {
      #expect(found == nil, "seed \(seed)")
      return
    }
    let changes = try #require(found)
    let oldList = before.row(Kennel.dog, key)!.lists[name]!
    let newList = row.lists[name]!
    #expect(
      isWellFormed(changes, oldCount: oldList.count, newCount: newList.count), "seed \(seed)")
    #expect(applying(changes, to: oldList, from: newList) == newList, "seed \(seed)")
  }
}

extension SeededGenerator {
  /// Mostly a few changes, now and then many.
  fileprivate mutating func pickSize() -> Int {
    chance(8) ? 120 : Int.random(in: 0...6, using: &self)
  }
}
