import EngineLab
import Foundation
import Storage

extension LabProgram {
  /// Damaged files with objects in them, as many encrypted ones, half as many again with exchanged
  /// nodes, and as many whose nodes are whole and make no sense, those in child processes.
  static func damage(files: Int, seed: UInt64) throws {
    let lab = try DamageLab(seed: seed)
    let start = Date()
    try lab.damageBytes(files)
    print("bytes: \(lab.outcome), \(Int(-start.timeIntervalSinceNow)) s")
    fflush(nil)
    let encrypted = try DamageLab(seed: seed, key: .lab)
    try encrypted.damageBytes(files)
    print("bytes of encrypted files: \(encrypted.outcome), \(Int(-start.timeIntervalSinceNow)) s")
    fflush(nil)
    try lab.exchangeNodes(files / 2)
    print("nodes too: \(lab.outcome), \(Int(-start.timeIntervalSinceNow)) s")
    let hostile = try HostileRuns.run(
      files: files, seed: seed, program: "LabProgram", arguments: ["hostile-child"])
    for line in hostile.bad.prefix(50) { print(line) }
    print(
      "hostile: \(files) files, \(hostile.refused) refused, \(hostile.bad.count) bad,"
        + " \(Int(-start.timeIntervalSinceNow)) s")
    let isFine = lab.outcome.bad.isEmpty && encrypted.outcome.bad.isEmpty && hostile.bad.isEmpty
    exit(isFine ? 0 : 1)
  }

  /// What `damage` starts: arguments are a seed, the first file and the end.
  static func hostileChild(_ numbers: [Int]) throws {
    try HostileRuns.serve(seed: UInt64(numbers[0]), from: numbers[1], to: numbers[2])
  }

  /// Power losses under objects.
  static func objectPowerLoss(states: Int, seed: UInt64) throws {
    var done = 0
    var bad: [String] = []
    var next = seed
    while done < states {
      for durability in [Durability.full, .strict, .grouped, .relaxed] {
        let explorer = PowerLossExplorer(
          ObjectWorkload(seed: next), durability: durability, seed: next, statesPerMoment: 6,
          key: next % 2 == 0 ? .lab : nil)
        try explorer.run(states: min(2000, states))
        done += explorer.outcome.states
        bad += explorer.outcome.bad
      }
      next += 1
      print("\(done) states, \(bad.count) bad, seed \(next)")
      fflush(nil)
    }
    for line in bad.prefix(20) { print(line) }
    exit(bad.isEmpty ? 0 : 1)
  }
}
