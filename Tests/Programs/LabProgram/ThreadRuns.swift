import Foundation
import EngineLab
import RealmLab

/// The runs with loops, queues and actors. Their children are this program.
enum ThreadRuns {
  static let usage = """
    loop-pauses SECONDS | grouped-commits COUNT | grouped-kills COUNT [SEED]
           | encrypted-kills COUNT [SEED] | all-schedulers SECONDS [SEED] | access-costs
    """

  /// False if there is no run of that name.
  static func run(_ name: String, _ numbers: [Int]) throws -> Bool {
    let report: ScenarioReport
    switch name {
    case "loop-pauses":
      report = try LoopPauses(seconds: numbers.first ?? 20).run()
    case "grouped-commits":
      report = try FlushCounts(commits: numbers.first ?? 10_000).run()
    case "grouped-kills":
      report = try GroupedKills(
        kills: numbers.first ?? 200, seed: UInt64(numbers.dropFirst().first ?? 1)
      ).run()
    case "encrypted-kills":
      report = try EncryptedKills(
        kills: numbers.first ?? 1000, seed: UInt64(numbers.dropFirst().first ?? 1)
      ).run()
    case "all-schedulers":
      report = try allSchedulers(
        seconds: numbers.first ?? 60, seed: UInt64(numbers.dropFirst().first ?? 1))
    case "access-costs":
      report = try AccessCosts().run()
    default:
      return false
    }
    report.show()
    if !report.findings.isEmpty { exit(1) }
    return true
  }

  /// Half of the time with an encrypted file.
  private static func allSchedulers(seconds: Int, seed: UInt64) throws -> ScenarioReport {
    var report = ScenarioReport()
    for isEncrypted in [false, true] {
      let half = try AllSchedulers(
        seconds: (seconds + 1) / 2, seed: seed, isEncrypted: isEncrypted
      ).run()
      report.lines += half.lines
      report.findings += half.findings
    }
    return report
  }
}
