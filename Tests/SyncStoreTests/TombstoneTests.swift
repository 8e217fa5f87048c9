import ObjectStore
import SyncStoreLab
import Testing

@Suite("what the server has forgotten") struct TombstoneTests {
  /// Makes objects with a list, of each of which the file keeps a state.
  private func create(_ keys: Range<Int64>, in device: StoreDevice) throws {
    try device.write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      let numbers = known.property(named: "numbers")!.columnKey
      for key in keys {
        let row = try writes.createObject(in: known.tableKey, primaryKey: key).key
        try writes.listInsert(contentsOf: [.int(key)], at: 0, numbers, of: row, in: known.tableKey)
      }
    }
  }

  private func delete(_ key: Int64, in device: StoreDevice) throws {
    try device.write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      let row = try writes.table(known.tableKey).find(primaryKey: key, known.primaryKey!)!
      try writes.deleteObject(row, in: known.tableKey)
    }
  }

  @Test("is forgotten by a device without a look at what is known of all other objects")
  func forgetsOnlyTombstones() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    try create(0..<200, in: device)
    try network.settle()
    #expect(try device.statesKept == 200)
    try delete(7, in: device)
    try network.settle()
    #expect(try device.statesKept == 200)
    try network.trim()
    let before = device.statesRead
    try create(200..<201, in: network.devices[1])
    try network.settle()
    #expect(try device.statesKept == 200)
    #expect(device.statesRead - before < 10)
  }
}
