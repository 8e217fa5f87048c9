import Foundation
import Platform
import RealmLab
import Storage
import EngineLab

/// Runs at length what the tests run in short: `lab power-loss 2000000 [seed]`. tools/lab builds
/// and starts it. The runs that use the object API start it as their child processes, too.
@main
struct LabProgram {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let name = arguments.first ?? ""
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    let seed = UInt64(numbers.dropFirst().first ?? 1)
    switch name {
    case "power-loss":
      try powerLoss(
        states: numbers.first ?? 2_000_000, seed: UInt64(numbers.dropFirst().first ?? 1))
    case "commits":
      try commits(count: numbers.first ?? 100_000)
    case "model":
      try model(operations: numbers.first ?? 1_000_000, seed: seed)
    case "damage":
      try damage(files: numbers.first ?? 10_000, seed: seed)
    case "child":
      try LabRole.run(Array(arguments.dropFirst()))
    case "hostile-child" where numbers.count == 3:
      try hostileChild(numbers)
    case "object-power-loss":
      try objectPowerLoss(states: numbers.first ?? 100_000, seed: seed)
    case "change-sets":
      try changeSets(histories: numbers.first ?? 100_000, seed: seed)
    case "queries":
      try queries(conditions: numbers.first ?? 200_000, seed: seed)
    case "loop-turns":
      try LoopTurns(objects: numbers.first ?? 200_000, commits: 10).run()
    default:
      if try ProcessRuns.run(name, numbers) || ThreadRuns.run(name, numbers)
        || ScaleRuns.run(name, numbers)
      {
        return
      }
      print(
        """
        usage: lab power-loss STATES [SEED] | object-power-loss STATES [SEED]
               | model OPERATIONS [SEED] | damage FILES [SEED] | commits COUNT
               | loop-turns [OBJECTS] | change-sets HISTORIES [SEED]
               | queries CONDITIONS [SEED]
               | \(ProcessRuns.usage)
               | \(ThreadRuns.usage)
               | \(ScaleRuns.usage)
        """)
      exit(2)
    }
  }

  /// Histories, every second five hundred with commits of another process; stops at the first
  /// disagreement.
  static func changeSets(histories: Int, seed: UInt64) throws {
    let start = Date()
    var total = ChangeHistories.Counts()
    var next = seed
    while total.histories < histories {
      let run = try ChangeHistories(seed: next, withProcess: next % 2 == 0)
      try run.run(histories: min(500, histories - total.histories))
      run.end()
      total += run.counts
      for finding in run.findings { print("WRONG: \(finding)") }
      if !run.findings.isEmpty { exit(1) }
      if next % 20 == 0 || total.histories == histories {
        print("\(total), seeds \(seed)...\(next), \(Int(-start.timeIntervalSinceNow)) s")
        fflush(nil)
      }
      next += 1
    }
  }

  /// Small versions one after the other, at each durability; prints how many a second.
  static func commits(count: Int) throws {
    for durability in [Durability.inMemory, .relaxed, .full] {
      let directory = FileManager.default.temporaryDirectory.path
      let path = "\(directory)/lab-\(ProcessInfo.processInfo.processIdentifier).realm"
      var options = DatabaseOptions()
      options.durability = durability
      let database = try Database.open(path: path, options: options)
      let model = LeafModel(leafCount: 64, wordsMax: 100, changesMax: 6, seed: 1)
      let total = durability == .full ? count / 50 : count
      let start = ContinuousClock.now
      for _ in 0..<total {
        let transaction = try database.beginWrite()
        try model.apply(to: transaction)
        _ = try transaction.commit(history: [1])
      }
      let elapsed = ContinuousClock.now - start
      let seconds =
        Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
      let report = try database.verify()
      print(
        "\(durability): \(Int(Double(total) / seconds)) commits/s, file \(report.logicalSize),"
          + " live \(report.liveBytes), sound \(report.isSound)")
      try? FileManager.default.removeItem(atPath: path)
      try? FileManager.default.removeItem(atPath: path + ".lock")
    }
  }

  static func powerLoss(states: Int, seed: UInt64) throws {
    var done = 0
    var bad: [String] = []
    var recoveries = 0
    var next = seed
    let start = Date()
    while done < states {
      for durability in [Durability.full, .strict, .grouped, .relaxed] {
        let explorer = PowerLossExplorer(
          durability: durability, seed: next, statesPerMoment: 8,
          key: next % 2 == 0 ? .lab : nil)
        try explorer.run(states: 5000)
        done += explorer.outcome.states
        recoveries += explorer.outcome.recoveries
        bad += explorer.outcome.bad
      }
      next += 1
      print(
        "\(done) states, \(recoveries) recoveries crashed into, \(bad.count) bad, seed \(next),"
          + " \(Int(-start.timeIntervalSinceNow)) s")
    }
    for line in bad.prefix(20) { print(line) }
    exit(bad.isEmpty ? 0 : 1)
  }
}
