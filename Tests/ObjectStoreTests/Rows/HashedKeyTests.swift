import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// Indexes of hashes: where an entry is among others, and values that share a hash.
@Suite struct HashedKeyTests {
  enum Shape: CaseIterable {
    case even, rising, repeated, ends

    func value(_ index: Int, _ random: inout SeededGenerator) -> Int64 {
      switch self {
      case .even: Int64.random(in: .min ... .max, using: &random)
      case .rising: Int64(1) << (index % 60)
      case .repeated: Int64(index % 3) << 40
      case .ends: index % 2 == 0 ? .min + Int64(index) : .max - Int64(index)
      }
    }
  }

  /// The search in a leaf begins where a value would be if all lay evenly, which they need not.
  @Test(arguments: Shape.allCases, [2, 31, 32, 33, 100, 256])
  func `entries of wide values are found however they lie`(_ shape: Shape, _ count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let pairs = (0..<count).map {
      IndexPair(shape.value($0, &random), Int64.random(in: 0..<1000, using: &random))
    }.sorted()
    let store = try ScratchStore()
    let writer = NodeWriter(source: store.source)
    let reference = try PairTree.encode(writer, replacing: .none, pairs)
    let leaf = PairLeaf(try writer.source.node(reference))
    for pair in pairs {
      for wanted in [
        pair, IndexPair(pair.value, .min), IndexPair(pair.value, .max),
        IndexPair(pair.value, pair.key + 1), IndexPair(pair.value &- 1, 500),
        IndexPair(pair.value &+ 1, 500),
      ] {
        let expected = pairs.firstIndex { !($0 < wanted) } ?? count
        #expect(leaf.lowerBound(wanted) == expected, "\(wanted)")
      }
    }
  }

  /// Two UUIDs with the same hash: with this tail most of what the head adds is lost.
  private func sameHash() throws -> (UUIDBytes, UUIDBytes) {
    var heads: [Int64: UInt64] = [:]
    var random = SeededGenerator(seed: 1)
    for _ in 0..<1 << 20 {
      let head = random.next()
      let value = UUIDBytes(head: head, tail: 0xE703_7ED1_A0B4_28DB)
      if let earlier = heads.updateValue(head, forKey: IndexValue.hash(value)) {
        return (UUIDBytes(head: earlier, tail: value.tail), value)
      }
    }
    throw NoneFound()
  }

  private struct NoneFound: Error {}

  @Test func `keys that share a hash are told apart`() throws {
    let table = TableKey(rawValue: 0)
    let (first, second) = try sameHash()
    let store = try ScratchStore()
    let made = try store.write { transaction -> ObjectKey in
      try transaction.apply(
        SchemaDescription(classes: [
          ClassDescription(
            name: "Row",
            properties: [PropertyDescription(name: "id", kind: .uuid, isPrimaryKey: true)])
        ]))
      return try transaction.createObject(in: table, primaryKey: .uuid(first)).key
    }
    let property = try #require(try store.schema.description.classes[0].primaryKey)
    func find(_ value: UUIDBytes) throws -> ObjectKey? {
      try store.table(table).find(primaryKey: .uuid(value), property)
    }
    #expect(try find(first) == made)
    #expect(try find(second) == nil)
    let other = try store.write { try $0.createObject(in: table, primaryKey: .uuid(second)).key }
    #expect(try find(first) == made)
    #expect(try find(second) == other)
  }
}
