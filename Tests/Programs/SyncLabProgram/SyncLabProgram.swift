import SyncLab

/// Runs the labs of sync: `sync-convergence COUNT SEED`, `first COUNT SEED`, which ends with the
/// first finding, and `sync-fuzz COUNT SEED`.
@main
struct SyncLabProgram {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    let numbers = words.compactMap { UInt64($0) }
    let count = numbers.first ?? 2000
    let seed = numbers.dropFirst().first ?? 1
    switch words.first {
    case "sync-convergence": converge(seed..<(seed + count), stopsAtFirst: false)
    case "first": converge(seed..<(seed + count), stopsAtFirst: true)
    default: print("usage: sync-convergence COUNT SEED | first COUNT SEED")
    }
  }

  private static func converge(_ seeds: Range<UInt64>, stopsAtFirst: Bool) {
    var bad = 0
    var batches = 0
    var rebases = 0
    for seed in seeds {
      let outcome = ConvergenceRun.run(seed: seed)
      batches += outcome.batches
      rebases += outcome.rebases
      guard let finding = outcome.finding else { continue }
      bad += 1
      print(finding)
      if stopsAtFirst { return }
    }
    if stopsAtFirst { return }
    print("\(seeds.count) seeds, \(bad) bad, \(batches) batches, \(rebases) rebases")
  }
}
