import SyncLab
import SyncProtocol
import Testing

/// What the server's core does where storage fails, or has very much.
@Suite("the server's core") struct ServerCoreTests {
  @Test("merges nothing of a batch if something that it changes cannot be read")
  func unreadable() throws {
    var bench = try SyncBench(devices: 1)
    for key in Int64(1)...2 { try bench.create(0, key) }
    try bench.sync(0)
    let core = bench.server
    let client = try #require(core.files.keys.first)
    let type = try #require(core.head.names.find("Item"))
    let owner = Slot.property(try #require(core.head.names.find("owner")))
    let stamp = CellStamp(
      Stamp(time: HybridClock.time(milliseconds: 1_700_000_000_000), client: client))
    let changes = (Int64(1)...2).map { key in
      var change = ObjectChange(
        id: ObjectID(type: type, key: .int(key)), generation: Generation(1))
      var root = ContainerChange(id: .root)
      root.registers = [RegisterChange(slot: owner, stamp: stamp, value: .int(7))]
      change.containers = [root]
      return change
    }
    let batch = UploadBatch(
      number: core.files[client]!.acknowledged + 1, cursor: core.head.version, objects: changes)
    let received = try UploadBatch.decode(
      batch.encoded(names: core.head.names), names: core.head.names)
    try bench.server.reload()
    bench.server.storage.unreadable = [changes[1].id]
    #expect(throws: SyncError.self) {
      try bench.server.upload(received, from: client, now: 1_800_000_000_000)
    }
    #expect(!bench.server.needsFlush)
    #expect(bench.server.merged(changes[0].id)?.property(core.head.names.find("owner")!) != .int(7))
    bench.server.storage.unreadable = []
    let outcome = try bench.server.upload(received, from: client, now: 1_800_000_000_000)
    #expect(outcome == .merged)
  }

  @Test("writes no object to forget marks that are not there, or that it may not forget yet")
  func marks() throws {
    var bench = try SyncBench(devices: 2)
    for key in Int64(1)...20 { try bench.create(0, key) }
    try bench.syncAll()
    for key in Int64(1)...3 { try bench.setKey(0, key, "k", .int(1)) }
    try bench.syncAll()
    for key in Int64(1)...3 { try bench.setKey(0, key, "k", .absent) }
    try bench.sync(0)
    // The other device has not been told of the removals.
    var before = bench.server.storage.objectsWritten
    try bench.trim(expiringAll: false)
    #expect(bench.server.storage.objectsWritten == before)
    try bench.syncAll()
    try bench.syncAll()
    before = bench.server.storage.objectsWritten
    try bench.trim(expiringAll: false)
    #expect(bench.server.storage.objectsWritten == before + 3)
    try bench.trim(expiringAll: false)
    #expect(bench.server.storage.objectsWritten == before + 3)
  }
}
