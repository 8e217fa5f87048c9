import Testing

@testable import ObjectStore
@testable import Storage

/// What a scan asks the processor for before it gets there.
@Suite struct LookAheadTests {
  private let table = TableKey(rawValue: 0)

  /// The first keys of eight clusters as a scan comes to them, and of those that it looks ahead to.
  private func scan(
    of properties: [PropertyDescription],
    filling fill: (ObjectTransaction, ObjectKey) throws -> Void
  ) throws -> (keys: [Int64], ahead: [Int64?]) {
    let store = try ScratchStore()
    try store.write { objects in
      try objects.apply(
        SchemaDescription(
          classes: [ClassDescription(name: "Row", properties: properties)], version: 0))
      for _ in 0..<TreeLimits.standard.clusterRows * 8 {
        try fill(objects, try objects.createObject(in: table))
      }
    }
    var keys: [Int64] = []
    var ahead: [Int64?] = []
    var clusters = try store.table(table).clusters()
    while let cluster = try clusters.next() {
      keys.append(cluster.baseKey)
      var fourth: Int64?
      clusters.lookAhead { fourth = $0.baseKey }
      ahead.append(fourth)
    }
    return (keys, ahead)
  }

  @Test func `a scan looks ahead to the fourth cluster that comes`() throws {
    let score = PropertyDescription(name: "score", kind: .double)
    let (keys, ahead) = try scan(of: [score]) { objects, object in
      try objects.setDouble(0.5, ColumnKey(rawValue: 0), of: object, in: table)
    }
    #expect(keys.count == 8)
    #expect(ahead == keys[4...].map { Optional($0) } + [nil, nil, nil, nil])
  }

  @Test func `clusters side by side are not asked for`() throws {
    let (keys, ahead) = try scan(of: []) { _, _ in }
    #expect(keys.count == 8)
    #expect(ahead == Array(repeating: nil, count: 8))
  }
}
