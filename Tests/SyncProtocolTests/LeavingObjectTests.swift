import SyncLab
import SyncProtocol
import Testing

@Suite("an object that is out of view") struct LeavingObjectTests {
  @Test("goes when the program takes back what of it was not sent")
  func takenBack() throws {
    let id = ObjectID(type: NameID(0), key: .int(1))
    let slot = Slot.property(NameID(1))
    var core = ClientCore(storage: MemoryClientStorage(client: ClientID(7)))
    for name in ["Item", "list"] as [Text] { _ = core.storage.record.names.add(name) }
    core.create(id, now: 1_000)
    core.set(slot, in: id, to: .list, now: 1_001)
    let created = try #require(try core.makeBatch())
    let list = try #require(core.storage.state(of: id)?.container(at: slot, of: .root))
    core.insert(.int(5), at: 0, of: list, in: id, now: 1_002)
    // The first slice of several.
    var slice = DownloadSlice(from: .zero, to: ServerVersion.zero.next)
    slice.acknowledged = created.number
    slice.isLast = false
    let gone = ObjectChange(id: id, generation: created.objects[0].generation)
    slice.objects = [ObjectNews(kind: .evicted, change: gone)]
    var rebase = RebaseProgress()
    try core.apply(slice, rebase: &rebase)
    #expect(core.storage.state(of: id) != nil)
    core.removeItem(0, of: list, in: id, now: 1_003)
    #expect(try core.makeBatch() == nil)
    #expect(core.storage.state(of: id) == nil && !core.isDirty)
    #expect(core.storage.objects.isEmpty)
  }
}
