import SyncLab
import SyncProtocol
import Testing

@Suite("the server limits") struct LimitTests {
  @Test("the size of an object, also of a list that grows by one element at a time")
  func objects() throws {
    var bench = try SyncBench(devices: 2)
    bench.limitObjects(to: 4_000)
    try bench.create(0, 1)
    try bench.create(0, 2)
    try bench.syncAll()
    var count = 0
    while bench.refused.isEmpty, count < 200 {
      try bench.insert(0, 1, [Int64(count)], at: count)
      try bench.sync(0)
      count += 1
    }
    #expect(bench.refused.map(\.refusal.reason) == [.tooLarge])
    #expect(bench.refused.map(\.object.key) == [.int(1)])
    #expect((40..<120).contains(count))
    try bench.sync(1)
    let kept = Array(0..<Int64(count - 1))
    #expect(bench.list(0, 1) == kept && bench.list(1, 1) == kept)
    #expect(!bench.isDirty(0))
    // Others are taken, and so is what makes the object no larger.
    try bench.set(0, 1, "b", .string(Text(String(repeating: "x", count: 1_000))))
    try bench.set(0, 2, "a", .int(5))
    try bench.removeItem(1, 1, 0)
    try bench.syncAll()
    #expect(bench.value(1, 2, "a") == .int(5))
    #expect(bench.value(1, 1, "b") == nil)
    #expect(bench.list(0, 1) == Array(kept.dropFirst()))
    #expect(bench.refused.count == 2)
  }

  private func upload(
    _ batch: UploadBatch, from client: ClientID,
    to core: inout ServerCore<SimulatedServerStorage>
  ) throws {
    let names = core.head.names
    let received = try UploadBatch.decode(batch.encoded(names: names), names: names)
    _ = try core.upload(received, from: client, now: 1_800_000_000_000)
  }

  @Test("how far a generation goes on in one batch")
  func generations() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.sync(0)
    var core = bench.server
    let type = try #require(core.head.names.find("Item"))
    let last = try #require(core.files.values.first?.acknowledged)
    for (step, generation) in [(UInt64(1), UInt64(3)), (2, 1_000_004), (3, 1 << 59)] {
      let number = last + step
      var change = ObjectChange(
        id: ObjectID(type: type, key: .int(1)), generation: Generation(generation))
      // The last two are deletions.
      change.life =
        step == 1
        ? LifeChange(
          creation: Stamp(time: 1, client: ClientID(1)),
          deleted: DeletedGeneration(Generation(1), heard: core.head.version))
        : LifeChange(
          creation: nil,
          deleted: DeletedGeneration(Generation(generation - 1), heard: core.head.version))
      let client = try #require(core.files.keys.first)
      let batch = UploadBatch(number: number, cursor: core.head.version, objects: [change])
      try upload(batch, from: client, to: &core)
      #expect(core.files[client]?.refusedObjects(in: number).isEmpty == (generation == 3))
    }
  }

  @Test("how many creations there are of which the client has not confirmed to know")
  func creations() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.sync(0)
    var core = bench.server
    let type = try #require(core.head.names.find("Item"))
    let client = ClientID(7)
    try core.bind(
      client, user: "user", cursor: .zero, query: 0, epoch: 0, batches: [], now: 1_000)
    func change(_ number: UInt64, _ keys: Range<Int64>, isDeletion: Bool) throws {
      let objects = keys.map { key in
        var change = ObjectChange(
          id: ObjectID(type: type, key: .int(key)), generation: Generation(isDeletion ? 2 : 1))
        let deleted = DeletedGeneration(Generation(1), heard: ServerVersion(.max))
        change.life =
          isDeletion
          ? LifeChange(creation: nil, deleted: deleted)
          : LifeChange(creation: Stamp(time: 1, client: client))
        return change
      }
      let batch = UploadBatch(number: number, cursor: .zero, objects: objects)
      try upload(batch, from: client, to: &core)
    }
    core.unansweredObjects = 200
    // They are counted though the objects are gone.
    for number in UInt64(1)...5 {
      let first = Int64((number - 1) / 2) * 100
      try change(number, first..<first + 100, isDeletion: number % 2 == 0)
    }
    #expect(throws: SyncError.self) { try change(6, 0..<1, isDeletion: false) }
  }

  @Test("what a client has not heard of, but not for good: it comes anew, and is heard")
  func unanswered() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 100)
    try bench.sync(0)
    bench.server.unansweredObjects = 10
    var failures = 0
    func connect(losesAnswer: Bool) {
      do { try bench.sync(0, losesAnswer: losesAnswer) } catch { failures += 1 }
    }
    for key in Int64(1)...9 {
      for isAnew in [false, true] {
        if isAnew { try bench.delete(0, key) }
        try bench.create(0, key)
        connect(losesAnswer: true)
      }
    }
    for _ in 0..<3 { connect(losesAnswer: false) }
    #expect((1...2).contains(failures))
    #expect(!bench.isDirty(0) && (Int64(1)...9).allSatisfy { bench.exists(0, $0) })
  }

  @Test("the client files of a user, of whom those go that were away longest")
  func files() throws {
    var core = try SyncBench(devices: 0).server
    for number in UInt64(1)...6 {
      let user: Text = number == 6 ? "another" : "user"
      try core.bind(
        ClientID(number), user: user, cursor: .zero, query: 0, epoch: 0, batches: [],
        now: 1_000 + number)
    }
    core.limitFiles(of: "user", to: 2, keeping: [ClientID(1), ClientID(5)])
    try core.flush()
    #expect(Set(core.files.keys.map(\.rawValue)) == [1, 5, 6])
    #expect(Set(try core.storage.clientFiles().map(\.id.rawValue)) == [1, 5, 6])
  }

  @Test("what it has ready for one who does not take it: one part is made after the other")
  func parts() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.set(0, 1, "any", .data([UInt8](repeating: 7, count: 5 << 20)))
    try bench.sync(0)
    var core = bench.server
    var session = try reader(&core)
    var sizes: [Int] = []
    while case let actions = session.poll(&core, now: 2), !actions.isEmpty {
      try #require(actions.count == 1)
      guard case .send(let frame) = actions[0] else { break }
      sizes.append(frame.count)
      #expect(session.unsentBytes > 5 << 20 || sizes.count == 6)
    }
    #expect(sizes.count == 6 && sizes.allSatisfy { $0 <= Limits.frameBytes })
    #expect(session.unsentBytes == 0 && !session.isClosed)
  }

  @Test("a client to confirm what it has been sent whole")
  func confirmation() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.set(0, 1, "any", .data([UInt8](repeating: 7, count: 3 << 20)))
    try bench.sync(0)
    var core = bench.server
    var session = try reader(&core)
    _ = session.poll(&core, now: 2)
    let confirm = Frame.confirm(core.head.version, query: 1).encoded
    _ = session.receive(confirm, &core, now: 2)
    #expect(session.isClosed)
  }

  @Test("a transaction's bytes: what is more comes in slices")
  func slices() throws {
    var bench = try SyncBench(devices: 1)
    for key in Int64(0)..<5 {
      try bench.create(0, key)
      try bench.set(0, key, "any", .data([UInt8](repeating: 7, count: 12 << 20)))
    }
    try bench.sync(0)
    var core = bench.server
    var session = try reader(&core)
    var slices: [Int] = []
    var bytes: [UInt8] = []
    while case .send(let frame)? = session.poll(&core, now: 2).first {
      guard case .download(_, let isLast, let part) = try Frame.decode(frame) else { continue }
      bytes += part
      guard isLast else { continue }
      var names = core.head.names
      slices.append(try DownloadSlice.decode(bytes, names: &names).objects.count)
      bytes = []
    }
    #expect(slices == [1, 1, 1, 1, 1])
  }

  @Test("a transaction to what was missed: what comes into view comes in short slices")
  func views() throws {
    var bench = try SyncBench(devices: 1)
    func create(_ keys: Range<Int64>) throws {
      for key in keys {
        try bench.create(0, key)
        try bench.set(0, key, "owner", .int(key % 2))
      }
      try bench.sync(0)
    }
    /// How many objects each slice has that the reader is sent.
    func read() throws -> [Int] {
      var sizes: [Int] = []
      var download = try #require(try bench.server.beginDownload(for: reader, now: 1))
      while !download.isComplete {
        let slice = try bench.server.nextSlice(
          of: &download, cellsAtMost: 1_000, cellsOfSlice: 10)
        sizes.append(slice.objects.count)
        if slice.isLast {
          bench.server.confirm(reader, cursor: slice.to, query: slice.queryVersion)
        }
      }
      try bench.server.flush()
      return sizes
    }
    let reader = ClientID(77)
    try create(0..<40)
    try bench.server.bind(
      reader, user: "reader", cursor: .zero, query: 0, epoch: 0, batches: [], now: 1)
    let odd = Subscription(type: "Item", query: "owner == 1")
    bench.server.subscribe(reader, version: 1, to: [odd])
    try bench.server.flush()
    let first = try read()
    #expect(first.reduce(0, +) == 20 && first.allSatisfy { $0 <= 5 }, "\(first)")
    // What it has missed, with what comes into view: as the transactions left it.
    try create(40..<70)
    #expect(try read() == [15])
    try create(70..<100)
    bench.server.subscribe(reader, version: 2, to: [Subscription(type: "Item", query: "")])
    try bench.server.flush()
    let second = try read()
    #expect(second.reduce(0, +) == 65 && second[0] == 30, "\(second)")
    #expect(second.dropFirst().allSatisfy { $0 <= 5 }, "\(second)")
    // What leaves it is not nothing.
    bench.server.subscribe(reader, version: 3, to: [])
    try bench.server.flush()
    let third = try read()
    #expect(third.reduce(0, +) == 100 && third.allSatisfy { $0 <= 10 }, "\(third)")
  }

  @Test("who waits for all that there is to what has been sent: its ping is answered after that")
  func pings() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.sync(0)
    var core = bench.server
    var session = try reader(&core)
    #expect(session.receive(Frame.ping(7).encoded, &core, now: 2) == [])
    // One that only keeps the connection alive is answered however much there is to send.
    let alive = session.receive(Frame.ping(0).encoded, &core, now: 2)
    #expect(alive == [.send(Frame.pong(0).encoded)])
    guard case .send(let first)? = session.poll(&core, now: 2).first,
      case .download(_, true, _) = try Frame.decode(first)
    else {
      Issue.record("a download was expected")
      return
    }
    #expect(session.poll(&core, now: 2) == [.send(Frame.pong(7).encoded)])
    #expect(session.poll(&core, now: 2) == [])
    for number in UInt64(1)...8 {
      #expect(session.receive(Frame.ping(number).encoded, &core, now: 2) == [])
    }
    #expect(!session.receive(Frame.ping(9).encoded, &core, now: 2).isEmpty)
  }

  /// The session of a client that has nothing and wants everything.
  private func reader<Storage>(
    _ core: inout ServerCore<Storage>
  ) throws -> ServerSession {
    var session = ServerSession(app: "lab")
    _ = session.receive(Frame.hello(oldest: 1, newest: 1, app: "lab").encoded, &core, now: 1)
    _ = session.receive(Frame.token("reader").encoded, &core, now: 1)
    _ = session.authenticate("reader", expiry: .max, now: 1)
    let bind = Frame.bind(
      client: ClientID(77), epoch: 0, cursor: .zero, query: 0, batches: [], download: .none)
    _ = session.receive(bind.encoded, &core, now: 1)
    _ = session.receive(Frame.schema([]).encoded, &core, now: 1)
    let query = Frame.query(version: 1, [Subscription(type: "Item", query: "")])
    _ = session.receive(query.encoded, &core, now: 1)
    try core.flush()
    return session
  }
}
