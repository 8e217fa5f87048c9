import ObjectStore
import SyncStoreLab
import Testing

/// A set has one of all values that compare as equal: they are one cell.
@Suite("members of a set that are equal and not the same") struct EqualMembersTests {
  typealias Thing = LoggedKindsTests.Thing

  struct Pair: Sendable, CustomTestStringConvertible {
    let set: String
    let old: StoredValue
    let new: StoredValue

    var testDescription: String { "\(old) and \(new) in \(set)" }
  }

  private static let price = (
    DecimalBits(low: 150, high: 0x303C << 48), DecimalBits(low: 15, high: 0x303E << 48)
  )

  static let pairs = [
    Pair(set: "prices", old: .decimal128(price.0), new: .decimal128(price.1)),
    Pair(set: "prices", old: .decimal128(price.1), new: .decimal128(price.0)),
    Pair(set: "reals", old: .double(0), new: .double(-0.0)),
    Pair(set: "reals", old: .double(-0.0), new: .double(0)),
    Pair(set: "choices", old: .int(1), new: .double(1)),
    Pair(set: "choices", old: .double(1), new: .int(1)),
    Pair(set: "choices", old: .decimal128(price.0), new: .double(1.5)),
  ]

  private func network() throws -> StoreNetwork {
    var network = try StoreNetwork(devices: 2)
    try network.devices[0].write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      _ = try writes.createObject(in: known.tableKey, primaryKey: 1)
    }
    try network.exchange(0, turns: 40)
    return network
  }

  private func remove(_ value: StoredValue, _ set: String, _ thing: Thing) throws {
    try thing.writes.setRemove([value], thing.column(set), of: thing.row, in: thing.table)
  }

  private func same(_ network: StoreNetwork, have member: StoredValue?) throws {
    let contents = try network.devices.map { try $0.contents }
    #expect(contents[0] == contents[1])
    if let member { #expect(contents[1].contains("{\(member)}")) }
  }

  @Test("take each other's place in one transaction or several", arguments: pairs)
  func replaced(pair: Pair) throws {
    for isOneTransaction in [true, false] {
      var network = try network()
      let device = network.devices[0]
      try device.write { try Thing($0).insert(pair.old, into: pair.set) }
      try network.exchange(0, turns: 40)
      if isOneTransaction {
        try network.settle()
        try device.write { writes in
          try remove(pair.old, pair.set, Thing(writes))
          try Thing(writes).insert(pair.new, into: pair.set)
        }
      } else {
        try device.write { try remove(pair.old, pair.set, Thing($0)) }
        try network.exchange(0, turns: 40)
        try device.write { try Thing($0).insert(pair.new, into: pair.set) }
      }
      // The second device knows the object, or comes only now.
      try network.settle()
      try same(network, have: pair.new)
    }
  }

  @Test("are one where two devices put them in, and go together", arguments: pairs)
  func concurrent(pair: Pair) throws {
    var network = try network()
    try network.settle()
    try network.devices[0].write { try Thing($0).insert(pair.old, into: pair.set) }
    network.clock.now += 10
    try network.devices[1].write { try Thing($0).insert(pair.new, into: pair.set) }
    try network.settle()
    try same(network, have: pair.new)
    try network.devices[0].write { try remove(pair.old, pair.set, Thing($0)) }
    try network.settle()
    try same(network, have: nil)
    #expect(try !network.devices[1].contents.contains(pair.set))
  }

  @Test("stay where something else of the set changes: not-a-number too")
  func notANumber() throws {
    var network = try network()
    let device = network.devices[0]
    for value in [Double.nan, 1, 3, 5] {
      try device.write { try Thing($0).insert(.double(value), into: "reals") }
    }
    try network.settle()
    try device.write { writes in
      try remove(.double(1), "reals", Thing(writes))
      try remove(.double(5), "reals", Thing(writes))
      try Thing(writes).insert(.double(2), into: "reals")
    }
    try network.settle()
    try same(network, have: nil)
    #expect(try network.devices[1].contents.contains("double(nan)"))
  }

  @Test("are dates within a nanosecond: the cell has the one in whole nanoseconds")
  func dates() throws {
    var network = try network()
    let (exact, near) = (StoredValue.date(1), StoredValue.date(1.0.nextUp))
    func contents(_ device: Int) throws -> String { try network.devices[device].contents }
    try network.devices[0].write { try Thing($0).insert(near, into: "choices") }
    try network.settle()
    #expect(try contents(0).contains("{\(near)}"))
    #expect(try contents(1).contains("{\(exact)}"))
    try network.devices[1].write { try remove(exact, "choices", Thing($0)) }
    try network.settle()
    for device in 0..<2 { #expect(try !contents(device).contains("choices")) }
    // Both are there, and go one after the other.
    try network.devices[0].write { writes in
      for member in [exact, near] { try Thing(writes).insert(member, into: "choices") }
    }
    for member in [exact, near] {
      try network.settle()
      #expect(try contents(1).contains("{\(exact)}"))
      try network.devices[0].write { try remove(member, "choices", Thing($0)) }
    }
    try network.settle()
    for device in 0..<2 { #expect(try !contents(device).contains("choices")) }
  }
}
