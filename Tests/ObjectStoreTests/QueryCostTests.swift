import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

@Suite("What a query looks at") struct QueryCostTests {
  private static let count = 24

  /// Dogs each of which is a friend of all.
  private func kennel() throws -> ScratchStore {
    let store = try ScratchStore(length: 1 << 26)
    try store.write { try $0.apply(Kennel.schema) }
    try store.write { transaction in
      var dogs: [ObjectKey] = []
      for number in 0..<Self.count {
        dogs.append(
          try transaction.createObject(in: Kennel.dog, primaryKey: .int(Int64(number))).key)
      }
      let links = dogs.map { StoredValue.link(Kennel.dog, $0) }
      for dog in dogs {
        try transaction.listInsert(
          contentsOf: links, at: 0, Kennel.column("friends"), of: dog, in: Kennel.dog)
        let name = StoredValue.string(String(repeating: "a", count: 2_000))
        try transaction.set(name, Kennel.column("name"), of: dog, in: Kennel.dog)
      }
    }
    return store
  }

  private func query(_ predicate: QueryPredicate, _ view: StoreView) throws -> CompiledQuery {
    try CompiledQuery(
      QueryDescription(.table(Kennel.dog), where: predicate), schema: view.schema)
  }

  private func path(_ steps: Int, _ last: String) -> QueryPath {
    QueryPath(Array(repeating: "friends", count: steps).joined(separator: ".") + "." + last)
  }

  /// There are as many ways as the number of dogs to the power of the number of steps.
  @Test("grows with the objects, not with the ways to them", arguments: [3, 6, 12])
  func ways(steps: Int) throws {
    let store = try kennel()
    defer { withExtendedLifetime(store) {} }
    let view = try store.view
    let cases: [(QueryPredicate, Int)] = [
      (.compare(.path(path(steps, "id")), .equal, .value(.int(-1)), options: []), 0),
      (.compare(.path(path(steps, "id")), .equal, .value(.int(5)), options: []), Self.count),
      (.all(.compare(.path(path(steps, "id")), .less, .value(.int(99)), options: [])), Self.count),
      (.all(.compare(.path(path(steps, "id")), .less, .value(.int(5)), options: [])), 0),
      (.compare(.count(of: path(steps, "friends")), .greater, .value(.int(99)), options: []), 0),
      (.compare(.path(path(steps, "scores")), .equal, .value(.int(1)), options: []), 0),
    ]
    for (predicate, expected) in cases {
      var rows = Self.count * (steps + 2) * Self.count * Self.count
      let found = try query(predicate, view).evaluate(view, rows: &rows)
      #expect(found.count == expected, "\(predicate)")
    }
  }

  @Test("goes all ways where each of them counts")
  func sums() throws {
    let store = try kennel()
    defer { withExtendedLifetime(store) {} }
    let view = try store.view
    let sum = (0..<Self.count).reduce(0, +) * Self.count
    let predicate = QueryPredicate.compare(
      .aggregate(.sum, of: "friends.friends", property: "id"), .equal, .value(.int(Int64(sum))),
      options: [])
    #expect(try query(predicate, view).evaluate(view).count == Self.count)
  }

  @Test("has a limit, beyond which there is an error")
  func limit() throws {
    let store = try kennel()
    defer { withExtendedLifetime(store) {} }
    let view = try store.view
    let follows = try query(
      .compare(.path(path(3, "id")), .equal, .value(.int(-1)), options: []), view)
    var rows = 1_000
    #expect(throws: StorageError.self) { try follows.evaluate(view, rows: &rows) }
    #expect(rows < 0)
    let dog = try #require(try query(.constant(true), view).first(view))
    rows = 1_000
    #expect(throws: StorageError.self) { try follows.matches(dog, view, rows: &rows) }
    let pattern = "*" + String(repeating: "a", count: 1_000) + "b"
    for options: TextOptions in [[], [.caseInsensitive]] {
      let text = try query(
        .text(.path("name"), .like, .value(.string(pattern)), options: options), view)
      rows = 100_000
      #expect(throws: StorageError.self) { try text.evaluate(view, rows: &rows) }
      rows = 100_000
      #expect(throws: StorageError.self) { try text.matches(dog, view, rows: &rows) }
      rows = 1 << 30
      #expect(try text.evaluate(view, rows: &rows) == [])
    }
    let long = try query(.text(.path("name"), .like, .value(.string("*b")), options: []), view)
    rows = Self.count * 2_000 / 64
    #expect(throws: StorageError.self) { try long.evaluate(view, rows: &rows) }
  }
}
