import ObjectStore
import Storage
import SyncLab
import SyncProtocol
import SyncStore
import TestSupport

/// Files that change at random and a server, from a seed: connections end at any time; at the end
/// all files hold the same.
public struct StoreRun {
  private var random: SeededGenerator
  private let clock = StoreClock()
  private var server: ServerCore<SimulatedServerStorage>
  private var sessions: [ServerSession?]
  private let devices: [StoreDevice]

  private init(seed: UInt64, devices count: Int) throws {
    random = SeededGenerator(seed: seed)
    server = try ServerCore(storage: SimulatedServerStorage(epoch: seed + 1), isSchemaOpen: true)
    sessions = Array(repeating: nil, count: count)
    let clock = clock
    devices = try (0..<count).map {
      try StoreDevice(
        UInt64($0 + 1), clock: clock, subscriptions: [Subscription(type: "Thing", query: "")])
    }
  }

  /// What went wrong; nil if nothing did.
  public static func run(seed: UInt64, steps: Int = 60) throws -> String? {
    var run = try StoreRun(seed: seed, devices: 3)
    for _ in 0..<steps {
      try run.step()
      if let finding = try run.findings() { return finding }
    }
    for device in run.devices.indices { run.connect(device) }
    for _ in 0..<6 { for device in run.devices.indices { try run.exchange(device, turns: 40) } }
    if let finding = try run.findings() { return finding }
    let texts = try run.devices.map { try $0.read { try StoreDump($0).text() } }
    for (index, text) in texts.enumerated() where text != texts[0] {
      return "device \(index) has\n\(text)\nand device 0\n\(texts[0])"
    }
    if texts[0].isEmpty { return "nothing is left to compare" }
    for device in run.devices where try device.read({ try device.isDirty($0) }) {
      return "something is not acknowledged"
    }
    return nil
  }

  private mutating func step() throws {
    clock.now += UInt64(random.below(50))
    let device = random.below(devices.count)
    switch random.below(4) {
    case 0, 1:
      let seed = random.next()
      try devices[device].write { writes in
        var writer = StoreWriter(writes, SeededGenerator(seed: seed))
        try writer.change()
      }
    case 2:
      if devices[device].session == nil { connect(device) }
      try exchange(device, turns: 1 + random.below(12))
    default:
      if random.below(3) == 0 {
        devices[device].disconnect()
        sessions[device] = nil
      }
    }
  }

  private mutating func connect(_ device: Int) {
    devices[device].connect()
    sessions[device] = ServerSession(app: "lab")
  }

  private mutating func exchange(_ device: Int, turns: Int) throws {
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

  private func findings() throws -> String? {
    for device in devices {
      let snapshot = try device.database.pinNewest()
      if let finding = snapshot.storeFindings().first { return "\(finding)" }
    }
    return nil
  }
}

extension StoreDevice {
  func isDirty(_ view: StoreView) throws -> Bool {
    try SyncFile.info(view, cache)?.isDirty ?? true
  }
}
