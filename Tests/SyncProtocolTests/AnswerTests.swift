import SyncLab
import SyncProtocol
import Testing

/// A refusal comes with the news of an object, or without: the object may have left the view.
@Suite("a refusal, or a reset that discards") struct AnswerTests {
  private let object = ObjectID(type: NameID(0), key: .int(1))
  private let other = ObjectID(type: NameID(0), key: .int(2))
  private let list = ContainerID(declaredBy: NameID(1), in: .root)
  private let property = Slot.property(NameID(2))

  private func client() -> ClientCore<MemoryClientStorage> {
    var core = ClientCore(storage: MemoryClientStorage(client: ClientID(7)))
    for name in ["Item", "list", "a"] as [Text] { _ = core.storage.record.names.add(name) }
    return core
  }

  /// Creates an object with a property and an element in its list.
  private func make(
    _ id: ObjectID, _ core: inout ClientCore<MemoryClientStorage>, now: UInt64
  ) throws {
    core.beginCommit()
    core.create(id, now: now)
    core.set(property, in: id, to: .int(5), now: now)
    core.insert(.int(6), at: 0, of: list, in: id, now: now)
    try core.storage.commit()
  }

  private func batch(_ core: inout ClientCore<MemoryClientStorage>) throws -> UploadBatch {
    let batch = try core.makeBatch()
    return try #require(batch)
  }

  /// The client is told of the object in a generation, and that a batch was refused.
  private func tell(
    _ core: inout ClientCore<MemoryClientStorage>, _ kind: ObjectNews.Kind, generation: UInt64,
    refused: UInt64? = nil, acknowledged: UInt64
  ) throws {
    let cursor = core.storage.record.cursor
    var slice = DownloadSlice(from: cursor, to: cursor.next)
    slice.acknowledged = acknowledged
    let change = ObjectChange(id: object, generation: Generation(generation))
    let refusal = refused.map { ObjectNews.Refusal(batch: $0, reason: .notAllowed) }
    slice.objects = [ObjectNews(kind: kind, change: change, refusal: refusal)]
    var rebase = RebaseProgress()
    try core.apply(slice, rebase: &rebase)
  }

  /// A client that has created what is there in another generation, and hears of that while its
  /// batch is on its way; and the batch.
  private func toldOf(
    as kind: ObjectNews.Kind
  ) throws -> (ClientCore<MemoryClientStorage>, batch: UInt64) {
    var core = client()
    try make(object, &core, now: 1_000)
    let first = try batch(&core).number
    try tell(&core, kind, generation: 3, acknowledged: 0)
    return (core, first)
  }

  @Test("of a creation is of it whatever generation the object is in")
  func generation() throws {
    var (core, first) = try toldOf(as: .evicted)
    try tell(&core, .evicted, generation: 3, refused: first, acknowledged: first)
    #expect(!core.isDirty && !core.exists(object))
  }

  @Test("of a creation leaves what was written since, as a change of the object that there is")
  func elements() throws {
    var (core, first) = try toldOf(as: .evicted)
    core.set(property, in: object, to: .int(7), now: 1_001)
    core.insert(.int(8), at: 1, of: list, in: object, now: 1_001)
    try core.storage.commit()
    try tell(&core, .snapshot, generation: 3, refused: first, acknowledged: first)
    #expect(core.storage.items(of: list, in: object) == [.int(8)])
    #expect(core.storage.value(property, of: .root, in: object) == .int(7))
    let change = try batch(&core).objects.first { $0.id == object }
    #expect(change?.life == nil && change?.generation == Generation(3))
    let elements = change?.containers.first { $0.id == list }
    #expect(elements?.placements.count == 1 && elements?.registers.count == 1)
  }

  @Test("takes back elements, too, of an object that leaves the view")
  func leaving() throws {
    var core = client()
    try make(other, &core, now: 1_000)
    try make(object, &core, now: 1_001)
    let refused = try batch(&core).number
    // What comes next has no room for the object, which is newer.
    core.set(property, in: other, to: .int(7), now: 1_002)
    core.wantedBatchBytes = 1
    core.fullBatchBytes = 1
    let last = try batch(&core)
    #expect(last.objects.map(\.id) == [other])
    try tell(&core, .evicted, generation: 1, refused: refused, acknowledged: last.number)
    #expect(!core.isDirty && !core.exists(object) && core.exists(other))
  }

  @Test("takes back what was done to the list of an object that is out of view")
  func discarding() throws {
    var bench = try SyncBench(devices: 2)
    try bench.subscribe(1, "owner == 1")
    try bench.create(0, 1)
    try bench.set(0, 1, "owner", .int(1))
    try bench.append(0, 1, [1, 2, 3])
    try bench.syncAll()
    try bench.set(0, 1, "owner", .int(2))
    try bench.sync(0)
    try bench.removeItem(1, 1, 0)
    try bench.moveItem(1, 1, 0, to: 1)
    try bench.append(1, 1, [4])
    try bench.trim(expiringAll: true)
    try bench.sync(1, discardsUnsynced: true)
    #expect(bench.resets.count == 1)
    #expect(!bench.exists(1, 1) && !bench.isDirty(1))
    try bench.sync(0)
    #expect(bench.list(0, 1) == [1, 2, 3])
  }
}
