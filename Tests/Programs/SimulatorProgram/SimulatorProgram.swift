import Glibc
import Platform
import Simulator

/// Runs schedules of the simulator: `simulate COUNT SEED` in processes of its own, `simulate 1 SEED
/// trace` with everything that happens, `first`, which ends with the first finding, and `batch`,
/// which is such a process.
@main
struct SimulatorProgram {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    let numbers = words.compactMap { UInt64($0) }
    let count = Int(numbers.first ?? 5000)
    let seed = numbers.dropFirst().first ?? 1
    switch words.first {
    case "batch": SimulationBatch.run(count: count, firstSeed: seed)
    case "simulate" where words.last == "trace":
      requireRepeatableOrder()
      let outcome = SimulationBatch.trace(seed: seed)
      for finding in outcome.findings { print("FOUND \(finding) {\(outcome.circumstances)}") }
      exit(outcome.findings.isEmpty ? 0 : 1)
    case "simulate": simulate(count, seed)
    case "first": printFirst(count, seed)
    default:
      print("usage: simulate COUNT SEED | simulate 1 SEED trace | first COUNT SEED")
      exit(2)
    }
  }

  /// The first thing that goes wrong, if anything does.
  private static func printFirst(_ count: Int, _ seed: UInt64) {
    let run = SimulationRun(count: count, firstSeed: seed, batchSize: 500, findingsMax: 1)
    run.run(processes: processors)
    if let finding = run.findings.first { print(finding) }
  }

  private static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  private static func simulate(_ count: Int, _ seed: UInt64) {
    let start = MonotonicClock.now()
    let run = SimulationRun(count: count, firstSeed: seed) { print($0) }
    run.run(processes: processors)
    let seconds = Double(MonotonicClock.now() - start) / 1e9
    print(
      "\(run.sum), \(run.findings.count) bad, \(Int(seconds)) s,"
        + " \(Int(Double(run.sum.schedules) / seconds)) schedules/s")
    exit(run.findings.isEmpty ? 0 : 1)
  }

  /// Starts this program again if sets might be in another order than in a batch.
  private static func requireRepeatableOrder() {
    guard unsafe getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
    unsafe setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    var words = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
    unsafe execv("/proc/self/exe", &words)
  }
}
