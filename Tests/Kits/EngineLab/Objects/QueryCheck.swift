import ObjectStore
import TestSupport

/// Runs random queries on a version and on its model.
public enum QueryCheck {
  /// Throws `Disagreement` if any of `count` queries gives something else than on the model.
  public static func run(
    _ count: Int, _ model: StoreModel, _ view: StoreView, _ random: inout SeededGenerator
  ) throws {
    var generator = QueryGenerator(random: random, model: model)
    for _ in 0..<count {
      let description = generator.query()
      do { try compare(description, model, view, &generator) } catch {
        throw Disagreement("\(description): \(error)")
      }
    }
    random = generator.random
  }

  private static func compare(
    _ description: QueryDescription, _ model: StoreModel, _ view: StoreView,
    _ generator: inout QueryGenerator
  ) throws {
    let query = try CompiledQuery(description, schema: view.schema)
    let expected = model.evaluate(description)
    let found = Array(try query.evaluate(view))
    try require(found == expected, "\(keys(found)) found, \(keys(expected)) expected")
    let count = try query.count(view)
    try require(count == expected.count, "counted \(count)")
    try require(try query.first(view) == expected.first, "another first object")
    let results = try QueryResults(query, view)
    try require(results.count == expected.count, "results of \(results.count) objects")
    for (index, key) in expected.enumerated().prefix(3) {
      try require(try results.key(at: index, view) == key, "result \(index)")
    }
    guard let path = generator.scalarPath(query.table, where: QueryGenerator.isSummable) else {
      return
    }
    for operation in [AggregateOperation.minimum, .maximum, .sum, .average] {
      let column = try AggregateColumn(
        path, of: query.table, for: operation, schema: view.schema)
      let value = try query.aggregate(operation, column, view)
      let values = expected.map { model.values(path.steps[...], $0, in: query.table)[0] }
      let wanted = StoreModel.aggregate(
        operation, values, model.kind(of: path.steps[...], in: query.table))
      try require(
        value == wanted, "\(operation) of \(path.description) is \(value), not \(wanted)")
    }
  }

  static func keys(_ keys: [ObjectKey]) -> String {
    "\(keys.prefix(20).map(\.rawValue))\(keys.count > 20 ? "..." : "")"
  }
}

/// Results that are carried on from version to version.
struct WatchedResults {
  private let description: QueryDescription
  private let scope: ChangeScope
  private var results: QueryResults
  private var keys: [ObjectKey]

  init(_ description: QueryDescription, _ model: StoreModel, _ view: StoreView) throws {
    self.description = description
    let query = try CompiledQuery(description, schema: view.schema)
    scope = ChangeScope(elementsOf: query.table, schema: view.schema)
    results = try QueryResults(query, view)
    keys = model.evaluate(description)
  }

  /// Throws `Disagreement` unless the change set leads from the old results to the new ones.
  mutating func advance(
    from old: StoreView, to new: StoreView, _ changes: ChangeSet, _ model: StoreModel
  ) throws {
    let expected = model.evaluate(description)
    let (results, told) = try results.advanced(from: old, to: new, changes, scope)
    let found = try (0..<results.count).map { try results.key(at: $0, new) }
    try require(
      found == expected,
      "\(description) advanced to \(QueryCheck.keys(found)), not \(QueryCheck.keys(expected))")
    var applied = keys
    for index in told.deletions.reversed() {
      try require(applied.indices.contains(index), "\(description): deletion at \(index)")
      applied.remove(at: index)
    }
    for index in told.insertions {
      try require(index <= applied.count, "\(description): insertion at \(index)")
      applied.insert(expected[index], at: index)
    }
    try require(applied == expected, "\(description): the change set leads elsewhere")
    try require(
      told.modificationsOld.map { keys[$0] } == told.modificationsNew.map { expected[$0] },
      "\(description): modifications name different objects")
    self.results = results
    keys = expected
  }
}
