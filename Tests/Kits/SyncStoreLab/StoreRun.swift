import ObjectStore
import Storage
import TestSupport

/// Files that change at random and a server, from a seed: connections end at any time; at the end
/// all files hold the same.
public struct StoreRun {
  private var random: SeededGenerator
  private var network: StoreNetwork
  /// Of one commit, at most. One is such that the log takes it, mostly.
  private let writesOfCommit: Int

  private init(seed: UInt64, devices count: Int) throws {
    random = SeededGenerator(seed: seed)
    network = try StoreNetwork(devices: count, epoch: seed + 1)
    writesOfCommit = seed % 3 == 0 ? 4 : 1
    for device in network.devices { device.setDigestedAtOnce(2) }
    if seed % 2 == 0 { for device in network.devices { device.setBatchBytes(wanted: 200) } }
  }

  /// What went wrong; nil if nothing did.
  public static func run(seed: UInt64, steps: Int = 60) throws -> String? {
    var run = try StoreRun(seed: seed, devices: 3)
    for _ in 0..<steps {
      try run.step()
      if let finding = try run.findings() { return finding }
    }
    for device in run.devices.indices { run.network.connect(device) }
    try run.network.settle()
    if let finding = try run.findings() { return finding }
    let texts = try run.devices.map { try $0.contents }
    for (index, text) in texts.enumerated() where text != texts[0] {
      return "device \(index) has\n\(text)\nand device 0\n\(texts[0])"
    }
    if texts[0].isEmpty { return "nothing is left to compare" }
    for device in run.devices where try device.isDirty {
      return "something is not acknowledged"
    }
    return nil
  }

  private mutating func step() throws {
    network.clock.now += UInt64(random.below(50))
    let device = random.below(devices.count)
    switch random.below(4) {
    case 0, 1:
      let seed = random.next()
      let count = writesOfCommit
      try devices[device].write { writes in
        var writer = StoreWriter(writes, SeededGenerator(seed: seed))
        try writer.change(upTo: count)
      }
    case 2:
      try network.exchange(device, turns: 1 + random.below(12))
    default:
      switch random.below(3) {
      case 0: network.disconnect(device)
      case 1: _ = try devices[device].digest()
      default:
        network.disconnect(device)
        devices[device].reopen()
      }
    }
  }

  private var devices: [StoreDevice] { network.devices }

  private func findings() throws -> String? {
    for device in devices {
      let snapshot = try device.database.pinNewest()
      if let finding = snapshot.storeFindings().first { return "\(finding)" }
    }
    return nil
  }
}
