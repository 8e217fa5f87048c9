import SyncProtocol
import TestSupport

/// Hostile frames for whole sessions: of a client for a server that has data of others, and of a
/// server for a client. Each ends in an answer, an error frame or a closed connection.
public struct SessionFuzz {
  private var random: SeededGenerator
  private var peer: HostilePeer
  private var server: ServerCore<SimulatedServerStorage>
  private var session = ServerSession(app: "lab")
  private var client: ClientCore<MemoryClientStorage>
  private var clientSession: ClientSession
  private var frames: [[UInt8]] = []
  private var now: UInt64 = 1_700_000_000_000
  private let secret: [UInt8] = Array("what only the victim may see".utf8)

  private static let attacker = ClientID(0x2000)
  private static let victim = ClientID(0x1000)

  private init(seed: UInt64) throws(SyncError) {
    random = SeededGenerator(seed: seed)
    var names = Names()
    for type in LabClasses.classes(isNew: true) {
      _ = names.add(type.name)
      for property in type.properties.keys.sorted() { _ = names.add(property) }
    }
    peer = HostilePeer(random: SeededGenerator(seed: ~seed), names: names)
    server = try Self.server(with: secret)
    client = Self.client()
    clientSession = ClientSession(app: "lab", token: "t", classes: [])
    frames = ProtocolSamples.frames.map(\.frame.encoded)
  }

  /// So many frames, half of them to a server; says what was wrong, if anything was.
  public static func run(count: Int, seed: UInt64) -> String? {
    do {
      var fuzz = try SessionFuzz(seed: seed)
      for index in 0..<count {
        let finding = index % 2 == 0 ? try fuzz.attackServer() : try fuzz.attackClient()
        if let finding { return "frame \(index) of seed \(seed): \(finding)" }
        // What was taken grows as it may; here it begins anew.
        if index % 20_000 == 19_999 {
          if let finding = try fuzz.theftOrLoss() { return finding }
          fuzz.server = try server(with: fuzz.secret)
          fuzz.session = ServerSession(app: "lab")
        }
      }
      return nil
    } catch {
      return "seed \(seed): \(error)"
    }
  }

  /// A server with one object of another user, whose items the attacker may not see or change.
  private static func server(
    with secret: [UInt8]
  ) throws(SyncError) -> ServerCore<SimulatedServerStorage> {
    var storage = SimulatedServerStorage(epoch: 1)
    storage.hiddenOwners["attacker"] = 7
    storage.locksHidden = true
    var server = try ServerCore(storage: storage, isSchemaOpen: true)
    _ = server.addClasses(LabClasses.classes(isNew: true))
    try server.bind(victim, user: "victim", cursor: .zero, query: 0, epoch: 0, batches: [], now: 1)
    var device = Device(number: 0, isNew: true, skew: 0)
    let id = ObjectID(type: device.name(LabClasses.item), key: .int(0))
    device.core.create(id, now: 1)
    device.core.set(.property(device.name("owner")), in: id, to: .int(7), now: 1)
    let text = CellValue.string(Text(String(decoding: secret, as: UTF8.self)))
    device.core.set(.property(device.name("b")), in: id, to: text, now: 1)
    try device.core.storage.commit()
    if let batch = try device.core.makeBatch() {
      let bytes = batch.encoded(names: device.core.storage.record.names)
      do {
        let received = try UploadBatch.decode(bytes, names: server.head.names)
        _ = try server.upload(received, from: victim, now: 2)
      } catch {
        throw SyncError(.badFrame, "The victim's batch could not be read.")
      }
    }
    try server.flush()
    return server
  }

  /// A client with something of everything that is not acknowledged.
  private static func client() -> ClientCore<MemoryClientStorage> {
    var device = Device(number: 0, isNew: true, skew: 0)
    for key in Int64(0)..<2 {
      let id = ObjectID(type: device.name(LabClasses.item), key: .int(key))
      device.core.create(id, now: 1)
      let list = ContainerID(declaredBy: device.name("list"), in: .root)
      for index in 0..<3 {
        device.core.insert(.int(1), at: index, of: list, in: id, now: 1)
      }
      device.core.set(.property(device.name("any")), in: id, to: .map, now: 1)
    }
    try? device.core.storage.commit()
    return device.core
  }
}

extension SessionFuzz {
  private mutating func damaged(_ frame: Frame) -> [UInt8] {
    switch random.below(10) {
    case 0: FrameFuzz.damaged(frame.encoded, &random)
    case 1: FrameFuzz.damaged(frames[random.below(frames.count)], &random)
    case 2 where random.below(200) == 0:
      [UInt8](repeating: 11, count: Limits.frameBytes + random.below(2))
    default: frame.encoded
    }
  }

  private mutating func attackServer() throws(SyncError) -> String? {
    now += 1
    if session.isClosed { session = ServerSession(app: "lab") }
    if session.client == nil, random.below(10) > 0 {
      if let finding = try give(Frame.hello(oldest: 1, newest: 1, app: "lab").encoded) {
        return finding
      }
      if let finding = try give(Frame.token("attacker").encoded) { return finding }
      let epoch = random.below(2) == 0 ? server.head.epoch : 0
      let cursor = server.files[Self.attacker]?.cursor ?? .zero
      let bind = Frame.bind(
        client: Self.attacker, epoch: epoch, cursor: cursor, query: 0, batches: [],
        download: DownloadPosition(number: random.below(2) == 0 ? now : 0, slices: 1))
      if let finding = try give(bind.encoded) { return finding }
      // Before that nothing is sent.
      if let finding = try give(Frame.schema([]).encoded) { return finding }
    }
    let file = server.files[Self.attacker]
    let frame =
      random.below(3) > 0
      ? peer.upload(after: file?.acknowledged ?? 0, cursor: file?.cursor ?? .zero) : peer.other()
    return try give(damaged(frame))
  }

  /// What the server makes of a frame.
  private mutating func give(_ bytes: [UInt8]) throws(SyncError) -> String? {
    var actions = session.receive(bytes, &server, now: now)
    try server.flush()
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .send(let frame):
        if frame.contains(secret) { return "the server says what the victim wrote" }
        try confirm(frame)
      case .verify(let token):
        let user = token == "attacker" || token == "victim" ? token : nil
        // The attacker has only his own token; another one is one that was stolen and has run out.
        actions += session.authenticate(
          user == "attacker" ? user : nil, expiry: .max, now: now)
      case .close:
        if !session.isClosed { return "a session that is closed goes on" }
        return nil
      }
    }
    if session.client == Self.victim { return "the attacker has the victim's file" }
    if session.pendingBytes > Limits.batchBytes { return "a batch has no end" }
    guard session.client != nil else { return nil }
    for action in session.poll(&server, now: now) {
      guard case .send(let frame) = action else { continue }
      if frame.contains(secret) { return "the server says what the victim wrote" }
      try confirm(frame)
    }
    return nil
  }

  /// Mostly the attacker takes downloads as any client does, so that there are more.
  private mutating func confirm(_ frame: [UInt8]) throws(SyncError) {
    guard random.below(4) > 0, case .download(_, true, let bytes)? = try? Frame.decode(frame)
    else { return }
    var names = server.head.names
    guard let slice = try? DownloadSlice.decode(bytes, names: &names), slice.isLast else { return }
    let confirm = Frame.confirm(slice.to, query: slice.queryVersion)
    _ = session.receive(confirm.encoded, &server, now: now)
    try server.flush()
  }

  /// Whether what the victim wrote is still there.
  private func theftOrLoss() throws(SyncError) -> String? {
    let names = server.head.names
    let id = ObjectID(type: names.find(LabClasses.item) ?? .none, key: .int(0))
    let text = CellValue.string(Text(String(decoding: secret, as: UTF8.self)))
    let value = try server.storage.object(id)?.property(names.find("b") ?? .none)
    return value == text ? nil : "the victim's object was changed"
  }

  private mutating func attackClient() throws(SyncError) -> String? {
    now += 1
    if clientSession.isClosed || random.below(2_000) == 0 {
      if random.below(50) == 0 { client = Self.client() }
      clientSession = ClientSession(
        app: "lab", token: "t", classes: LabClasses.classes(isNew: true))
      peer.partsOfDownload = 0
      let epoch: UInt64 = random.below(10) == 0 ? 2 : 1
      let opening: [Frame] = [
        .welcome(version: 1, epoch: epoch, time: now), .accepted,
        .bound(acknowledged: 0, goesOn: random.below(50) == 0),
        .schemaResult([]),
      ]
      for frame in opening.prefix(random.below(8) == 0 ? random.below(4) : 4) {
        _ = clientSession.receive(frame.encoded, &client, now: now)
      }
    }
    let frame =
      random.below(8) > 0
      ? peer.download(from: client.storage.record.cursor) : peer.other()
    for action in clientSession.receive(damaged(frame), &client, now: now) {
      if case .close = action, !clientSession.isClosed { return "a session goes on when closed" }
    }
    if !clientSession.isClosed { _ = try clientSession.poll(&client) }
    return nil
  }
}
