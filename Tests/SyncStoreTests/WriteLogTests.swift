import ObjectStore
import Storage
import SyncStore
import SyncStoreLab
import Testing

@Suite("the log of a synced file") struct WriteLogTests {
  private func thing(_ transaction: ObjectTransaction) -> ClassDescription {
    transaction.schema.description.description(of: "Thing")!
  }

  private func create(_ key: Int64, in device: StoreDevice) throws {
    try device.write { try $0.createObject(in: thing($0).tableKey, primaryKey: key) }
  }

  private func set(
    _ value: Int64, _ property: String = "number", of key: Int64, in device: StoreDevice
  ) throws {
    try device.write { writes in
      let known = thing(writes)
      let row = try writes.table(known.tableKey).find(primaryKey: key, known.primaryKey!)!
      try writes.setInt(
        value, known.property(named: property)!.columnKey, of: row, in: known.tableKey)
    }
  }

  private func numbers(_ device: StoreDevice) throws -> [Int64] {
    try device.read { view in
      let known = view.schema.description(of: "Thing")!
      let table = try view.table(known.tableKey)!
      return try table.allKeys().map { key in
        try table.int(known.property(named: "number")!.columnKey, at: table.find(key)!)
      }
    }
  }

  private func hiddenObjects(_ device: StoreDevice) throws -> Int {
    try device.read { view in
      try view.table(view.schema.description(of: "sync.object")!.tableKey)!.count
    }
  }

  @Test("takes what sets properties and makes plain objects, and leaves the states alone")
  func takesPlainWrites() throws {
    let network = try StoreNetwork(devices: 1)
    let device = network.devices[0]
    try create(1, in: device)
    for value in Int64(1)...500 { try set(value, of: 1, in: device) }
    #expect(try hiddenObjects(device) == 0)
    #expect(try device.info.isDirty)
    #expect(try device.info.log == .medium)
  }

  @Test("is read before a commit that it cannot take")
  func readBeforeOthers() throws {
    let network = try StoreNetwork(devices: 1)
    let device = network.devices[0]
    try create(1, in: device)
    try create(2, in: device)
    try device.write { writes in
      let known = thing(writes)
      let row = try writes.table(known.tableKey).find(primaryKey: 1, known.primaryKey!)!
      try writes.deleteObject(row, in: known.tableKey)
    }
    // Of the one that the server has never heard of nothing is to be said.
    #expect(try hiddenObjects(device) == 1)
  }

  @Test("is read before the deletion of an object that it says was made and is linked to")
  func createdAndDeleted() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    for key in Int64(1)...2 { try create(key, in: device) }
    try device.write { writes in
      let known = thing(writes)
      let table = try writes.table(known.tableKey)
      let rows = try (Int64(1)...2).map { try table.find(primaryKey: $0, known.primaryKey!)! }
      try writes.setLink(
        rows[1], known.property(named: "friend")!.columnKey, of: rows[0], in: known.tableKey)
    }
    try device.write { writes in
      let known = thing(writes)
      let row = try writes.table(known.tableKey).find(primaryKey: 2, known.primaryKey!)!
      try writes.deleteObject(row, in: known.tableKey)
    }
    try network.settle()
    #expect(try numbers(network.devices[1]) == [0])
  }

  @Test("keeps all writes over many pages, and is read in steps")
  func manyPages() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    for key in Int64(0)..<1200 { try create(key, in: device) }
    for round in Int64(1)...4 {
      for key in Int64(0)..<1200 { try set(round * key, of: key, in: device) }
    }
    #expect(try device.digest())
    #expect(try hiddenObjects(device) < 1200)
    while try device.digest() {}
    #expect(try device.info.log == .short)
    #expect(try hiddenObjects(device) == 1200)
    try network.settle()
    #expect(try numbers(network.devices[1]) == (0..<1200).map { 4 * $0 })
    #expect(try !device.info.isDirty)
    #expect(try hiddenObjects(device) == 0)
  }

  @Test("says when a write was made: the later one wins, whichever is sent first")
  func laterWins() throws {
    var network = try StoreNetwork(devices: 2)
    let (one, two) = (network.devices[0], network.devices[1])
    try create(1, in: one)
    try network.settle()
    network.disconnect(0)
    network.disconnect(1)
    network.clock.now += 1000
    try set(1, of: 1, in: one)
    network.clock.now += 1000
    try set(2, of: 1, in: two)
    network.clock.now += 1000
    try network.exchange(1, turns: 40)
    try network.exchange(0, turns: 40)
    try network.settle()
    #expect(try numbers(one) == [2])
    #expect(try numbers(two) == [2])
  }

  @Test("goes on with the client's clock, whatever is read of it in between")
  func timesRise() throws {
    var network = try StoreNetwork(devices: 2)
    let (one, two) = (network.devices[0], network.devices[1])
    try create(1, in: one)
    network.clock.now += 50_000
    try set(1, of: 1, in: one)
    // The machine's clock is set back: later writes are later ones all the same.
    network.clock.now -= 50_000
    while try one.digest() {}
    try set(2, of: 1, in: one)
    try network.settle()
    try set(3, of: 1, in: one)
    try network.settle()
    #expect(try numbers(two) == [3])
  }
}
