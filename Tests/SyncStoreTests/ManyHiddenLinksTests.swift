import ObjectStore
import SyncStoreLab
import Testing

@Suite("one object's links to such as are not in view") struct ManyHiddenLinksTests {
  /// An object with a collection of links to all others, which have a larger number.
  private func write(_ collection: String, _ count: Int, in device: StoreDevice) throws {
    try device.write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      let number = known.property(named: "number")!.columnKey
      let property = known.property(named: collection)!
      let table = known.tableKey
      let holder = try writes.createObject(in: table, primaryKey: 0).key
      try writes.setInt(1, number, of: holder, in: table)
      for key in 1...Int64(count) {
        let target = try writes.createObject(in: table, primaryKey: key).key
        try writes.setInt(2, number, of: target, in: table)
        let link = StoredValue.link(table, target)
        if collection == "parts" {
          let part = try writes.listInsertEmbedded(
            at: 0, property.columnKey, of: holder, in: table)
          let owner = writes.schema.description.description(of: "Part")!.property(named: "owner")!
          try writes.setLink(target, owner.columnKey, of: part, in: property.targetTable)
          continue
        }
        switch property.collection {
        case .map: try writes.mapSet(link, forKey: "k\(key)", property, of: holder, in: table)
        case .set: try writes.setInsert([link], property.columnKey, of: holder, in: table)
        default:
          // In no order.
          let index = Int(key &* 7919 % key)
          try writes.listInsert(link, at: index, property.columnKey, of: holder, in: table)
        }
      }
    }
  }

  private func change(_ query: String, on device: Int, _ network: inout StoreNetwork) throws {
    try network.devices[device].subscribe(to: query)
    try network.exchange(device, turns: 40)
  }

  /// What it takes for the others to come into view, and to leave it.
  private func passes(
    _ collection: String, _ count: Int
  ) throws -> (coming: Int, leaving: Int) {
    var network = try StoreNetwork(devices: 2)
    let (first, second) = (network.devices[0], network.devices[1])
    try write(collection, count, in: first)
    try network.exchange(0, turns: 40)
    try change("number < 2", on: 1, &network)
    let alone = try second.contents
    #expect(alone.split(separator: "\n").count == 1)
    var passed = [second.linksPassed]
    for _ in 0..<2 {
      try change("", on: 1, &network)
      #expect(try second.contents == first.contents)
      passed.append(second.linksPassed)
      try change("number < 2", on: 1, &network)
      #expect(try second.contents == alone)
      passed.append(second.linksPassed)
    }
    return (passed[1] - passed[0], passed[2] - passed[1])
  }

  @Test(
    "are gone through a few times when all of these come or leave, however many they are",
    arguments: ["friends", "circle", "roles", "anys", "parts"])
  func passed(_ collection: String) throws {
    let few = try passes(collection, 60)
    let many = try passes(collection, 240)
    #expect(many.coming <= 5 * few.coming && many.coming > 0)
    #expect(many.leaving <= 5 * few.leaving && many.leaving > 0)
  }
}
