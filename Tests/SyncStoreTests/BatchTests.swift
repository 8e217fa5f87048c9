import ObjectStore
import Storage
import SyncStoreLab
import Testing

@Suite("what was written while there was no connection") struct BatchTests {
  private func write(_ keys: Range<Int64>, text: String, in device: StoreDevice) throws {
    try device.write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      for key in keys {
        let row = try writes.createObject(in: known.tableKey, primaryKey: key).key
        try writes.setString(
          text, known.property(named: "text")!.columnKey, of: row, in: known.tableKey)
      }
    }
  }

  private func set(_ text: String, of keys: ClosedRange<Int64>, in device: StoreDevice) throws {
    try device.write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      for key in keys {
        let row = try writes.table(known.tableKey).find(primaryKey: key, known.primaryKey!)!
        try writes.setString(
          text, known.property(named: "text")!.columnKey, of: row, in: known.tableKey)
      }
    }
  }

  private func texts(of keys: ClosedRange<Int64>, on device: StoreDevice) throws -> [String] {
    try device.read { view in
      let known = view.schema.description(of: "Thing")!
      let table = try view.table(known.tableKey)!
      return try keys.map { key in
        let row = try table.find(primaryKey: key, known.primaryKey!)!
        return try table.string(known.property(named: "text")!.columnKey, at: table.find(row)!)
      }
    }
  }

  private func count(_ device: StoreDevice) throws -> Int {
    try device.read { view in
      try view.table(view.schema.description(of: "Thing")!.tableKey)!.count
    }
  }

  /// How many objects another device sees after each step, until it sees all.
  private func arrivals(
    _ network: inout StoreNetwork, all: Int, turns: Int = 2000
  ) throws -> Set<Int> {
    var counts: Set<Int> = []
    for _ in 0..<turns {
      try network.exchange(0, turns: 1)
      try network.exchange(1, turns: 1)
      let count = try count(network.devices[1])
      counts.insert(count)
      if count == all { break }
    }
    return counts
  }

  @Test("reaches the server in batches that end where commits do")
  func endsWithCommits() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    device.setBatchBytes(wanted: 4000)
    let text = String(repeating: "x", count: 200)
    for commit in Int64(0)..<30 {
      try write(commit * 7..<(commit + 1) * 7, text: text, in: device)
    }
    let counts = try arrivals(&network, all: 210)
    #expect(counts.count > 5)
    #expect(counts.allSatisfy { $0 % 7 == 0 } && counts.contains(210))
    try network.settle()
    #expect(try !device.info.isDirty)
  }

  @Test("is read once for a batch, with all that was written of an object")
  func readOnce() throws {
    let network = try StoreNetwork(devices: 1)
    let device = network.devices[0]
    for key in Int64(0)..<20 { try write(key..<key + 1, text: "a text", in: device) }
    while try device.digest() {}
    let before = device.statesRead
    #expect(try device.makeBatch() == 20)
    #expect(device.statesRead - before == 20)
  }

  @Test("goes in one batch where a later commit has written over an earlier one")
  func overwritten() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    device.setBatchBytes(wanted: 1000)
    let text = String(repeating: "x", count: 200)
    try write(0..<2, text: text, in: device)
    for key in Int64(2)..<20 { try write(key..<key + 1, text: text, in: device) }
    // What the first commit wrote is not to be had any more without the last one.
    try write(0..<1, text: "last", in: device)
    let counts = try arrivals(&network, all: 20)
    #expect(counts == [0, 20])
  }

  @Test("goes in one batch where the property that an earlier commit had set was set again")
  func overwrittenProperty() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    let text = String(repeating: "x", count: 200)
    try write(0..<20, text: "", in: device)
    try network.settle()
    device.setBatchBytes(wanted: 1000)
    try set("first", of: 0...1, in: device)
    for key in Int64(2)..<20 { try set(text, of: key...key, in: device) }
    try set("last", of: 0...0, in: device)
    var seen: Set<[String]> = []
    for _ in 0..<2000 where !seen.contains(["last", "first"]) {
      try network.exchange(0, turns: 1)
      try network.exchange(1, turns: 1)
      seen.insert(try texts(of: 0...1, on: network.devices[1]))
    }
    #expect(seen == [["", ""], ["last", "first"]])
  }

  @Test("is cut anywhere if it is one commit that is larger than a batch can be")
  func largeCommit() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    device.setBatchBytes(wanted: 1000, full: 10_000)
    try write(0..<300, text: String(repeating: "x", count: 200), in: device)
    let counts = try arrivals(&network, all: 300)
    #expect(counts.count > 5 && counts.contains(300))
    try network.settle()
    #expect(try !device.info.isDirty)
  }

  @Test("waits where it is too much of one object, and nothing waits for that")
  func largeObject() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    device.setBatchBytes(wanted: 1000, full: 10_000, change: 3000)
    for (key, length) in [(Int64(0), 200), (1, 5000), (2, 2000), (3, 2000), (4, 200)] {
      try write(key..<key + 1, text: String(repeating: "x", count: length), in: device)
    }
    _ = try arrivals(&network, all: 4, turns: 50)
    #expect(try count(network.devices[1]) == 4)
    #expect(try device.tooLargeCount == 1 && device.info.isDirty)
    // Others go on, and so does this one when it has become smaller.
    try write(5..<6, text: "later", in: device)
    try write(1..<2, text: "short", in: device)
    try network.settle()
    #expect(try count(network.devices[1]) == 6)
    #expect(try device.tooLargeCount == 0 && !device.info.isDirty)
  }

  @Test("is acknowledged in parts: what is written meanwhile stays dirty")
  func writtenMeanwhile() throws {
    var network = try StoreNetwork(devices: 2)
    let device = network.devices[0]
    device.setBatchBytes(wanted: 1000)
    for key in Int64(0)..<40 {
      try write(key..<key + 1, text: String(repeating: "x", count: 100), in: device)
    }
    for round in 0..<60 {
      try network.exchange(0, turns: 3)
      try write(Int64(round % 40)..<Int64(round % 40 + 1), text: "new \(round)", in: device)
    }
    try network.settle()
    try network.settle()
    #expect(try !device.info.isDirty)
    #expect(try count(network.devices[1]) == 40)
    let texts = try network.devices.map { device in
      try device.read { view in
        let known = view.schema.description(of: "Thing")!
        let table = try view.table(known.tableKey)!
        return try table.allKeys().map {
          try table.string(known.property(named: "text")!.columnKey, at: table.find($0)!)
        }.sorted()
      }
    }
    #expect(texts[0] == texts[1])
  }
}
