import ObjectStore
import Storage
import SyncStore
import SyncStoreLab
import Testing

@Suite("what the log of a synced file takes") struct LoggedKindsTests {
  /// A commit of one kind, to an object that has something in every collection.
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let write: @Sendable (Thing) throws -> Void

    var testDescription: String { name }
  }

  /// An object of the class `Thing` in a transaction.
  struct Thing {
    let writes: ObjectTransaction
    let row: ObjectKey

    init(_ writes: ObjectTransaction, key: Int64 = 1) throws {
      self.writes = writes
      let known = writes.schema.description.description(of: "Thing")!
      row = try writes.table(known.tableKey).find(primaryKey: key, known.primaryKey!)!
    }

    private var known: ClassDescription { writes.schema.description.description(of: "Thing")! }
    var part: ClassDescription { writes.schema.description.description(of: "Part")! }
    var table: TableKey { known.tableKey }

    func property(_ name: String) -> PropertyDescription { known.property(named: name)! }
    func column(_ name: String) -> ColumnKey { property(name).columnKey }

    func append(_ value: StoredValue, to name: String) throws {
      let end = try writes.list(column(name), of: row, in: table).count
      try writes.listInsert(value, at: end, column(name), of: row, in: table)
    }

    func insert(_ value: StoredValue, into name: String) throws {
      try writes.setInsert([value], column(name), of: row, in: table)
    }

    func embedded(_ name: String) throws -> ObjectKey {
      let stored = try writes.table(table)
      return try stored.link(column(name), at: try stored.find(row)!)!
    }
  }

  static let kinds: [Kind] = [
    Kind(name: "a value of any kind") { thing in
      try thing.writes.set(.string("b"), thing.column("any"), of: thing.row, in: thing.table)
    },
    Kind(name: "an element at the end of a list") { try $0.append(.int(9), to: "numbers") },
    Kind(name: "an element that is replaced") { thing in
      try thing.writes.listSet(
        .int(8), at: 1, thing.column("numbers"), of: thing.row, in: thing.table)
    },
    Kind(name: "elements that are moved, swapped and removed") { thing in
      let column = thing.column("numbers")
      try thing.writes.listMove(from: 0, to: 2, column, of: thing.row, in: thing.table)
      try thing.writes.listSwap(0, 3, column, of: thing.row, in: thing.table)
      try thing.writes.listRemove(1..<2, column, of: thing.row, in: thing.table)
    },
    Kind(name: "a list that is cleared and filled") { thing in
      try thing.writes.listClear(thing.column("numbers"), of: thing.row, in: thing.table)
      try thing.append(.int(7), to: "numbers")
    },
    Kind(name: "a link in a list") { try $0.append(.link($0.table, $0.row), to: "friends") },
    Kind(name: "a value of any kind in a list") { try $0.append(.bool(true), to: "anys") },
    Kind(name: "a member of a set") { try $0.insert(.string("new"), into: "words") },
    Kind(name: "a member that is taken out") { thing in
      try thing.writes.setRemove(
        [.string("old")], thing.column("words"), of: thing.row, in: thing.table)
    },
    Kind(name: "a link in a set") { try $0.insert(.link($0.table, $0.row), into: "circle") },
    Kind(name: "a new key of a map") { thing in
      try thing.writes.mapSet(
        .int(5), forKey: "new", thing.property("counts"), of: thing.row, in: thing.table)
    },
    Kind(name: "a key that gets another value") { thing in
      try thing.writes.mapSet(
        .int(5), forKey: "old", thing.property("counts"), of: thing.row, in: thing.table)
    },
    Kind(name: "a key that is taken out") { thing in
      try thing.writes.mapRemove("old", thing.property("counts"), of: thing.row, in: thing.table)
    },
    Kind(name: "a property of an embedded object") { thing in
      try thing.writes.setInt(
        6, thing.part.property(named: "count")!.columnKey, of: thing.embedded("part"),
        in: thing.part.tableKey)
    },
    Kind(name: "a list of an embedded object") { thing in
      try thing.writes.listInsert(
        .string("tag"), at: 0, thing.part.property(named: "tags")!.columnKey,
        of: thing.embedded("part"), in: thing.part.tableKey)
    },
  ]

  /// Two devices that have the same object, with nothing left to send.
  private func network() throws -> StoreNetwork {
    var network = try StoreNetwork(devices: 2)
    try network.devices[0].write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      _ = try writes.createObject(in: known.tableKey, primaryKey: Int64(1))
      let thing = try Thing(writes)
      for number in Int64(0)..<4 { try thing.append(.int(number), to: "numbers") }
      try thing.append(.int(1), to: "anys")
      try thing.insert(.string("old"), into: "words")
      try writes.mapSet(
        .int(1), forKey: "old", thing.property("counts"), of: thing.row, in: thing.table)
      try writes.set(.int(1), thing.column("any"), of: thing.row, in: thing.table)
      _ = try writes.createEmbedded(thing.column("part"), of: thing.row, in: thing.table)
    }
    try network.settle()
    return network
  }

  private func texts(_ network: StoreNetwork) throws -> [String] {
    try network.devices.map { try $0.contents }
  }

  @Test("is all that leaves the states alone, and reaches other devices", arguments: kinds)
  func taken(kind: Kind) throws {
    var network = try network()
    let before = try texts(network)
    #expect(before[0] == before[1])
    try network.devices[0].write { try kind.write(try Thing($0)) }
    let info = try network.devices[0].info
    #expect(info.isDirty && info.dirtyObjects == 0, "it is in the log")
    try network.settle()
    let after = try texts(network)
    #expect(after[0] != before[0])
    #expect(after[0] == after[1])
    #expect(try !network.devices[0].info.isDirty)
  }

  @Test("comes together with what another device did meanwhile", arguments: kinds)
  func merged(kind: Kind) throws {
    var network = try network()
    network.disconnect(0)
    network.disconnect(1)
    for device in network.devices {
      network.clock.now += 10
      try device.write { try kind.write(try Thing($0)) }
      try device.write { try Thing($0).append(.int(42), to: "numbers") }
    }
    try network.settle()
    let after = try texts(network)
    #expect(after[0] == after[1])
  }

  @Test("is nothing of which there is too much to do at once")
  func tooMuch() throws {
    var network = try network()
    try network.devices[0].write { writes in
      for number in Int64(0)..<200 { try Thing(writes).append(.int(number), to: "numbers") }
    }
    #expect(try network.devices[0].info.dirtyObjects == 1)
    try network.settle()
    let after = try texts(network)
    #expect(after[0] == after[1])
  }
}
