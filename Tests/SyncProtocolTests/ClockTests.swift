import SyncLab
import SyncProtocol
import Testing

@Suite("times beyond the server's clock") struct ClockTests {
  @Test(
    "do not lock devices out that have them of the server, whose clock was put back",
    arguments: [false, true])
  func putBack(restartingServer: Bool) throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.syncAll()
    try bench.putClocksBack(by: 600_000, restartingServer: restartingServer)
    try bench.set(0, 1, "a", .int(2))
    try bench.set(1, 1, "b", .string("3"))
    try bench.create(1, 2)
    try bench.syncAll()
    for device in 0..<2 {
      #expect(!bench.isDirty(device))
      #expect(bench.value(device, 1, "a") == .int(2) && bench.value(device, 1, "b") == .string("3"))
      #expect(bench.exists(device, 2))
    }
  }

  /// An object whose map is named by a time of its author's choice.
  private func batch(
    makerTime: UInt64, by client: ClientID, _ core: ServerCore<SimulatedServerStorage>,
    now: UInt64
  ) throws -> ReceivedBatch {
    let names = core.head.names
    let time = HybridClock.time(milliseconds: now)
    let type = try #require(names.find("Item"))
    var root = ContainerChange(id: .root)
    var register = RegisterChange(
      slot: .property(try #require(names.find("any"))),
      stamp: CellStamp(Stamp(time: time + 2, client: client)), value: .map)
    register.maker = Stamp(time: makerTime, client: client)
    root.registers = [register]
    var change = ObjectChange(
      id: ObjectID(type: type, key: .int(7)), generation: Generation(1),
      life: LifeChange(creation: Stamp(time: time + 1, client: client)))
    change.containers = [root]
    let file = try #require(core.files[client])
    let batch = UploadBatch(
      number: file.acknowledged + 1, cursor: core.head.version, objects: [change])
    return try UploadBatch.decode(batch.encoded(names: names), names: names)
  }

  @Test("are no names of containers: whoever gives those back would be ahead for good")
  func container() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.syncAll()
    let now: UInt64 = 1_700_000_100_000
    let client = bench.client(0)
    let far = try batch(makerTime: Limits.latestTime, by: client, bench.server, now: now)
    #expect { try bench.server.upload(far, from: client, now: now) } throws: { error in
      (error as? SyncError)?.code == .clockAhead
    }
    #expect(!bench.server.needsFlush)
    let near = HybridClock.time(milliseconds: now)
    let right = try batch(makerTime: near, by: client, bench.server, now: now)
    #expect(try bench.server.upload(right, from: client, now: now) == .merged)
  }

  @Test("do not get further ahead with each start of the server")
  func restarted() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.syncAll()
    let now: UInt64 = 1_700_000_100_000
    let client = bench.client(0)
    let first = HybridClock.time(milliseconds: now + 59_000)
    let taken = try batch(makerTime: first, by: client, bench.server, now: now)
    #expect(try bench.server.upload(taken, from: client, now: now) == .merged)
    try bench.server.flush()
    try bench.putClocksBack(by: 0, restartingServer: true)
    let second = HybridClock.time(milliseconds: now + 61_000)
    let further = try batch(makerTime: second, by: client, bench.server, now: now)
    #expect { try bench.server.upload(further, from: client, now: now) } throws: { error in
      (error as? SyncError)?.code == .clockAhead
    }
    let next = try batch(makerTime: first + 10, by: client, bench.server, now: now)
    #expect(try bench.server.upload(next, from: client, now: now) == .merged)
  }

  @Test("end the connection if correcting the clock has not been enough")
  func again() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    #expect { try bench.sync(0, refusesTimes: true) } throws: { error in
      (error as? SyncError)?.code == .clockAhead
    }
    try bench.sync(0)
    #expect(!bench.isDirty(0) && bench.exists(0, 1))
  }
}
