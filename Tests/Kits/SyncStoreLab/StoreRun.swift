import ObjectStore
import Storage
import SyncLab
import TestSupport

/// Files that change at random and a server, from a seed: connections end at any time; at the end
/// all files hold the same.
public struct StoreRun {
  private var random: SeededGenerator
  private var network: StoreNetwork
  /// Of one commit, at most. One is such that the log takes it, mostly.
  private let writesOfCommit: Int
  /// When backups of the server are made and restored, if they are.
  private var restoring: SeededGenerator?
  private var backup: SimulatedServerStorage?
  /// Which objects files want to see from then on, if that changes.
  private var viewing: SeededGenerator?

  private init(
    seed: UInt64, devices count: Int, isRestored: Bool, changesViews: Bool
  ) throws {
    restoring = isRestored ? SeededGenerator(seed: ~seed) : nil
    viewing = changesViews ? SeededGenerator(seed: ~seed &+ 1) : nil
    random = SeededGenerator(seed: seed)
    network = try StoreNetwork(devices: count, epoch: seed + 1)
    writesOfCommit = seed % 3 == 0 ? 4 : 1
    for device in network.devices { device.setDigestedAtOnce(2) }
    if seed % 2 == 0 { for device in network.devices { device.setBatchBytes(wanted: 200) } }
  }

  /// What went wrong; nil if nothing did.
  ///
  /// - Parameters:
  ///   - isRestored: whether the server goes back to backups.
  ///   - changesViews: whether files see some of the objects, now these and now those.
  public static func run(
    seed: UInt64, steps: Int = 60, isRestored: Bool = false, changesViews: Bool = false
  ) throws -> String? {
    var run = try StoreRun(
      seed: seed, devices: 3, isRestored: isRestored, changesViews: changesViews)
    for _ in 0..<steps {
      try run.step()
      if let finding = try run.findings() { return finding }
    }
    for device in run.devices.indices { run.network.connect(device) }
    if changesViews { for device in run.devices { try device.subscribe(to: "") } }
    try run.network.settle()
    if let finding = try run.findings() { return finding }
    let texts = try run.devices.map { try $0.contents }
    for (index, text) in texts.enumerated() where text != texts[0] {
      return "device \(index) has\n\(text)\nand device 0\n\(texts[0])"
    }
    // Of a few objects a backup may have had none.
    if texts[0].isEmpty, !isRestored { return "nothing is left to compare" }
    for device in run.devices where try device.isDirty {
      return "something is not acknowledged"
    }
    return nil
  }

  private mutating func step() throws {
    network.clock.now += UInt64(random.below(50))
    let device = random.below(devices.count)
    if restoring?.below(15) == 0 { try restore() }
    if viewing?.below(5) == 0, let view = viewing?.below(3) {
      try devices[device].subscribe(to: ["", "number < 30", "number < 60"][view])
      try network.exchange(device, turns: 8)
    }
    switch random.below(4) {
    case 0, 1:
      let seed = random.next()
      let count = writesOfCommit
      // What a restored server does not know of is the more for it.
      let clearsOften = restoring != nil
      let numbersNew = viewing != nil
      try devices[device].write { writes in
        var writer = StoreWriter(writes, SeededGenerator(seed: seed))
        writer.clearsOften = clearsOften
        writer.numbersNew = numbersNew
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

  private mutating func restore() throws {
    if let backup { try network.restore(backup) } else { backup = network.server.storage }
    if restoring?.below(4) == 0 { backup = nil }
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
