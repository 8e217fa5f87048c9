import ObjectStore
import Storage
import TestSupport

/// Files that change at random and a server, from a seed: connections end at any time; at the end
/// all files hold the same.
public struct StoreRun {
  private var random: SeededGenerator
  private var network: StoreNetwork

  private init(seed: UInt64, devices count: Int) throws {
    random = SeededGenerator(seed: seed)
    network = try StoreNetwork(devices: count, epoch: seed + 1)
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
    let texts = try run.devices.map { try $0.read { try StoreDump($0).text() } }
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
      try devices[device].write { writes in
        var writer = StoreWriter(writes, SeededGenerator(seed: seed))
        try writer.change()
      }
    case 2:
      try network.exchange(device, turns: 1 + random.below(12))
    default:
      if random.below(3) == 0 {
        network.disconnect(device)
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
