import SyncLab
import SyncProtocol
import Testing

/// An item on a server, and what a client writes of it.
private struct ServedItem {
  var bench: SyncBench
  let client: ClientID
  let id: ObjectID

  init() throws {
    bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.sync(0)
    client = try #require(bench.server.files.keys.first)
    id = ObjectID(type: try #require(bench.server.head.names.find("Item")), key: .int(1))
  }

  func name(_ text: Text) throws -> NameID { try #require(bench.server.head.names.find(text)) }

  func stamp(_ step: UInt64) -> Stamp {
    Stamp(time: HybridClock.time(milliseconds: 1_700_000_000_000) + step, client: client)
  }

  /// Takes a batch with containers of the item.
  mutating func upload(_ containers: ContainerChange...) throws {
    let core = bench.server
    var change = ObjectChange(id: id, generation: Generation(1))
    change.containers = containers
    let batch = UploadBatch(
      number: core.files[client]!.acknowledged + 1, cursor: core.head.version, objects: [change])
    let received = try UploadBatch.decode(
      batch.encoded(names: core.head.names), names: core.head.names)
    _ = try bench.server.upload(received, from: client, now: 1_800_000_000_000)
    try bench.server.flush()
  }
}

@Suite("an object on the server") struct ServerObjectTests {
  @Test("has one container of a name: an element that would make another is not there")
  func containerNames() throws {
    var item = try ServedItem()
    let part = CellValue.object(try item.name("Part"))
    let child = Slot.property(try item.name("child"))
    let parts = ContainerID(declaredBy: try item.name("parts"), in: .root)
    let stamp = item.stamp(1)
    var root = ContainerChange(id: .root)
    root.registers = [RegisterChange(slot: child, stamp: CellStamp(stamp), value: part)]
    try item.upload(root)
    try item.upload(insertion(of: part, into: parts, at: stamp))
    try item.bench.sync(1)
    #expect(item.bench.exists(1, 1))
    let object = item.bench.server.merged(item.id)
    #expect(object?.elements(of: parts) == [])
    #expect(object?.value(child, of: .root) == part)
  }

  @Test("has no element that is absent")
  func absentElement() throws {
    var item = try ServedItem()
    // One that no class declares: what is in it is of any kind.
    let list = ContainerID(madeBy: item.stamp(1))
    var root = ContainerChange(id: .root)
    root.registers = [
      RegisterChange(
        slot: .property(try item.name("any")), stamp: CellStamp(item.stamp(1)), value: .list)
    ]
    try item.upload(root)
    try item.upload(insertion(of: .absent, into: list, at: item.stamp(2)))
    #expect(item.bench.server.merged(item.id)?.kind(of: list) == .list)
    try item.bench.sync(1)
    #expect(item.bench.exists(1, 1))
    #expect(item.bench.server.merged(item.id)?.elements(of: list) == [])
  }

  @Test("holds nothing that its class has no room for: every device would fail in it")
  func misfits() throws {
    var item = try ServedItem()
    let part = ObjectID(type: try item.name("Part"), key: .int(1))
    let any = Slot.property(try item.name("any"))
    let list = ContainerID(madeBy: item.stamp(1))
    var root = ContainerChange(id: .root)
    root.registers = [RegisterChange(slot: any, stamp: CellStamp(item.stamp(1)), value: .list)]
    try item.upload(root)
    for (step, value) in [CellValue.set, .object(part.type), .link(part), .absent].enumerated() {
      let stamp = item.stamp(UInt64(step) + 2)
      try item.upload(insertion(of: value, into: list, at: stamp))
      #expect(item.bench.server.merged(item.id)?.elements(of: list) == [], "\(value)")
      root.registers = [RegisterChange(slot: any, stamp: CellStamp(stamp), value: value)]
      try item.upload(root)
      #expect(item.bench.server.merged(item.id)?.value(any, of: .root) == .list, "\(value)")
    }
    let parts = ContainerID(declaredBy: try item.name("parts"), in: .root)
    let other = ObjectID(type: item.id.type, key: .int(1))
    for (step, value) in [CellValue.null, .object(other.type), .link(other)].enumerated() {
      try item.upload(insertion(of: value, into: parts, at: item.stamp(UInt64(step) + 9)))
      #expect(item.bench.server.merged(item.id)?.elements(of: parts) == [], "\(value)")
    }
    var key = ContainerChange(id: list)
    key.registers = [
      RegisterChange(slot: .key("k"), stamp: CellStamp(item.stamp(20)), value: .int(1))
    ]
    try item.upload(key)
    #expect(item.bench.server.merged(item.id)?.value(.key("k"), of: list) == nil)
    try item.upload(insertion(of: .int(1), into: list, at: item.stamp(21)))
    #expect(item.bench.server.merged(item.id)?.elements(of: list).count == 1)
  }

  @Test("takes into a list that was cleared what it took before, and nothing else")
  func clearedLists() throws {
    var item = try ServedItem()
    let part = try item.name("Part")
    let parts = Slot.property(try item.name("parts"))
    func clearing(at time: UInt64) -> (root: ContainerChange, list: ContainerID) {
      var root = ContainerChange(id: .root)
      let stamp = item.stamp(time)
      root.registers = [RegisterChange(slot: parts, stamp: CellStamp(stamp), value: .list)]
      return (root, ContainerID(madeBy: stamp))
    }
    let cleared = clearing(at: 1)
    try item.upload(cleared.root)
    try item.upload(insertion(of: .object(part), into: cleared.list, at: item.stamp(2)))
    #expect(item.bench.server.merged(item.id)?.elements(of: cleared.list).count == 1)
    for (step, value) in [CellValue.int(1), .null, .object(item.id.type), .list].enumerated() {
      let stamp = item.stamp(UInt64(step) + 3)
      try item.upload(insertion(of: value, into: cleared.list, at: stamp))
      #expect(
        item.bench.server.merged(item.id)?.elements(of: cleared.list).count == 1, "\(value)")
    }
    let again = clearing(at: 10)
    let added = insertion(of: .object(part), into: again.list, at: item.stamp(11))
    try item.upload(again.root, added)
    #expect(item.bench.server.merged(item.id)?.elements(of: again.list).count == 1)
  }

  private func insertion(
    of value: CellValue, into list: ContainerID, at stamp: Stamp
  ) -> ContainerChange {
    let element = ElementID(client: stamp.client, number: stamp.time)
    var change = ContainerChange(id: list)
    change.placements = [
      Placement(
        name: PlaceName(element: element, stamp: stamp), left: nil,
        authorship: Authorship(
          right: nil, ownLeft: nil, ownRight: nil, cursor: .zero, isNew: true))
    ]
    change.registers = [
      RegisterChange(slot: .item(element), stamp: CellStamp(stamp), value: value)
    ]
    return change
  }

  @Test("finds what a key holds that is written again when its removal has been forgotten")
  func raisedContainers() throws {
    var item = try ServedItem()
    let map = ContainerID(declaredBy: try item.name("map"), in: .root)
    let key = Slot.key("k")
    var change = ContainerChange(id: map)
    for (step, value) in [(UInt64(10), CellValue.int(1)), (20, .absent)] {
      change.registers = [
        RegisterChange(slot: key, stamp: CellStamp(item.stamp(step)), value: value)
      ]
      try item.upload(change)
    }
    try item.bench.syncAll()
    try item.bench.server.trim(expiry: 0)
    // By a client that had not heard of the removal.
    change.registers = [
      RegisterChange(slot: key, stamp: CellStamp(item.stamp(5)), value: .map)
    ]
    try item.upload(change)
    let object = item.bench.server.merged(item.id)
    let made = ContainerID(madeBy: item.stamp(5))
    #expect(object?.container(madeBy: key, of: map) == made)
    #expect(object?.kind(of: made) == .map)
  }
}
