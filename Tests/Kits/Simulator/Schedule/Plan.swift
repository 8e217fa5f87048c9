import Platform
import Storage
import TestSupport

/// What a seed chooses for a schedule before it begins.
public struct Plan {
  var processCount: Int
  var durabilities: [Durability]
  var sessionsPerProcess: Int
  var operationsPerSession: Int
  var wordsMax: Int
  var compactsOnLaunch: Bool
  var compactsInBackground: Bool
  /// With little the file outgrows what a process has mapped again and again, as a large one does
  /// seldom.
  let mappingReservation: UInt64
  var killsMax = 0
  var stopsMax = 0
  var powerLossesMax = 0
  var replacementsMax = 0
  var lockFileDeletionsMax = 0
  /// Restarts of the container that the processes run in.
  var restartsMax = 0
  /// Whether some of the sessions only read, and may be the first.
  var hasReaders = false
  /// Whether power is often lost soon after a process has died within a call, or the container has
  /// been started again.
  var losesPowerSoonAfterDeaths = false
  var machine = MachineSettings()
  /// How often actors do what, against each other.
  var weights: [Operation: Int] = [:]
  /// Steps from one event to the next, on average.
  var stepsBetweenEvents: Int
  /// The call right after which events come, where little of the time is and much can go wrong.
  let callBeforeEvents: SystemCall?
  var isInMemory: Bool { durabilities == [.inMemory] }
  /// What the file is encrypted with, in one of five schedules.
  let key: EncryptionKey?

  init(seed: UInt64, disks: Disks) {
    var random = SeededGenerator(seed: seed ^ 0x5EED)
    key = seed % 5 == 3 ? NewFile.key : nil
    mappingReservation = seed % 2 == 0 ? 1 << 20 : 1
    callBeforeEvents = [.fdatasync, nil, .fdatasync, .read][Int(seed / 2 % 4)]
    processCount = 1 + random.below(4)
    durabilities = Self.durabilities(&random)
    sessionsPerProcess = 1 + random.below(3)
    operationsPerSession = 4 + random.below(16)
    wordsMax = [12, 60, 400, 2500][random.below(4)]
    compactsOnLaunch = random.below(3) == 0
    compactsInBackground = random.below(2) == 0
    for operation in Operation.allCases { weights[operation] = [0, 1, 3, 10][random.below(4)] }
    weights[.write]! += 3
    stepsBetweenEvents = [100, 400, 1500][random.below(3)]
    if random.below(6) == 0 { compactMuch(&random) }
    if random.below(5) < 3 { killsMax = 1 + random.below(8) }
    if random.below(4) == 0 { stopsMax = 1 + random.below(3) }
    if random.below(2) == 0 { powerLossesMax = 1 + random.below(2) }
    if random.below(6) == 0 { replacementsMax = 1 + random.below(2) }
    if random.below(12) == 0 { lockFileDeletionsMax = 1 }
    machine.stepsBetweenSwitches = [1, 4, 15, 60, 300][random.below(5)]
    if random.below(6) == 0 { machine.fullDiskEvery = 10 + random.below(60) }
    if random.below(5) == 0 { machine.failedFlushEvery = 4 + random.below(20) }
    if random.below(12) == 0 { machine.otherFaultEvery = 40 + random.below(200) }
    if disks == .withDestroyedBlocks, random.below(5) == 0 {
      durabilities = [.strict]
      machine.tearsBlocks = true
      // What a failed flush has left uncertain is written again where it is, so of a disk that
      // fails in both ways nothing is promised.
      machine.failedFlushEvery = 0
    }
    hasReaders = !isInMemory && random.below(4) == 0
    if !isInMemory, seed % 7 == 0 { failMuch(&random) }
    guard !isInMemory, !machine.tearsBlocks else { return }
    if seed % 6 == 1 { failSilently(&random) }
    if seed % 12 == 7 { leaveUnpublished(&random) }
    if seed % 6 == 4 { dieAfterSlots(&random) }
  }

  /// Flushes that fail or take long, whose processes die over them, and readers who come next.
  private mutating func failMuch(_ random: inout SeededGenerator) {
    hasReaders = true
    killsMax = 4 + random.below(8)
    powerLossesMax = max(powerLossesMax, 1)
    sessionsPerProcess = max(sessionsPerProcess, 2)
    machine.slowFlushEvery = [0, 3][random.below(2)]
    if !machine.tearsBlocks { machine.failedFlushEvery = [0, 3, 8][random.below(3)] }
  }

  /// Processes that die over flushes that have failed, and containers that are started again: what
  /// the next process finds may be in the page cache alone, and nothing says so. Of `strict`, which
  /// writes nothing twice, less is promised then, and nothing where the lock-file is deleted.
  private mutating func failSilently(_ random: inout SeededGenerator) {
    failMuch(&random)
    durabilities = durabilities.map { $0 == .strict ? .full : $0 }
    if random.below(2) == 0 { durabilities = [[.grouped], [.relaxed]][random.below(2)] }
    lockFileDeletionsMax = 0
    replacementsMax = 0
    losePowerOften(&random)
    let kind = random.below(3)
    restartsMax = kind == 0 ? 0 : 3
    machine.failedFlushEvery = kind == 1 ? 0 : [3, 6, 12][random.below(3)]
    machine.deathInFailedFlushEvery = kind == 1 ? 0 : 2
  }

  /// Writers that die between a volatile slot and publishing it, beside flushes that fail and take
  /// their processes along; those who had opened the file before go on.
  private mutating func leaveUnpublished(_ random: inout SeededGenerator) {
    durabilities = [.relaxed]
    processCount = 4
    restartsMax = 0
    stopsMax = 0
    compactsOnLaunch = false
    (machine.fullDiskEvery, machine.otherFaultEvery) = (0, 0)
    machine.failedFlushEvery = [3, 6][random.below(2)]
    machine.deathInFailedFlushEvery = 1
    machine.deathAfterVolatileSlotEvery = 4
    machine.stepsBetweenSwitches = [1, 4, 15][random.below(3)]
    for operation in Operation.allCases { weights[operation] = random.below(2) }
    (weights[.write], weights[.flush]) = (12, 4)
  }

  /// Processes that die between a slot and their word of it. Others take over, by transactions or
  /// by flushes.
  private mutating func dieAfterSlots(_ random: inout SeededGenerator) {
    processCount = max(processCount, 2)
    durabilities = [[.relaxed], [.relaxed, .full], [.grouped], durabilities][random.below(4)]
    machine.deathAfterSlotEvery = 2 + random.below(4)
    machine.slowFlushEvery = [0, 2][random.below(2)]
    lockFileDeletionsMax = 0
    replacementsMax = 0
    weights[.flush] = 3
    losePowerOften(&random)
  }

  private mutating func losePowerOften(_ random: inout SeededGenerator) {
    losesPowerSoonAfterDeaths = true
    powerLossesMax = 12
    sessionsPerProcess = 3 + random.below(6)
    weights[.write]! += 12
  }

  /// Several processes that make a large file smaller again and again while it is flushed late, and
  /// a machine that loses power meanwhile.
  private mutating func compactMuch(_ random: inout SeededGenerator) {
    wordsMax = [2500, 16000][random.below(2)]
    processCount = 2 + random.below(2)
    operationsPerSession = 15 + random.below(30)
    durabilities = random.below(3) == 0 ? [.relaxed, .full] : [.relaxed]
    (weights[.compact], weights[.write], weights[.flush]) = (12, 10, 1)
    powerLossesMax = 2
    stepsBetweenEvents = [100, 400][random.below(2)]
  }

  enum Operation: CaseIterable {
    case write, writeLater, cancel, read, readAgain, release, flush, compact, listen, reap

    /// What a session does in its place that only reads.
    var asReader: Operation {
      switch self {
      case .write, .writeLater, .cancel, .flush, .compact: .read
      case .read, .readAgain, .release, .listen, .reap: self
      }
    }
  }

  func operation(_ random: inout SeededGenerator) -> Operation {
    var left = random.below(weights.values.reduce(0, +))
    for operation in Operation.allCases {
      left -= weights[operation]!
      if left < 0 { return operation }
    }
    return .write
  }

  private static func durabilities(_ random: inout SeededGenerator) -> [Durability] {
    switch random.below(12) {
    case 0, 1: [.full]
    case 2: [.strict]
    case 3: [.grouped]
    case 4, 5: [.relaxed]
    case 6: [.inMemory]
    case 7: [.relaxed, .full]
    case 8: [.grouped, .strict]
    default: [.full, .strict, .grouped, .relaxed]
    }
  }

  public enum Disks: Sendable {
    /// Writing a sector leaves the bytes of it that do not change.
    case keepingNeighbours
    /// And, in schedules where every commit is `strict`, disks on which a block is lost as a whole.
    case withDestroyedBlocks
  }
}
