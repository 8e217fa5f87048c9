import Foundation
import ObjectStoreLab
import Storage
import StorageLab

extension LabProgram {
  /// Damaged files with objects in them, half as many again with exchanged nodes.
  static func damage(files: Int, seed: UInt64) throws {
    let lab = try DamageLab(seed: seed)
    let start = Date()
    try lab.damageBytes(files)
    print("bytes: \(lab.outcome), \(Int(-start.timeIntervalSinceNow)) s")
    fflush(nil)
    try lab.exchangeNodes(files / 2)
    print("nodes too: \(lab.outcome), \(Int(-start.timeIntervalSinceNow)) s")
    exit(lab.outcome.bad.isEmpty ? 0 : 1)
  }

  /// Power losses under objects.
  static func objectPowerLoss(states: Int, seed: UInt64) throws {
    var done = 0
    var bad: [String] = []
    var next = seed
    while done < states {
      for durability in [Durability.full, .strict, .grouped, .relaxed] {
        let explorer = PowerLossExplorer(
          ObjectWorkload(seed: next), durability: durability, seed: next, statesPerMoment: 6)
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
