import Glibc
import Platform
import Storage
import TestSupport

/// Four processes contend for the writer role while one of them is killed every 1...30 ms and
/// replaced, in chapters of files at different levels of durability, some of which swell and are
/// compacted meanwhile. Half of the time the one that writes is killed.
///
/// In the end of a chapter all are killed at once, and the file has to hold what was acknowledged,
/// nothing that was not attempted, and to verify.
public final class KillStorm {
  public static let contenders = 4
  private static let mixes: [DurabilityMix] = [
    .full, .mixed, .encrypted, .relaxed, .inMemory, .strict, .grouped,
  ]

  private let kills: Int
  private let killsPerChapter: Int
  private let seed: UInt64
  private let showsChapters: Bool
  private let directory = TemporaryDirectory()
  private let ledger = Ledger()
  private var random: SeededGenerator
  private var killed = 0
  private var killsByPhase: [Progress.Phase: Int] = [:]
  private var commits: UInt64 = 0
  private var sizeMax: UInt64 = 0
  private var report = ScenarioReport()
  /// From the kill of a process that wrote to the next one's turn.
  public private(set) var waits = Latencies()
  /// The part of these waits after the kernel had buried the dead.
  public private(set) var waitsAfterBurial = Latencies()
  /// From the kill to the process's burial.
  public private(set) var burials = Latencies()

  public init(kills: Int, killsPerChapter: Int = 100, seed: UInt64, showsChapters: Bool = false) {
    self.kills = kills
    self.killsPerChapter = killsPerChapter
    self.seed = seed
    self.showsChapters = showsChapters
    random = SeededGenerator(seed: seed)
  }

  public func run() throws -> ScenarioReport {
    print("kill storm: \(kills) kills, seed \(seed)")
    var number = 0
    while killed < kills, report.findings.isEmpty {
      try within(60 + killsPerChapter, "chapter \(number) of the storm") {
        try chapter(Self.mixes[number % Self.mixes.count], swells: number % 4 == 1)
      }
      number += 1
      if showsChapters, number % 10 == 0 {
        print("\(killed) kills: \(waits.summary)")
        fflush(nil)
      }
    }
    let phases = killsByPhase.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    report.lines += [
      "\(killed) kills in \(number) chapters, while \(phases); \(commits) commits acknowledged,"
        + " files of up to \(sizeMax) bytes",
      "load of the machine: \(Self.load)",
      "from the kill of a process to its burial: \(burials.summary)",
      "a survivor's wait for a dead writer: \(waits.summary)",
      "of that, after the burial: \(waitsAfterBurial.summary)",
    ]
    report.lines += waits.histogram
    return report
  }

  /// Over the last 1, 5 and 15 minutes: what else runs is part of what a process waits for.
  private static var load: String {
    var averages = [0.0, 0.0, 0.0]
    unsafe getloadavg(&averages, 3)
    return averages.map { "\(Double(Int($0 * 10)) / 10)" }.joined(separator: " ")
  }

  // MARK: A chapter

  private struct Stage {
    var path: String
    var mix: DurabilityMix
    var swells: Bool
    var progress: Progress
    var findings: FindingsFile
    /// Keeps the session alive throughout, in some chapters.
    var observer: Database?
  }

  private func chapter(_ mix: DurabilityMix, swells: Bool) throws {
    var stage = try makeStage(mix, swells: swells)
    var children = try (0..<Self.contenders).map { try spawn($0, stage) }
    let before = stage.progress.acknowledged(upTo: Self.contenders).reduce(0, +)
    for _ in 0..<min(killsPerChapter, kills - killed) where report.findings.isEmpty {
      BackgroundThread.pause(nanoseconds: UInt64(1_000_000 + random.below(29_000_000)))
      let position = victim(stage.progress)
      try kill(children[position], position, stage)
      children[position] = try spawn(position, stage)
    }
    for child in children { child.sendKill() }
    for child in children { child.waitForEnd() }
    let after = stage.progress.acknowledged(upTo: Self.contenders).reduce(0, +)
    commits += after - before
    try examine(&stage)
  }

  private func makeStage(_ mix: DurabilityMix, swells: Bool) throws -> Stage {
    let name = mix.rawValue + ".realm"
    // An in-memory file begins anew with its first process anyway.
    let isFresh = mix == .inMemory || random.below(3) == 0
    if isFresh {
      for suffix in ["", ".lock", ".progress"] { directory.remove(name + suffix) }
    }
    let path = directory.file(name)
    let keepsSession = mix == .inMemory || random.below(2) == 0
    return Stage(
      path: path, mix: mix, swells: swells, progress: try Progress(path: path + ".progress"),
      findings: FindingsFile(path: path + ".findings"),
      observer: keepsSession ? try Database.open(path: path, options: mix.options) : nil)
  }

  private func spawn(_ position: Int, _ stage: Stage) throws -> ChildProcess {
    stage.progress.setPhase(position, .opening)
    return try ChildProcess([
      "contend", stage.path, stage.path + ".progress", stage.findings.path, "\(position)",
      stage.mix.rawValue, "\(random.next() >> 1)", stage.swells ? "swells" : "",
    ])
  }

  private func victim(_ progress: Progress) -> Int {
    if random.below(2) == 0, let last = progress.lastAcquisition { return last.position }
    return random.below(Self.contenders)
  }

  private func kill(_ child: ChildProcess, _ position: Int, _ stage: Stage) throws {
    let progress = stage.progress
    let isAwaited = (0..<Self.contenders).contains {
      $0 != position && progress.phase($0) == .waiting
    }
    let first = progress.acquisitionCount
    let wasLast = progress.lastAcquisition?.position == position
    let start = MonotonicClock.now()
    child.sendKill()
    child.waitForEnd()
    let burial = MonotonicClock.now()
    burials.add(burial - start)
    killed += 1
    let phase = progress.phase(position)
    killsByPhase[phase, default: 0] += 1
    guard
      let next = progress.awaitAcquisition(
        from: first, after: start, otherThan: position, seconds: 20)
    else {
      return report.findings.append(
        "nobody got the writer role within 20 s of the death of a process (\(phase))")
    }
    // Whoever was the last to get the role and died holding it or in its commit, held it.
    if isAwaited, wasLast, phase == .holding || phase == .committing {
      waits.add(next.time - start)
      waitsAfterBurial.add(next.time > burial ? next.time - burial : 0)
    }
    if let observer = stage.observer { try compare(observer, stage, "after kill \(killed)") }
  }

  // MARK: What must hold

  private func compare(_ database: Database, _ stage: Stage, _ when: String) throws {
    let acknowledged = stage.progress.acknowledged(upTo: Self.contenders)
    let snapshot = try database.pinNewest()
    let stored = try ledger.counters(snapshot)
    let attempted = stage.progress.attempted(upTo: Self.contenders)
    compare(acknowledged, stored, attempted, stage, when)
    if let violation = try ledger.violation(in: snapshot) {
      report.findings.append("\(stage.mix), \(when): \(violation)")
    }
  }

  private func compare(
    _ acknowledged: [UInt64], _ stored: [UInt64], _ attempted: [UInt64], _ stage: Stage,
    _ when: String
  ) {
    for position in 0..<Self.contenders {
      report.expect(
        acknowledged[position] <= stored[position] && stored[position] <= attempted[position],
        "\(stage.mix), \(when): acknowledged \(acknowledged[position]), stored \(stored[position]),"
          + " attempted \(attempted[position]) by process \(position)")
    }
  }

  /// All contenders are dead.
  private func examine(_ stage: inout Stage) throws {
    let database = try stage.observer ?? Database.open(path: stage.path, options: stage.mix.options)
    let when = "at the end of a chapter"
    try compare(database, stage, when)
    // A writer that died after its slot was written has its version adopted by the next one.
    let transaction = try database.beginWrite()
    let stored = try ledger.counters(transaction.source, transaction.root)
    compare(
      stage.progress.acknowledged(upTo: Self.contenders), stored,
      stage.progress.attempted(upTo: Self.contenders), stage, when + ", adopted")
    transaction.cancel()
    try compare(database, stage, when + ", again")
    let verified = try database.verify()
    sizeMax = max(sizeMax, verified.logicalSize)
    for finding in verified.findings.prefix(3) {
      report.findings.append("\(stage.mix), verify: \(finding)")
    }
    for finding in stage.findings.all().prefix(5) {
      report.findings.append("\(stage.mix): \(finding)")
    }
    directory.remove(stage.mix.rawValue + ".realm.findings")
    stage.observer = nil
  }
}
