import SyncLab
import TestSupport

/// Runs the labs of sync: `sync-convergence COUNT SEED`, `sync-fuzz COUNT SEED`,
/// `sync-appends COUNT`, and `vectors`, which prints the test vectors of the protocol.
@main
struct SyncLabProgram {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    let numbers = words.compactMap { UInt64($0) }
    let seed = numbers.dropFirst().first ?? 1
    switch words.first {
    case "sync-convergence":
      let count = numbers.first ?? 2_000
      converge(
        seed..<(seed + count), isTraced: words.contains("trace"), goesBack: words.contains("back"),
        hasSeeds: words.contains("seeds"))
    case "sync-first":
      // The first thing that is wrong, if anything is.
      let count = numbers.first ?? 10_000
      let findings = (seed..<(seed + count)).lazy.compactMap {
        ConvergenceRun.run(seed: $0).finding
      }
      if let finding = findings.first { print(finding) }
    case "sync-kit-bugs":
      for bug in PlantedBug.allCases {
        let findings = (UInt64(1)...10_000).lazy.compactMap {
          ConvergenceRun.run(seed: $0, bug: bug).finding
        }
        print("\(bug.rawValue): \(findings.first?.prefix(120) ?? "NOT FOUND in 10000 seeds")")
      }
    case "sync-fuzz":
      let count = Int(numbers.first ?? 100_000)
      MemoryLimit.allowPrivateMemory(more: 512 << 20)
      let finding =
        FrameFuzz.run(count: count, seed: seed) ?? SessionFuzz.run(count: count, seed: seed)
      print(
        finding ?? "\(count) inputs to decoders and \(count) to sessions, none of them harmful")
    case "sync-appends":
      let count = Int(numbers.first ?? 8_000)
      print("\(count) x \(count) concurrent appends: \(AppendRun.run(count: count))")
    case "vectors":
      for (name, bytes) in ProtocolVectors.all { print("\(name) \(ProtocolVectors.text(bytes))") }
    default:
      print("usage: sync-convergence COUNT SEED | sync-fuzz COUNT SEED | sync-appends COUNT")
    }
  }

  private static func converge(
    _ seeds: Range<UInt64>, isTraced: Bool, goesBack: Bool, hasSeeds: Bool
  ) {
    var bad = 0
    var batches = 0
    var rebases = 0
    var refusals = 0
    var trims = 0
    for seed in seeds {
      let outcome = ConvergenceRun.run(
        seed: seed, isTraced: isTraced, goesBack: goesBack, hasSeeds: hasSeeds)
      batches += outcome.batches
      rebases += outcome.rebases
      refusals += outcome.refusals
      trims += outcome.trims
      guard let finding = outcome.finding else { continue }
      bad += 1
      print(finding)
    }
    print(
      "\(seeds.count) seeds, \(bad) bad, \(batches) batches, \(rebases) rebases, "
        + "\(refusals) refusals, \(trims) trims")
  }
}
