import Foundation
import EngineLab
import RealmLab

/// The runs about what things cost in large files and in many of them. Their children are this
/// program.
enum ScaleRuns {
  static let usage = """
    first-write [COMMITS [ROUNDS]] | first-write-objects [COMMITS [ROUNDS [OBJECTS]]]
           | commit-bytes [EXTENTS [COMMITS]] | random-updates [COMMITS [SEED]]
           | update-growth [OBJECTS [COMMITS]]
           | compaction-holds [SECONDS [MEGABYTES]] | compaction-waits [SECONDS [OBJECTS]]
           | cold-open [MEGABYTES] | open-objects [OBJECTS] | private-memory [MEGABYTES]
           | migration [MEGABYTES [KILLS [SEED]]]
           | many-files [FILES] | huge-file [MEGABYTES [SECONDS]] | many-objects [OBJECTS]
    """

  private typealias Part = () throws -> ScenarioReport

  /// False if there is no run of that name.
  static func run(_ name: String, _ numbers: [Int]) throws -> Bool {
    func number(_ index: Int, or fallback: Int) -> Int {
      index < numbers.count ? numbers[index] : fallback
    }
    guard let parts = writes(name, number) ?? files(name, number) else { return false }
    var isGood = true
    for part in parts {
      do {
        let report = try part()
        report.show()
        isGood = isGood && report.findings.isEmpty
      } catch {
        print("WRONG: \(error)")
        isGood = false
      }
      fflush(nil)
    }
    if !isGood { exit(1) }
    return true
  }

  /// What writing costs.
  private static func writes(_ name: String, _ number: (Int, Int) -> Int) -> [Part]? {
    switch name {
    case "first-write":
      let run = FirstWrite(commits: number(0, 16_000), rounds: number(1, 5))
      return LeafShape.all.map { shape in { try run.run(shape) } }
    case "first-write-objects":
      let (run, objects) = (
        FirstWrite(commits: number(0, 16_000), rounds: number(1, 5)), number(2, 1_000_000)
      )
      return [{ try run.runObjects(objects) }]
    case "commit-bytes":
      return [CommitBytes(extents: number(0, 1_000_000), commits: number(1, 5000)).run]
    case "random-updates":
      let (run, seed) = (RandomUpdates(commits: number(0, 10_300)), UInt64(number(1, 1)))
      return LeafShape.all.flatMap { shape in
        [true, false].map { compacts in { try run.run(shape, compacts: compacts, seed: seed) } }
      }
    case "update-growth":
      let run = UpdateGrowth(objects: number(0, 1_000_000), commits: number(1, 50_000))
      return [{ try run.run(seed: 1) }]
    case "compaction-holds":
      let run = CompactionHolds(seconds: number(0, 600), megabytes: number(1, 1000))
      return [{ try run.run(seed: 1) }]
    case "compaction-waits":
      let run = CompactionWaits(seconds: number(0, 60), objects: number(1, 300_000))
      return [{ try run.run(seed: 1) }]
    default:
      return nil
    }
  }

  /// What opening and having files costs.
  private static func files(_ name: String, _ number: (Int, Int) -> Int) -> [Part]? {
    switch name {
    case "cold-open":
      let megabytes = number(0, 1000)
      return [
        { try ColdOpen().runLargeCommit(megabytes: megabytes, boundNanoseconds: 50_000_000) }
      ]
    case "open-objects":
      let objects = number(0, 1_000_000)
      return [
        {
          try ColdOpen().runObjects(
            objects, boundNanosecondsWarm: 500_000, boundNanosecondsCold: 10_000_000)
        }
      ]
    case "private-memory":
      return [PrivateMemory(megabytes: number(0, 1000)).run]
    case "many-files":
      return [
        ManyFiles(files: 10, addressSpace: 8 << 30).run, ManyFiles(files: number(0, 5000)).run,
      ]
    case "huge-file":
      let run = HugeFile(megabytes: number(0, 20_000), seconds: number(1, 300))
      return [{ try run.run(seed: 1) }]
    case "migration":
      let run = MigrationKills(
        megabytes: number(0, 100), kills: number(1, 100), seed: UInt64(number(2, 1)))
      return [run.run]
    case "many-objects":
      return [ManyObjects(objects: number(0, 10_000_000)).run]
    default:
      return nil
    }
  }
}
