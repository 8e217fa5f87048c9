import Testing

@testable import ObjectStore
@testable import Storage

/// What a scan asks the processor for before it gets there.
@Suite struct LookAheadTests {
  @Test func `a scan looks ahead to the second cluster that comes`() throws {
    let store = try ScratchStore()
    let table = TableKey(rawValue: 0)
    try store.write { objects in
      try objects.apply(
        SchemaDescription(classes: [ClassDescription(name: "Row", properties: [])], version: 0))
      for _ in 0..<TreeLimits.standard.clusterRows * 6 { _ = try objects.createObject(in: table) }
    }
    var keys: [Int64] = []
    var ahead: [Int64?] = []
    var clusters = try store.table(table).clusters()
    while let cluster = try clusters.next() {
      keys.append(cluster.baseKey)
      var second: Int64?
      clusters.lookAhead { second = $0.baseKey }
      ahead.append(second)
    }
    #expect(keys.count == 6)
    #expect(ahead == keys[2...].map { Optional($0) } + [nil, nil])
  }
}
