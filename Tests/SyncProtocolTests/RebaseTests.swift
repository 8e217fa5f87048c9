import SyncLab
import SyncProtocol
import Testing

/// An object that the client has created, and of which the server has told something: it is out of
/// view, or gone.
@Suite("a rebase that does not mention an object") struct RebaseTests {
  private let object = ObjectID(type: NameID(0), key: .int(1))
  private let list = Slot.property(NameID(1))
  private let property = Slot.property(NameID(2))

  private func client() -> ClientCore<MemoryClientStorage> {
    var core = ClientCore(storage: MemoryClientStorage(client: ClientID(7)))
    for name in ["Item", "list", "a"] as [Text] { _ = core.storage.record.names.add(name) }
    core.create(object, now: 1_000)
    core.set(property, in: object, to: .int(5), now: 1_001)
    core.set(list, in: object, to: .list, now: 1_002)
    return core
  }

  private func container(_ core: ClientCore<MemoryClientStorage>) throws -> ContainerID {
    try #require(core.storage.state(of: object)?.container(at: list, of: .root))
  }

  /// The server has merged what the client had by now, does not say so yet, and tells of it.
  private func told(
    _ core: inout ClientCore<MemoryClientStorage>, with elements: [Int64] = []
  ) throws {
    let batch = try core.makeBatch()
    let change = try #require(batch?.objects.first)
    var slice = DownloadSlice(from: .zero, to: ServerVersion.zero.next)
    slice.objects = [
      ObjectNews(
        kind: .update, change: told(change, with: elements, in: try container(core)))
    ]
    let creation = try #require(change.life?.creation)
    slice.objects[0].creation = MergedCreation(
      stamp: creation, generation: Generation(1), version: ServerVersion(1))
    var rebase = RebaseProgress()
    try core.apply(slice, rebase: &rebase)
  }

  private func told(
    _ change: ObjectChange, with elements: [Int64], in list: ContainerID
  ) -> ObjectChange {
    var told = change
    told.life = nil
    var items = ContainerChange(id: list)
    var left: PlaceName?
    for (number, value) in elements.enumerated() {
      let stamp = Stamp(time: UInt64(number + 1), client: ClientID(8))
      let element = ElementID(client: stamp.client, number: stamp.time)
      let name = PlaceName(element: element, stamp: stamp)
      items.placements.append(Placement(name: name, left: left))
      items.registers.append(
        RegisterChange(slot: .item(element), stamp: CellStamp(stamp), value: .int(value)))
      left = name
    }
    if !elements.isEmpty { told.containers.append(items) }
    return told
  }

  private func rebase(_ core: inout ClientCore<MemoryClientStorage>) throws {
    var slice = DownloadSlice(from: .zero, to: core.storage.record.cursor.next)
    slice.isRebase = true
    var rebase = RebaseProgress()
    try core.apply(slice, rebase: &rebase)
  }

  @Test("keeps what was put into a list that the server has of its creation")
  func insertions() throws {
    var core = client()
    try told(&core)
    let list = try container(core)
    core.insert(.int(6), at: 0, of: list, in: object, now: 1_003)
    try core.storage.commit()
    try rebase(&core)
    #expect(core.storage.items(of: list, in: object) == [.int(6)])
    let change = try core.makeBatch()?.objects.first
    #expect(change?.containers.map(\.id) == [list])
    #expect(change?.containers.first?.placements.count == 1)
  }

  @Test("keeps what was done to elements that others have put there")
  func elements() throws {
    var core = client()
    try told(&core, with: [1, 2, 3])
    let list = try container(core)
    #expect(core.storage.items(of: list, in: object) == [.int(1), .int(2), .int(3)])
    core.removeItem(0, of: list, in: object, now: 1_003)
    core.setItem(0, of: list, in: object, to: .int(7), now: 1_004)
    core.moveItem(0, to: 1, of: list, in: object, now: 1_005)
    try core.storage.commit()
    try rebase(&core)
    #expect(core.storage.items(of: list, in: object) == [.int(3), .int(7)])
    let change = try core.makeBatch()?.objects.first
    let items = change?.containers.first { $0.id == list }
    #expect(items?.removals.count == 1 && items?.placements.count == 1)
    #expect(items?.registers.map(\.value) == [.int(7)])
  }

  @Test("lets one go of which nothing is left to send: it may have been deleted")
  func nothing() throws {
    var core = client()
    try told(&core)
    try rebase(&core)
    #expect(!core.exists(object) && !core.isDirty)
  }

  @Test("has it created by the client if the server has told nothing of it")
  func creation() throws {
    var core = client()
    core.insert(.int(6), at: 0, of: try container(core), in: object, now: 1_003)
    try core.storage.commit()
    try rebase(&core)
    let change = try core.makeBatch()?.objects.first
    #expect(change?.life != nil && change?.containers.count == 2)
  }
}
