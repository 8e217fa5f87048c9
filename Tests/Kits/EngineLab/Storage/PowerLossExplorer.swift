import Platform
import TestSupport
import Storage
import Synchronization

/// What an explorer does to a file. The content of a version follows from that of the version
/// before it and from its number.
public protocol PowerLossWorkload {
  associatedtype State

  /// What a new file holds.
  var empty: State { get }

  /// Makes the changes of the transaction's version, to a file that holds `state`.
  ///
  /// - Returns: what the file holds then, and the history for the commit.
  func change(
    _ state: State, in transaction: WriteTransaction
  ) throws -> (state: State, history: [UInt8])

  /// Says what in the snapshot differs from `state`; nil when nothing does.
  func mismatch(in snapshot: Snapshot, _ state: State) throws -> String?
}

extension LeafModel: PowerLossWorkload {
  public var empty: [Leaf] { [] }

  public func change(
    _ state: [Leaf], in transaction: WriteTransaction
  ) throws -> (state: [Leaf], history: [UInt8]) {
    try apply(to: transaction)
    return (next(state, version: transaction.version), [1, 2, 3])
  }

  public func mismatch(in snapshot: Snapshot, _ state: [Leaf]) throws -> String? {
    try mismatch(in: snapshot, leaves: state)
  }
}

/// What an explorer has seen.
public struct PowerLossOutcome: Sendable {
  public var states = 0
  public var bad: [String] = []
  public var recoveries = 0
}

/// Runs a workload on a simulated disk and, after every system call that could matter, looks at the
/// disks that a power loss at that moment could leave: each must open to a version that the
/// durability promises, whole, with every byte accounted for.
public final class PowerLossExplorer<Workload: PowerLossWorkload> {
  public let durability: Durability
  public let seed: UInt64
  public private(set) var outcome = PowerLossOutcome()
  private let workload: Workload
  private let key: EncryptionKey?
  private var random: SeededGenerator
  private var statesByVersion: [Version: Workload.State] = [:]
  private let statesPerMoment: Int
  private let path = "/data.realm"
  /// The version that a power loss must not take, as of the last time that nothing was under way.
  private var promise = Version(1)

  public init(
    _ workload: Workload, durability: Durability, seed: UInt64, statesPerMoment: Int,
    key: EncryptionKey? = nil
  ) {
    self.workload = workload
    self.key = key
    self.durability = durability
    self.seed = seed
    self.statesPerMoment = statesPerMoment
    random = SeededGenerator(seed: seed)
    statesByVersion[1] = workload.empty
  }

  private var options: DatabaseOptions {
    var options = DatabaseOptions()
    options.durability = durability
    options.encryptionKey = key
    options.compactsInBackground = false
    options.relaxedFlushDelayMilliseconds = 3_600_000
    options.mappingReservation = 1 << 20
    return options
  }

  /// Makes commits until `states` disks have been looked at.
  public func run(states: Int) throws {
    while outcome.states < states && outcome.bad.count < 10 {
      try runOnce(limit: states)
    }
  }

  /// One life of one file: made, written to, compacted, reopened.
  private func runOnce(limit: Int) throws {
    let system = SimulatedSystem()
    system.recordsCalls = false
    let watcher = CrashMoments(path: path)
    system.observer = watcher.observe
    var database: Database? = try Database.open(path: path, options: options, system: system)
    examine(watcher.take(), acknowledged: 0, attempted: 1)
    promise = 1
    let commits = 6 + random.below(10)
    for _ in 0..<commits where outcome.states < limit {
      try step(database!, watcher)
    }
    if random.below(2) == 0 {
      let newest = database!.newestVersion
      _ = try database!.compactStep(force: true)
      remember(from: newest, to: database!.newestVersion)
      examine(watcher.take(), acknowledged: promise, attempted: database!.newestVersion)
      promise = promised(database!)
    }
    let newest = database!.newestVersion
    database = nil
    database = try Database.open(path: path, options: options, system: system)
    examine(watcher.take(), acknowledged: promise, attempted: newest)
    system.observer = nil
  }

  /// The version that must survive.
  private func promised(_ database: Database) -> Version {
    switch durability {
    case .full, .strict: database.newestVersion
    default: database.durableVersion
    }
  }

  private func step(_ database: Database, _ watcher: CrashMoments) throws {
    let transaction = try database.beginWrite()
    let version = transaction.version
    let (state, history) = try workload.change(
      statesByVersion[transaction.baseVersion]!, in: transaction)
    statesByVersion[version] = state
    _ = try transaction.commit(history: history)
    examine(watcher.take(), acknowledged: promise, attempted: version)
    if durability == .relaxed || durability == .grouped, random.below(3) == 0 {
      try database.flush()
      examine(watcher.take(), acknowledged: promise, attempted: version)
    }
    // After the call has returned, and a flush in the background with it: the promise is the new
    // version.
    database.drainMaintenance()
    examine(watcher.take(), acknowledged: promise, attempted: version)
    promise = promised(database)
    examine([system(database).pending(of: path)], acknowledged: promise, attempted: version)
  }

  private func system(_ database: Database) -> SimulatedSystem {
    database.system as! SimulatedSystem
  }

  /// Compaction makes versions with the content of the one before.
  private func remember(from old: Version, to new: Version) {
    var version = old
    while version < new {
      statesByVersion[version.next] = statesByVersion[version]
      version = version.next
    }
  }

  // MARK: looking at disks

  private func examine(_ moments: [CrashPlan], acknowledged: Version, attempted: Version) {
    for moment in moments {
      for disk in disks(moment) {
        check(disk, acknowledged: acknowledged, attempted: attempted, depth: 0)
      }
    }
  }

  /// Some of the disks of a moment: all when they are few, else the telling ones (nothing, all, all
  /// but one, only one, prefixes) and random ones.
  private func disks(_ plan: CrashPlan) -> [[UInt8]] {
    let sectors = plan.sectors
    var images: [[UInt8]] = []
    let sizes = Array(Set(plan.sizes))
    for _ in 0..<statesPerMoment {
      var chosen: [Int]
      switch random.below(6) {
      case 0: chosen = []
      case 1: chosen = Array(sectors.indices)
      case 2:
        chosen = Array(sectors.indices)
        if !chosen.isEmpty { chosen.remove(at: random.below(chosen.count)) }
      case 3: chosen = sectors.isEmpty ? [] : [random.below(sectors.count)]
      case 4: chosen = Array(sectors.indices.prefix(random.below(sectors.count + 1)))
      default: chosen = sectors.indices.filter { _ in random.below(4) != 0 }
      }
      if random.below(3) == 0 { chosen.shuffle(using: &random) }
      let torn = random.below(4) == 0 ? random.below(CrashPlan.sectorSize) : nil
      let size = random.below(3) == 0 ? sizes[random.below(sizes.count)] : plan.sizes.max()!
      var image = plan.image(chosen: chosen, of: sectors, size: size, tornAt: torn)
      // `strict` keeps its word also on disks that lose a block as a whole when power fails; it
      // gives it when the file has been made.
      if durability == .strict, plan.hasHeader, !sectors.isEmpty, random.below(3) == 0 {
        let block = sectors[random.below(sectors.count)].offset / CrashPlan.blockSize
        CrashPlan.destroy(block: block, of: &image, using: &random)
      }
      images.append(image)
    }
    return images
  }

  private func check(_ disk: [UInt8], acknowledged: Version, attempted: Version, depth: Int) {
    outcome.states += 1
    let system = SimulatedSystem()
    system.recordsCalls = false
    system.install(disk, at: path)
    let watcher = CrashMoments(path: path)
    let looksAtRecovery = depth == 0 && random.below(10) == 0
    if looksAtRecovery { system.observer = watcher.observe }
    do {
      let database = try Database.open(path: path, options: options, system: system)
      let version = database.newestVersion
      if version < acknowledged && acknowledged > 1 || version > max(attempted, 1) {
        report("version \(version) came back, \(acknowledged)...\(attempted) were promised")
        return
      }
      let snapshot = try database.pinNewest()
      let state = statesByVersion[version] ?? workload.empty
      if let difference = try workload.mismatch(in: snapshot, state) { report(difference) }
      let verified = try database.verify()
      if let finding = verified.findings.first { report(finding.description) }
      system.observer = nil
      if random.below(8) == 0 { try goOn(database) }
    } catch {
      report("\(error)")
    }
    if looksAtRecovery {
      system.observer = nil
      outcome.recoveries += 1
      for moment in watcher.take().suffix(4) {
        for disk in disks(moment).prefix(2) {
          check(disk, acknowledged: acknowledged, attempted: attempted, depth: 1)
        }
      }
    }
  }

  /// A recovered file can be written to.
  private func goOn(_ database: Database) throws {
    let transaction = try database.beginWrite()
    let base = statesByVersion[transaction.baseVersion] ?? workload.empty
    let (state, history) = try workload.change(base, in: transaction)
    let snapshot = try transaction.commit(history: history)
    if let difference = try workload.mismatch(in: snapshot, state) {
      report("after recovery: \(difference)")
    }
    let verified = try database.verify()
    if let finding = verified.findings.first { report("after recovery: \(finding)") }
  }

  private func report(_ message: String) {
    if outcome.bad.count < 10 {
      outcome.bad.append("seed \(seed), \(durability), state \(outcome.states): \(message)")
    }
  }
}

extension PowerLossExplorer where Workload == LeafModel {
  public convenience init(
    durability: Durability, seed: UInt64, statesPerMoment: Int, key: EncryptionKey? = nil
  ) {
    let model = LeafModel(
      leafCount: 12 + Int(seed % 30), wordsMax: 150, changesMax: 4, seed: seed)
    self.init(
      model, durability: durability, seed: seed, statesPerMoment: statesPerMoment, key: key)
  }
}

extension CrashPlan {
  fileprivate var hasHeader: Bool { base.starts(with: Array("HOLDFAST".utf8)) }
}

/// Remembers what was unflushed after each call that changed the disk.
private final class CrashMoments: Sendable {
  private let path: String
  private let moments = LockedValue<[CrashPlan]>([])

  init(path: String) { self.path = path }

  func observe(_ system: SimulatedSystem, _ changed: String) {
    guard changed == path else { return }
    let plan = system.pendingLocked(of: path)
    moments.withLock { $0.append(plan) }
  }

  func take() -> [CrashPlan] {
    moments.withLock { moments in
      defer { moments = [] }
      return moments
    }
  }
}
