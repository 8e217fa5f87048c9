import SyncLab
import SyncProtocol
import Testing

@Suite("a server that does not know what a client file's queries are") struct ReturningFileTests {
  @Test("because it has forgotten the file, sends all that they select and not nothing before")
  func forgotten() throws {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.sync(0)
    try bench.trim(expiringAll: true)
    try bench.trim(expiringAll: true, removingExpired: true)
    #expect(bench.server.files.isEmpty)
    try bench.create(0, 2)
    try bench.sync(0)
    // There is nothing that it has not heard of.
    #expect(bench.resets.isEmpty)
    #expect(bench.exists(0, 1) && bench.exists(0, 2) && !bench.isDirty(0))
  }

  @Test("because it ended before it heard what had arrived, discards nothing")
  func killed() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.syncAll()
    try bench.create(0, 2)
    try bench.sync(0)
    // What comes is applied, and the confirmation is lost.
    try bench.sync(1, cutAfter: 1)
    #expect(bench.exists(1, 2))
    try bench.set(1, 1, "owner", .int(7))
    try bench.create(1, 3)
    try bench.server.reload()
    try bench.sync(1, discardsUnsynced: true)
    #expect(bench.resets.isEmpty)
    try bench.syncAll()
    #expect(bench.exists(0, 3) && bench.value(0, 1, "owner") == .int(7))
  }

  @Test("because it is an older one, sends nothing for those that it knows")
  func older() throws {
    var bench = try SyncBench(devices: 2, query: "owner == 1")
    for key in Int64(1)...2 {
      try bench.create(0, key)
      try bench.set(0, key, "owner", .int(key))
    }
    try bench.syncAll()
    bench.backUp()
    try bench.subscribe(1, "owner == 2")
    try bench.syncAll()
    #expect(bench.exists(1, 2) && !bench.exists(1, 1))
    try bench.restore()
    try bench.sync(1)
    #expect(bench.resets == [bench.queryVersion(1)])
    #expect(bench.exists(1, 2) && !bench.exists(1, 1))
  }

  @Test("waits for them, and answers after that who waits for all that there is")
  func waits() throws {
    var core = try filled()
    var session = try session(query: 3, &core)
    #expect(session.receive(Frame.ping(7).encoded, &core, now: 2) == [])
    #expect(session.poll(&core, now: 2) == [])
    let query = Frame.query(version: 3, [Subscription(type: "Item", query: "")])
    _ = session.receive(query.encoded, &core, now: 2)
    try core.flush()
    #expect(try slice(&session, &core)?.queryVersion == 3)
    #expect(session.poll(&core, now: 2) == [.send(Frame.pong(7).encoded)])
  }

  @Test("waits no longer than the token is good")
  func token() throws {
    var core = try filled()
    var session = try session(query: 3, &core)
    #expect(session.poll(&core, now: 1_000).contains(.close))
  }

  @Test("does not wait for others if it cannot take them")
  func failing() throws {
    var core = try filled()
    core.subscriptionBytes = 4
    var session = try session(query: 3, &core)
    let query = Frame.query(version: 3, [Subscription(type: "Item", query: "a == 1")])
    #expect(session.receive(query.encoded, &core, now: 2).count == 1)
    try core.flush()
    #expect(try slice(&session, &core)?.queryVersion == 0)
  }

  @Test("does not wait if there are none")
  func none() throws {
    var core = try filled()
    var session = try session(query: 0, &core)
    #expect(try slice(&session, &core)?.isRebase == true)
  }

  /// A server that has an object.
  private func filled() throws -> ServerCore<SimulatedServerStorage> {
    var bench = try SyncBench(devices: 1)
    try bench.create(0, 1)
    try bench.sync(0)
    return bench.server
  }

  /// The session of a client file that the server does not know, and that has a query set.
  private func session<Storage>(
    query: UInt64, _ core: inout ServerCore<Storage>
  ) throws -> ServerSession {
    var session = ServerSession(app: "lab")
    _ = session.receive(Frame.hello(oldest: 1, newest: 1, app: "lab").encoded, &core, now: 1)
    _ = session.receive(Frame.token("user").encoded, &core, now: 1)
    _ = session.authenticate("user", expiry: 1_000, now: 1)
    let bind = Frame.bind(
      client: ClientID(77), epoch: core.head.epoch, cursor: ServerVersion(1), query: query,
      batches: [], download: .none)
    _ = session.receive(bind.encoded, &core, now: 1)
    #expect(session.poll(&core, now: 1) == [], "It has not said which classes it has.")
    _ = session.receive(Frame.schema([]).encoded, &core, now: 1)
    try core.flush()
    return session
  }

  /// What is sent next.
  private func slice<Storage>(
    _ session: inout ServerSession, _ core: inout ServerCore<Storage>
  ) throws -> DownloadSlice? {
    guard case .send(let frame)? = session.poll(&core, now: 2).first,
      case .download(_, true, let bytes) = try Frame.decode(frame)
    else { return nil }
    var names = core.head.names
    return try DownloadSlice.decode(bytes, names: &names)
  }
}
