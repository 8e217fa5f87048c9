import SyncLab
import SyncProtocol

/// Synced files and a server, whose frames a test hands over.
public struct StoreNetwork {
  public let clock = StoreClock()
  var server: ServerCore<SimulatedServerStorage>
  private var sessions: [ServerSession?]
  public let devices: [StoreDevice]

  /// Files that are subscribed to all there is, and not connected yet.
  public init(devices count: Int, epoch: UInt64 = 2) throws {
    server = try ServerCore(storage: SimulatedServerStorage(epoch: epoch), isSchemaOpen: true)
    sessions = Array(repeating: nil, count: count)
    let clock = clock
    devices = try (0..<count).map {
      try StoreDevice(
        UInt64($0 + 1), clock: clock,
        subscriptions: ["Thing", "Named"].map { Subscription(type: $0, query: "") })
    }
  }

  /// How many batches of uploads the server has merged.
  public var batches: UInt64 { server.head.version.rawValue }

  /// Exchanges frames until all have all, as long as nothing is written meanwhile.
  public mutating func settle() throws {
    for _ in 0..<6 { for device in devices.indices { try exchange(device, turns: 40) } }
  }

  /// The server forgets what no device can name any more.
  public mutating func trim() throws { try server.trim(expiry: 0) }

  /// The server goes on with what it had before, in another history.
  mutating func restore(_ backup: SimulatedServerStorage) throws {
    var storage = backup
    storage.startNewEpoch(server.head.epoch + 1)
    server = try ServerCore(storage: storage, isSchemaOpen: true)
    for device in devices.indices { disconnect(device) }
  }

  /// The device's connection ends, with all that is on its way.
  public mutating func disconnect(_ device: Int) {
    devices[device].disconnect()
    sessions[device] = nil
  }

  mutating func connect(_ device: Int) {
    devices[device].connect()
    sessions[device] = ServerSession(app: "lab")
  }

  public mutating func exchange(_ device: Int, turns: Int) throws {
    for _ in 0..<turns {
      clock.now += 1
      if devices[device].session == nil { connect(device) }
      if !devices[device].toServer.isEmpty {
        let frame = devices[device].toServer.removeFirst()
        let actions = sessions[device]?.receive(frame, &server, now: clock.now) ?? []
        obey(actions, device)
      }
      try server.flush()
      obey(sessions[device]?.poll(&server, now: clock.now) ?? [], device)
      if !devices[device].toClient.isEmpty {
        try devices[device].receive(devices[device].toClient.removeFirst())
      }
      try devices[device].poll()
    }
  }

  private mutating func obey(_ actions: [SessionAction], _ device: Int) {
    for action in actions {
      switch action {
      case .send(let bytes): devices[device].toClient.append(bytes)
      case .verify:
        let answers =
          sessions[device]?.authenticate("user", expiry: .max, now: clock.now) ?? []
        obey(answers, device)
      case .close: devices[device].disconnect()
      }
    }
  }
}
