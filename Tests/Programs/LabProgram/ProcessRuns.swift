import Foundation
import EngineLab

/// The runs with several processes. Their children are the program TestProgram beside this
/// one.
enum ProcessRuns {
  static let usage = """
    kills COUNT [SEED] | object-kills COUNT [SEED]
           | deaths SEED | torn-reads SECONDS [SEED] | threads SECONDS [SEED]
           | dead-reader ROUNDS [SEED] | namespaces | lock-file-deleted SECONDS [SEED]
           | lock-file-damage ROUNDS [SEED] | space-pinned COMMITS [SEED]
           | space-million [COMMITS [SEED]] | space-back MEGABYTES [SEED]
    """

  /// False if there is no run of that name.
  static func run(_ name: String, _ numbers: [Int]) throws -> Bool {
    func number(_ index: Int, or fallback: Int) -> Int {
      index < numbers.count ? numbers[index] : fallback
    }
    let seed = UInt64(number(1, or: 1))
    let report: ScenarioReport
    switch name {
    case "kills":
      report = try kills(number(0, or: 20_000), seed: seed)
    case "object-kills":
      report = try ObjectKills(kills: number(0, or: 2000), seed: seed).run()
    case "torn-reads":
      report = try TornReads(seconds: number(0, or: 60), seed: seed).run()
    case "dead-reader":
      report = try DeadReader(rounds: number(0, or: 10), seed: seed).run()
    case "space-pinned":
      report = try Space.pinnedReader(
        commits: number(0, or: 20_000), durability: DurabilityMix.allCases[number(2, or: 0)],
        seed: seed)
    case "space-million":
      report = try spaceMillion(commits: number(0, or: 1_000_000), seed: seed)
    case "space-back":
      report = try spaceBack(megabytes: number(0, or: 100), seed: seed)
    case "deaths":
      report = try DeathAtEachCall(seed: UInt64(number(0, or: 1))).run()
    case "lock-file-deleted":
      var both = try LostLockFile.deletedWhileOpen()
      let storm = try LostLockFile.deletedInAStorm(seconds: number(0, or: 60), seed: seed)
      both.lines += storm.lines
      both.findings += storm.findings
      report = both
    case "namespaces":
      guard let run = try LostLockFile.twoNamespaces() else {
        print("this user may not make namespaces")
        return true
      }
      report = run
    case "lock-file-damage":
      var both = try DamagedLockFile.atRest(rounds: number(0, or: 5000), seed: seed)
      let open = try DamagedLockFile.whileOpen(rounds: number(0, or: 5000) / 10, seed: seed)
      both.lines += open.lines
      both.findings += open.findings
      report = both
    case "threads":
      report = try threads(seconds: number(0, or: 60), seed: seed)
    default:
      return false
    }
    report.show()
    if !report.findings.isEmpty { exit(1) }
    return true
  }

  private static func kills(_ count: Int, seed: UInt64) throws -> ScenarioReport {
    let storm = KillStorm(kills: count, seed: seed, showsChapters: true)
    var report = try storm.run()
    // A process has the role until the kernel buries it, which takes as long as the disk if it died
    // in a flush.
    let (p99, maximum) = (storm.waits.quantile(0.99), storm.waitsAfterBurial.maximum)
    if p99 >= 20 || maximum >= 250 {
      report.findings.append(
        "the waits reach \(p99) ms (p99), and after the burial \(maximum) ms (longest)")
    }
    return report
  }

  /// Half of the time with an encrypted file.
  private static func threads(seconds: Int, seed: UInt64) throws -> ScenarioReport {
    var report = ScenarioReport()
    for isEncrypted in [false, true] {
      let half = try Threads(
        seconds: (seconds + 1) / 2, seed: seed, isEncrypted: isEncrypted
      ).run()
      report.lines += half.lines
      report.findings += half.findings
    }
    return report
  }

  private static func spaceMillion(commits: Int, seed: UInt64) throws -> ScenarioReport {
    var report = ScenarioReport()
    for (durability, versions) in [(DurabilityMix.full, 1), (.inMemory, 1), (.relaxed, 3)] {
      let part = try Space.manyCommits(
        commits, durability: durability, versions: versions, seed: seed)
      part.show()
      report.findings += part.findings
    }
    return report
  }

  private static func spaceBack(megabytes: Int, seed: UInt64) throws -> ScenarioReport {
    var report = ScenarioReport()
    for (leafBytes, hasCompany) in [(4096, false), (4096, true), (500, false)] {
      let part = try GivingBack(
        megabytes: megabytes, leafBytes: leafBytes, durability: .full, hasCompany: hasCompany,
        seed: seed
      ).run()
      part.show()
      report.findings += part.findings
    }
    return report
  }
}
