import Foundation
import ProcessLab
import ScaleLab

/// The runs about what things cost in large files and in many of them. Their children are the
/// program ProcessTestProgram beside this one.
enum ScaleRuns {
  static let usage = """
    first-write [COMMITS [ROUNDS]] | first-write-objects [COMMITS [ROUNDS [OBJECTS]]]
           | commit-bytes [EXTENTS [COMMITS]] | random-updates [COMMITS [SEED]]
           | compaction-holds [SECONDS [MEGABYTES]] | compaction-waits [SECONDS [OBJECTS]]
           | cold-open [MEGABYTES] | open-objects [OBJECTS] | private-memory [MEGABYTES]
           | many-files [FILES] | huge-file [MEGABYTES [SECONDS]] | many-objects [OBJECTS]
    """

  /// False if there is no run of that name.
  static func run(_ name: String, _ numbers: [Int]) throws -> Bool {
    func number(_ index: Int, or fallback: Int) -> Int {
      index < numbers.count ? numbers[index] : fallback
    }
    let report: ScenarioReport
    switch name {
    case "first-write":
      report = try FirstWrite(commits: number(0, or: 16_000), rounds: number(1, or: 5)).run()
    case "first-write-objects":
      report = try FirstWrite(commits: number(0, or: 16_000), rounds: number(1, or: 5))
        .runObjects(number(2, or: 300_000))
    case "commit-bytes":
      report = try CommitBytes(extents: number(0, or: 1_000_000), commits: number(1, or: 5000))
        .run()
    case "random-updates":
      report = try RandomUpdates(commits: number(0, or: 10_300))
        .run(seed: UInt64(number(1, or: 1)))
    case "compaction-holds":
      report = try CompactionHolds(seconds: number(0, or: 600), megabytes: number(1, or: 1000))
        .run(seed: 1)
    case "compaction-waits":
      report = try CompactionWaits(seconds: number(0, or: 60), objects: number(1, or: 300_000))
        .run(seed: 1)
    default:
      return try runOther(name, number)
    }
    return end(report)
  }

  private static func runOther(_ name: String, _ number: (Int, Int) -> Int) throws -> Bool {
    let report: ScenarioReport
    switch name {
    case "cold-open":
      report = try ColdOpen().runLargeCommit(
        megabytes: number(0, 1000), boundNanoseconds: 50_000_000)
    case "open-objects":
      report = try ColdOpen().runObjects(
        number(0, 1_000_000), boundNanosecondsWarm: 500_000, boundNanosecondsCold: 10_000_000)
    case "private-memory":
      report = try PrivateMemory(megabytes: number(0, 1000)).run()
    case "many-files":
      report = try manyFiles(number(0, 5000))
    case "huge-file":
      report = try HugeFile(megabytes: number(0, 20_000), seconds: number(1, 300)).run(seed: 1)
    case "many-objects":
      report = try ManyObjects(objects: number(0, 10_000_000)).run()
    default:
      return false
    }
    return end(report)
  }

  /// Ten files in little address space first.
  private static func manyFiles(_ count: Int) throws -> ScenarioReport {
    var report = ScenarioReport()
    do {
      report = try ManyFiles(files: 10, addressSpace: 8 << 30).run()
    } catch {
      report.findings.append("10 files in 8 GB of address space: \(error)")
    }
    let many = try ManyFiles(files: count).run()
    report.lines += many.lines
    report.findings += many.findings
    return report
  }

  private static func end(_ report: ScenarioReport) -> Bool {
    report.show()
    if !report.findings.isEmpty { exit(1) }
    return true
  }
}
