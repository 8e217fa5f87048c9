import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// Deleted objects leave the lists that hold them, however many go at once.
@Suite struct ListSweepTests {
  private let holder = TableKey(rawValue: 0)
  private let item = TableKey(rawValue: 1)
  private let items = ColumnKey(rawValue: 0)
  private let mixed = ColumnKey(rawValue: 1)

  private func schema() -> SchemaDescription {
    SchemaDescription(classes: [
      ClassDescription(
        name: "Holder",
        properties: [
          PropertyDescription(
            name: "items", kind: .object, collection: .list, linkTarget: "Item"),
          PropertyDescription(name: "mixed", kind: .any, collection: .list, isOptional: true),
        ]),
      ClassDescription(
        name: "Item", properties: [PropertyDescription(name: "number", kind: .int)]),
    ])
  }

  /// A store with `count` items, and a holder whose lists hold those at `places`.
  private func store(
    _ count: Int, _ places: [Int], _ limits: TreeLimits
  ) throws -> (store: ScratchStore, holder: ObjectKey, items: [ObjectKey]) {
    let store = try ScratchStore(limits: limits)
    return try store.write { transaction in
      try transaction.apply(schema())
      let owner = try transaction.createObject(in: holder)
      let keys = try (0..<count).map { _ in try transaction.createObject(in: item) }
      for column in [items, mixed] {
        try transaction.listInsert(
          contentsOf: places.map { .link(item, keys[$0]) }, at: 0, column, of: owner, in: holder)
      }
      return (store, owner, keys)
    }
  }

  private func values(
    _ store: ScratchStore, _ column: ColumnKey, _ owner: ObjectKey
  ) throws -> [StoredValue] {
    let table = try store.table(holder)
    let position = try #require(try table.find(owner))
    let list = try ListView(
      root: table.listRoot(column, at: position), kind: column == items ? .object : .any,
      isOptional: column == mixed, target: item, in: store.source)
    return try (0..<list.count).map { try list.value(at: $0) }
  }

  private static let limits = [
    TreeLimits(clusterRows: 7, innerChildren: 4, listElements: 4, pairEntries: 4),
    TreeLimits.standard,
  ]

  /// Objects that stand in a list up to three times go: scattered, in runs over several leaves, all
  /// of them, one alone. The lists keep the rest in order, and the history says what has gone.
  @Test(arguments: 0..<2, 0..<6) func `deleted objects leave lists that hold them repeatedly`(
    _ limits: Int, _ pattern: Int
  ) throws {
    let count = 600
    var random = SeededGenerator(seed: UInt64(pattern))
    var places = (0..<count).flatMap { Array(repeating: $0, count: 1 + $0 % 3) }
    if pattern % 2 == 0 { places.shuffle(using: &random) }
    let (store, owner, keys) = try store(count, places, Self.limits[limits])
    let gone: [Int] =
      switch pattern {
      case 0: (0..<count).filter { $0 % 7 == 3 }
      case 1: Array(100..<400)
      case 2: [17]
      case 3: [17, 18, 400]
      case 4: Array(0..<count)
      default: (0..<count).filter { $0 % 2 == 0 } + Array(555..<count)
      }
    let transaction = try store.begin()
    if pattern == 2 {
      try transaction.deleteObject(keys[17], in: item)
    } else {
      try transaction.deleteObjects(gone.map { keys[$0] }, in: item)
    }
    let history = try store.commit(transaction)
    store.expectSound()
    let lost = Set(gone)
    let left = places.filter { !lost.contains($0) }
    let objects = try values(store, items, owner)
    #expect(objects == left.map { .link(item, keys[$0]) })
    let any = try values(store, mixed, owner)
    #expect(any == places.map { lost.contains($0) ? .null : .link(item, keys[$0]) })
    let listed = try replayed(history, places, owner)
    #expect(listed == left)
    let deleted = history.changes(in: item)?.deletions
    #expect(deleted.map(Array.init) == lost.sorted().map { keys[$0] })
  }

  /// The list of `places` after what the history says of it.
  private func replayed(
    _ history: ChangeSet, _ places: [Int], _ owner: ObjectKey
  ) throws -> [Int] {
    let entry = history.changes(in: holder)?.lists.first { $0.column == items }
    guard let entry, entry.object == owner else { return places }
    guard case .operations(let operations) = entry.change else {
      // Too much happened to be told one by one; then it is compared.
      return try #require(nil as [Int]?)
    }
    var list = places
    for operation in operations {
      guard case .remove(let index, let count) = operation else { continue }
      list.removeSubrange(index..<index + count)
    }
    return list
  }

  /// An index of a list is where its last element is looked for, so a list that is left empty is
  /// gone.
  @Test func `a list whose objects are all deleted is empty and can be filled again`() throws {
    let (store, owner, keys) = try store(40, Array(0..<40), Self.limits[0])
    try store.write { try $0.deleteObjects(keys, in: item) }
    let emptied = try values(store, items, owner)
    #expect(emptied == [])
    try store.write { transaction in
      let key = try transaction.createObject(in: item)
      try transaction.listInsert(.link(item, key), at: 0, items, of: owner, in: holder)
    }
    let refilled = try values(store, items, owner)
    #expect(refilled.count == 1)
    store.expectSound()
  }
}
