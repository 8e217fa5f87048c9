import ObjectStore
import Storage
import SyncStoreLab
import Testing

/// A cleared list is a new one: what others did in the old one is discarded, whatever it holds.
@Suite("a list that is cleared") struct ClearedListTests {
  typealias Thing = LoggedKindsTests.Thing

  /// A list that holds what has rows of its own.
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let append: @Sendable (Thing) throws -> Void

    var testDescription: String { name }
  }

  static let kinds: [Kind] = [
    Kind(name: "parts") { thing in
      let end = try thing.writes.list(thing.column("parts"), of: thing.row, in: thing.table).count
      _ = try thing.writes.listInsertEmbedded(
        at: end, thing.column("parts"), of: thing.row, in: thing.table)
    },
    Kind(name: "anys") { try $0.append(try $0.nested([.int(1)]), to: "anys") },
  ]

  @Test("keeps nothing that another device has put in before", arguments: kinds)
  func cleared(kind: Kind) throws {
    var network = try StoreNetwork(devices: 2)
    let (one, two) = (network.devices[0], network.devices[1])
    try one.write { writes in
      let known = writes.schema.description.description(of: "Thing")!
      _ = try writes.createObject(in: known.tableKey, primaryKey: Int64(1))
      try kind.append(Thing(writes))
    }
    try network.settle()
    let filled = try one.contents
    network.disconnect(0)
    network.disconnect(1)
    try two.write { try kind.append(Thing($0)) }
    network.clock.now += 10
    try one.write { writes in
      let thing = try Thing(writes)
      try writes.listClear(thing.column(kind.name), of: thing.row, in: thing.table)
    }
    let cleared = try one.contents
    try network.settle()
    #expect(try [one.contents, two.contents] == [cleared, cleared])
    try two.write { try kind.append(Thing($0)) }
    try network.settle()
    #expect(try [one.contents, two.contents] == [filled, filled])
  }
}
