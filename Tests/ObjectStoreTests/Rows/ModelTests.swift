import Foundation
import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

@Suite struct RowsModelTests {
  /// Small nodes, so that few objects make deep trees.
  static let limits = [
    TreeLimits(clusterRows: 8, innerChildren: 4, listElements: 4, pairEntries: 4),
    TreeLimits(clusterRows: 70, innerChildren: 5, listElements: 66, pairEntries: 6),
    TreeLimits.standard,
  ]

  @Test(arguments: [0, 1, 2]) func randomOperationsAgreeWithAModel(_ choice: Int) throws {
    let environment = ProcessInfo.processInfo.environment
    for _ in 0..<(environment["HOLDFAST_MODEL_RUNS"].flatMap(Int.init) ?? 1) {
      let seed =
        environment["HOLDFAST_MODEL_SEED"].flatMap(UInt64.init)
        ?? UInt64.random(in: 0...UInt64.max)
      print("rows model \(choice) seed \(seed)")
      try run(
        seed: seed, limits: RowsModelTests.limits[choice], objects: [40, 150, 300][choice],
        transactions: 60, operations: [40, 60, 60][choice])
    }
  }

  func run(
    seed: UInt64, limits: TreeLimits, objects: Int, transactions: Int, operations: Int
  ) throws {
    let store = try ScratchStore(limits: limits)
    try store.write { _ = try $0.apply(everything()) }
    var random = RowsOperations(
      generator: SeededGenerator(seed: seed),
      model: RowsModel(schema: try store.schema.description), objectsWanted: objects,
      listElementsWanted: limits.listElements * 3)
    var merged = ChangeSet()
    var first = random.model
    for number in 0..<transactions {
      let before = random.model
      let transaction = try store.begin()
      for _ in 0..<(1 + random.pick(operations)) {
        try random.step(transaction)
      }
      if random.pick(8) == 0 {
        random.model = before  // dropped without a commit
        continue
      }
      try random.model.expectEqual(transaction.table)
      let changes = try store.commit(transaction)
      try expectHistory(changes, from: before, to: random.model)
      merged.merge(changes)
      if number % 5 == 0 || number == transactions - 1 {
        try #require(StoreCheck.findings(root: store.root, in: store.source).isEmpty)
        try random.model.expectEqual(store.table)
        try expectHistory(merged, from: first, to: random.model)
        first = random.model
        merged = ChangeSet()
      }
    }
  }

  /// The history must name what differs, and list operations must lead from old to new.
  private func expectHistory(
    _ changes: ChangeSet, from old: RowsModel, to new: RowsModel
  ) throws {
    for index in old.tables.indices {
      let key = TableKey(rawValue: UInt32(index))
      let (before, after) = (old.tables[index], new.tables[index])
      guard let table = changes.changes(in: key) else {
        try #require(before == after)
        continue
      }
      let inserted = after.keys.filter { before[$0] == nil }.sorted()
      let deleted = before.keys.filter { after[$0] == nil }.sorted()
      try #require(Array(table.insertions) == inserted)
      try #require(Array(table.deletions) == deleted)
      for (object, was) in before {
        guard let now = after[object] else {
          try #require(!table.isModified(object))
          continue
        }
        for (column, content) in was where content != now[column] {
          try #require(table.isModified(object, column))
        }
        for column in table.modifiedColumns(of: object) {
          try expectList(table, object, column, was[column]!, now[column]!)
        }
      }
    }
  }

  private func expectList(
    _ table: TableChanges, _ object: ObjectKey, _ column: ColumnKey, _ was: RowsModel.Content,
    _ now: RowsModel.Content
  ) throws {
    guard case .list(let old) = was, case .list(let new) = now else { return }
    let change = try #require(table.listChange(of: object, column))
    guard case .operations(let operations) = change else { return }
    // An element of the old list by its value, one that was put in or replaced by nil.
    var elements: [StoredValue?] = old
    for operation in operations {
      switch operation {
      case .insert(let index, let count):
        elements.insert(contentsOf: Array(repeating: nil, count: count), at: index)
      case .remove(let index, let count): elements.removeSubrange(index..<(index + count))
      case .set(let index): elements[index] = nil
      case .move(let from, let to): elements.insert(elements.remove(at: from), at: to)
      case .swap(let left, let right): elements.swapAt(left, right)
      case .clear: elements = []
      }
    }
    try #require(elements.count == new.count)
    for (element, value) in zip(elements, new) where element != nil {
      try #require(element == value)
    }
  }
}
