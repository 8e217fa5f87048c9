import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

@Suite struct TableHistoryTests {
  @Test func `a history that deletes more objects than there were is refused`() throws {
    let store = try ScratchStore(length: 1 << 26)
    try store.write { try $0.apply(Kennel.schema) }
    func commit(_ body: (ObjectTransaction) throws -> Void) throws -> ChangeSet {
      let transaction = try store.begin()
      try body(transaction)
      return try store.commit(transaction)
    }
    _ = try commit { transaction in
      for id in 0..<10 { _ = try transaction.createObject(in: Kennel.dog, primaryKey: Int64(id)) }
    }
    _ = try commit { transaction in
      for key in 1..<10 {
        try transaction.deleteObject(ObjectKey(rawValue: Int64(key)), in: Kennel.dog)
      }
    }
    let old = try store.view
    var changes = try commit { transaction in
      try transaction.deleteObject(ObjectKey(rawValue: 0), in: Kennel.dog)
    }
    let new = try store.view
    try changes.check(against: new.root, in: new.source, from: (old.root, old.source))
    // As a damaged file may have it: all of these keys were given to objects, but long before.
    changes.tables[0].deletions = KeySet(ranges: [0..<10])
    #expect(throws: StorageError.self) {
      try changes.check(against: new.root, in: new.source, from: (old.root, old.source))
    }
  }

  /// More than are kept one by one.
  @Test func `many modifications are told as those of each object once`() {
    var random = SeededGenerator(seed: 11)
    var history = TableHistory()
    history.firstNew = 90_000
    var expected: [UInt32: Set<Int64>] = [:]
    for number in 0..<400_000 {
      // Every object in one column, some in two others, some that the transaction made.
      let column = UInt32(number % 4 == 0 ? 7 : 1 + random.below(2))
      let object = Int64(column == 7 ? number / 4 % 100_000 : random.below(100_000))
      history.modified(object, column)
      if object < 90_000 { expected[column, default: []].insert(object) }
    }
    for object in [Int64(5), 6, 70_000] {
      history.deleted(object)
      for column in expected.keys { expected[column]?.remove(object) }
    }
    let changes = history.changes(table: TableKey(rawValue: 0), nextKey: 95_000)
    #expect(changes.modifications.map(\.column.rawValue) == [1, 2, 7])
    for (column, objects) in changes.modifications {
      #expect(objects.map(\.rawValue) == expected[column.rawValue]!.sorted())
    }
    #expect(changes.deletions.map(\.rawValue) == [5, 6, 70_000])
    #expect(changes.insertions.count == 5000)
  }

  @Test func `a column whose objects are all gone is not told`() {
    var history = TableHistory()
    history.firstNew = 10
    history.modified(3, 1)
    history.modified(4, 2)
    history.deleted(3)
    let changes = history.changes(table: TableKey(rawValue: 0), nextKey: 10)
    #expect(changes.modifications.map(\.column.rawValue) == [2])
  }
}
