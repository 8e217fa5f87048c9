import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// Deleting many objects of clusters that have gaps already.
@Suite struct RangeDeletionTests {
  private let table = TableKey(rawValue: 0)
  private let number = ColumnKey(rawValue: 0)

  private func store(_ count: Int) throws -> (store: ScratchStore, keys: [ObjectKey]) {
    let store = try ScratchStore()
    let keys = try store.write { transaction -> [ObjectKey] in
      try transaction.apply(
        SchemaDescription(classes: [
          ClassDescription(
            name: "Row",
            properties: [PropertyDescription(name: "number", kind: .int, isIndexed: true)])
        ]))
      return try (0..<count).map { index in
        let key = try transaction.createObject(in: table)
        try transaction.setInt(Int64(index), number, of: key, in: table)
        return key
      }
    }
    return (store, keys)
  }

  /// Keys come in any order, some twice, and some of objects that are gone.
  @Test(arguments: 0..<6) func `what is left after several deletions is what was not named`(
    _ seed: Int
  ) throws {
    let count = 1500
    let (store, keys) = try store(count)
    var random = SeededGenerator(seed: UInt64(seed))
    var left = Set(keys)
    for round in 0..<4 {
      let start = Int.random(in: 0..<count, using: &random)
      let range = keys[start..<min(count, start + 500)]
      var gone = round == 0 ? keys.filter { $0.rawValue % 3 == 1 } : Array(range)
      gone += (0..<50).map { _ in keys[Int.random(in: 0..<count, using: &random)] }
      gone.append(ObjectKey(rawValue: Int64(count + 7)))
      gone.shuffle(using: &random)
      try store.write { try $0.deleteObjects(gone, in: table) }
      store.expectSound()
      left.subtract(gone)
      let found = try store.table(table).allKeys()
      #expect(Array(found) == left.sorted())
    }
  }
}
