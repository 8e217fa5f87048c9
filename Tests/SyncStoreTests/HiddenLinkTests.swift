import ObjectStore
import Storage
import SyncStore
import SyncStoreLab
import Testing

/// Links to what is not there read as null, or are missing. What a program writes in their place
/// is a write for all that.
@Suite("a link to what is not there") struct HiddenLinkTests {
  typealias Thing = LoggedKindsTests.Thing

  /// What a program does to an object.
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    /// Makes links to another object.
    let link: @Sendable (Thing, StoredValue) throws -> Void
    /// Writes in their place once they lead to nothing.
    let write: @Sendable (Thing) throws -> Void

    var testDescription: String { name }
  }

  static let kinds: [Kind] = [
    Kind(name: "stays away when two keys of a map are written") { thing, target in
      try thing.set(target, for: "a")
      try thing.set(thing.itself, for: "b")
    } write: { thing in
      try thing.set(.null, for: "a")
      try thing.set(thing.itself, for: "c")
    },
    Kind(name: "stays away when a map is cleared, and has the key again") { thing, target in
      try thing.set(target, for: "a")
      try thing.set(thing.itself, for: "b")
    } write: { thing in
      try thing.writes.mapClear(thing.property("roles"), of: thing.row, in: thing.table)
      try thing.set(.null, for: "a")
      try thing.set(thing.itself, for: "c")
    },
    Kind(name: "stays away when two keys of a map in a value are written") { thing, target in
      try thing.setAny(try thing.nested(["a": target, "b": .int(1)]))
    } write: { thing in
      let map = try thing.any()
      try thing.set(.null, for: "a", in: map)
      try thing.set(.int(2), for: "b", in: map)
    },
    Kind(name: "stays away when an element of a list in a value is written") { thing, target in
      let map = try thing.nested(["a": .int(2)])
      try thing.setAny(try thing.nested([target, .int(1), map]))
    } write: { thing in
      let (table, row, column) = try thing.list(try thing.any())
      try thing.writes.listSet(.null, at: 0, column, of: row, in: table)
    },
    Kind(name: "stays away when an element beside a list is written") { thing, target in
      try thing.append(target, to: "anys")
      try thing.append(try thing.nested([.int(1)]), to: "anys")
    } write: { thing in
      try thing.writes.listSet(.null, at: 0, thing.column("anys"), of: thing.row, in: thing.table)
      try thing.setAny(try thing.nested([.int(1)]))
    },
    Kind(name: "goes with its element, and not with one that is null as well") { thing, target in
      try thing.append(target, to: "anys")
      try thing.append(.null, to: "anys")
      try thing.append(try thing.nested([.int(1)]), to: "anys")
    } write: { thing in
      try thing.writes.listRemove(0..<1, thing.column("anys"), of: thing.row, in: thing.table)
      try thing.setAny(try thing.nested([.int(1)]))
    },
    Kind(name: "goes with its element when others are moved, replaced and put in") {
      thing, target in
      for value in [.int(1), target, .null, try thing.nested([.int(2)]), .int(3)] {
        try thing.append(value, to: "anys")
      }
    } write: { thing in
      let (writes, column) = (thing.writes, thing.column("anys"))
      try writes.listMove(from: 1, to: 3, column, of: thing.row, in: thing.table)
      try writes.listSwap(0, 4, column, of: thing.row, in: thing.table)
      try writes.listInsert(
        thing.nested(["a": .int(7)]), at: 2, column, of: thing.row, in: thing.table)
      try writes.listSet(thing.nested([.int(8)]), at: 0, column, of: thing.row, in: thing.table)
      try writes.listRemove(4..<5, column, of: thing.row, in: thing.table)
    },
    Kind(name: "goes when its set is cleared") { thing, target in
      try thing.insert(target, into: "circle")
    } write: { thing in
      try thing.writes.listClear(thing.column("circle"), of: thing.row, in: thing.table)
    },
    Kind(name: "goes when its set is cleared and had one more") { thing, target in
      try thing.insert(target, into: "circle")
      try thing.insert(thing.itself, into: "circle")
    } write: { thing in
      try thing.writes.listClear(thing.column("circle"), of: thing.row, in: thing.table)
    },
    Kind(name: "goes when its set is cleared and filled") { thing, target in
      try thing.insert(target, into: "circle")
      try thing.insert(thing.itself, into: "circle")
    } write: { thing in
      try thing.writes.listClear(thing.column("circle"), of: thing.row, in: thing.table)
      try thing.insert(thing.itself, into: "circle")
    },
  ]

  /// Two devices with two objects.
  private func network() throws -> StoreNetwork {
    var network = try StoreNetwork(devices: 2)
    for key in Int64(1)...2 { try create(key, in: network.devices[0]) }
    try network.settle()
    return network
  }

  private func create(_ key: Int64, in device: StoreDevice) throws {
    try device.write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      _ = try writes.createObject(in: known.tableKey, primaryKey: key)
    }
  }

  /// What the devices have of the first object.
  private func first(_ network: StoreNetwork) throws -> [String] {
    try network.devices.map { String(try $0.contents.split(separator: "\n")[0]) }
  }

  @Test("gives way to what is written in its place", arguments: kinds)
  func written(kind: Kind) throws {
    var network = try network()
    let (one, two) = (network.devices[0], network.devices[1])
    network.disconnect(0)
    network.disconnect(1)
    try two.write { try Thing($0).delete(Thing($0, key: 2)) }
    network.clock.now += 10
    try one.write { try kind.link(Thing($0), Thing($0, key: 2).itself) }
    #expect(try first(network)[0].contains("-> 2"))
    try network.settle()
    #expect(try !first(network)[0].contains("-> 2"))
    network.clock.now += 10
    try one.write { try kind.write(Thing($0)) }
    let wanted = try first(network)[0]
    try network.settle()
    try create(2, in: two)
    try network.settle()
    #expect(try first(network) == [wanted, wanted])
  }

  /// What a program does in one transaction to an object with links to the second one.
  struct Deletion: Sendable, CustomTestStringConvertible {
    let name: String
    var comesBack = false
    /// To the object, the second one and the third one.
    let write: @Sendable (Thing, Thing, Thing) throws -> Void

    var testDescription: String { name }
  }

  static let deletions: [Deletion] = [
    Deletion(name: "set to null before") { thing, target, _ in
      try thing.setLinks(.null)
      try thing.delete(target)
    },
    Deletion(name: "set to null afterwards") { thing, target, _ in
      try thing.delete(target)
      try thing.setLinks(.null)
    },
    Deletion(name: "with another target, deleted too") { thing, target, other in
      try thing.setLinks(other.itself)
      try thing.delete(target)
      try thing.delete(other)
    },
    Deletion(name: "let alone", comesBack: true) { thing, target, _ in try thing.delete(target) },
  ]

  @Test("comes back in each of two objects whose names only Swift takes for equal")
  func namesComposedDifferently() throws {
    var network = try network()
    let names = ["\u{E9}", "e\u{301}"]
    try network.devices[0].write { writes in
      let known = writes.schema.description.description(of: "Named")!
      let friend = known.property(named: "friend")!.columnKey
      for name in names {
        let row = try writes.createObject(
          in: known.tableKey, primaryKey: StoredValue.string(name)
        ).key
        try writes.set(Thing(writes, key: 2).itself, friend, of: row, in: known.tableKey)
      }
    }
    try network.settle()
    for linked in [2, 0, 2] {
      for device in network.devices { #expect(try links(device) == linked) }
      if linked == 2 {
        try network.devices[0].write { try Thing($0).delete(Thing($0, key: 2)) }
      } else {
        try create(2, in: network.devices[1])
      }
      try network.settle()
    }
  }

  /// How many of the objects with names have a link that leads to something.
  private func links(_ device: StoreDevice) throws -> Int {
    var links = 0
    try device.write { writes in
      let known = writes.schema.description.description(of: "Named")!
      let table = try writes.table(known.tableKey)
      for key in try table.allKeys() {
        let value = try table.value(of: known.property(named: "friend")!, at: table.find(key)!)
        if case .link = value { links += 1 }
      }
    }
    return links
  }

  @Test("comes back with its object, unless the program has written it", arguments: deletions)
  func deleted(deletion: Deletion) throws {
    var network = try network()
    let (one, two) = (network.devices[0], network.devices[1])
    try create(3, in: one)
    try one.write { writes in
      let thing = try Thing(writes)
      _ = try writes.createEmbedded(thing.column("part"), of: thing.row, in: thing.table)
      try thing.setLinks(Thing(writes, key: 2).itself)
    }
    try network.settle()
    let linked = try first(network)[0]
    #expect(linked.contains("-> 2"))
    try one.write { try deletion.write(Thing($0), Thing($0, key: 2), Thing($0, key: 3)) }
    let unlinked = try first(network)[0]
    try network.settle()
    #expect(try first(network) == [unlinked, unlinked])
    for key in Int64(2)...3 {
      if try !two.contents.contains("_id=int(\(key))") { try create(key, in: two) }
    }
    try network.settle()
    let wanted = deletion.comesBack ? linked : unlinked
    #expect(try first(network) == [wanted, wanted])
  }
}

extension LoggedKindsTests.Thing {
  var itself: StoredValue { .link(table, row) }

  func delete(_ other: Self) throws { try writes.deleteObject(other.row, in: table) }

  func set(_ value: StoredValue, for key: String) throws {
    try writes.mapSet(value, forKey: key, property("roles"), of: row, in: table)
  }

  func setAny(_ value: StoredValue) throws {
    try writes.set(value, column("any"), of: row, in: table)
  }

  func any() throws -> StoredValue {
    let stored = try writes.table(table)
    return try stored.value(of: property("any"), at: stored.find(row)!)
  }

  /// Sets all properties that can have it, of the embedded object too.
  func setLinks(_ value: StoredValue) throws {
    try setAny(value)
    try writes.set(value, column("friend"), of: row, in: table)
    try writes.set(
      value, part.property(named: "owner")!.columnKey, of: embedded("part"), in: part.tableKey)
  }

  // MARK: Collections in values

  private func collection(
    _ value: StoredValue
  ) throws -> (table: TableKey, row: ObjectKey, property: PropertyDescription) {
    guard case .link(let table, let row) = value else { throw NoCollection() }
    return (table, row, writes.schema.description.description(of: table)!.properties[0])
  }

  private struct NoCollection: Error {}

  func list(_ value: StoredValue) throws -> (TableKey, ObjectKey, ColumnKey) {
    let list = try collection(value)
    return (list.table, list.row, list.property.columnKey)
  }

  func nested(_ elements: [StoredValue]) throws -> StoredValue {
    let (table, row) = try writes.createNested(.list)
    let column = try collection(.link(table, row)).property.columnKey
    try writes.listInsert(contentsOf: elements, at: 0, column, of: row, in: table)
    return .link(table, row)
  }

  func nested(_ values: [String: StoredValue]) throws -> StoredValue {
    let (table, row) = try writes.createNested(.map)
    for (key, value) in values { try set(value, for: key, in: .link(table, row)) }
    return .link(table, row)
  }

  func set(_ value: StoredValue, for key: String, in map: StoredValue) throws {
    let map = try collection(map)
    try writes.mapSet(value, forKey: key, map.property, of: map.row, in: map.table)
  }
}
