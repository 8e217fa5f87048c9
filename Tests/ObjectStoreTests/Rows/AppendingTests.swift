import Testing

@testable import ObjectStore
@testable import Storage

/// Transactions that add a few objects each: none writes a long cluster anew for them, and the
/// clusters are full in the end.
@Suite struct AppendingTests {
  private let table = TableKey(rawValue: 0)
  private let number = ColumnKey(rawValue: 0)
  private let clusterRows = TreeLimits.standard.clusterRows

  private func makeStore(_ limits: TreeLimits = .standard) throws -> ScratchStore {
    let store = try ScratchStore(limits: limits)
    let entry = ClassDescription(
      name: "Entry", properties: [PropertyDescription(name: "number", kind: .int)])
    try store.write { try $0.apply(SchemaDescription(classes: [entry], version: 0)) }
    return store
  }

  private func add(_ numbers: Range<Int>, to store: ScratchStore) throws {
    try store.write { objects in
      for value in numbers {
        let key = try objects.createObject(in: table)
        try objects.setInt(Int64(value), number, of: key, in: table)
      }
    }
  }

  private func clusterCounts(_ store: ScratchStore) throws -> [Int] {
    var counts: [Int] = []
    var clusters = try store.table(table).clusters()
    while let cluster = try clusters.next() { counts.append(cluster.count) }
    return counts
  }

  private func expectAll(_ count: Int, in store: ScratchStore) throws {
    let found = try store.table(table)
    #expect(try found.allKeys().count == count)
    for value in 0..<count {
      let position = try found.position(at: value)
      guard try found.int(number, at: position) == Int64(value) else {
        Issue.record("object \(value) has another number")
        return
      }
    }
    store.expectSound()
  }

  @Test func `single objects go into a short last cluster, and full ones come of them`() throws {
    let store = try makeStore()
    var longest = 0
    for value in 0..<1500 {
      try add(value..<value + 1, to: store)
      longest = max(longest, try clusterCounts(store).last ?? 0)
    }
    #expect(longest <= clusterRows / 4)
    let counts = try clusterCounts(store)
    #expect(counts.prefix(1500 / clusterRows - 1).allSatisfy { $0 == clusterRows }, "\(counts)")
    try expectAll(1500, in: store)
  }

  @Test(arguments: [2, 7, 50, 64, 90, 100, 130, 200, 300])
  func `clusters are at least two thirds full after commits of some objects`(
    step: Int
  ) throws {
    let store = try makeStore()
    let total = step * (6000 / step)
    for start in stride(from: 0, to: total, by: step) { try add(start..<start + step, to: store) }
    let counts = try clusterCounts(store)
    // The last few are yet to be joined.
    #expect(counts.count <= total * 3 / (clusterRows * 2) + 4, "\(counts)")
    try expectAll(total, in: store)
  }

  @Test func `one large transaction after a short cluster fills clusters`() throws {
    let store = try makeStore()
    for start in [0, 30, 60] { try add(start..<start + 30, to: store) }
    try add(90..<5000, to: store)
    #expect(try clusterCounts(store).count <= 5000 / clusterRows + 3)
    try expectAll(5000, in: store)
  }

  @Test func `clusters are joined across all levels of a deep tree`() throws {
    let small = TreeLimits(clusterRows: 8, innerChildren: 4, listElements: 8, pairEntries: 8)
    let store = try makeStore(small)
    for value in 0..<700 { try add(value..<value + 1, to: store) }
    let counts = try clusterCounts(store)
    // A cluster is not joined with one below another inner node.
    #expect(counts.count <= 700 / 8 * 3 / 2, "\(counts)")
    try expectAll(700, in: store)
  }
}
