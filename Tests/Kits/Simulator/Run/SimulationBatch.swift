/// Schedules one after the other in this process, told line by line to whoever started it: what a
/// process leaves behind that was killed in a simulation stays until the real one ends.
public enum SimulationBatch {
  public static func run(count: Int, firstSeed: UInt64) {
    let workers = SimulationWorkers()
    var sum = SimulationSum()
    for seed in firstSeed..<firstSeed + UInt64(count) {
      print("seed \(seed)")
      let outcome = Simulation(seed: seed, workers: workers).run()
      sum.add(outcome)
      for finding in outcome.findings {
        print("finding \(finding) {\(outcome.circumstances)}")
      }
    }
    print("sum \(sum.encoded)")
  }

  /// One schedule, and everything that happens in it.
  public static func trace(seed: UInt64) -> Simulation.Outcome {
    Simulation(seed: seed, workers: SimulationWorkers(), tracer: { print($0) }).run()
  }
}

/// What a number of schedules did.
public struct SimulationSum: Hashable, Sendable, CustomStringConvertible {
  public internal(set) var schedules = 0
  private var numbers = [Int](repeating: 0, count: 5)
  private static let names = ["steps", "commits", "reads", "kills", "power losses"]

  init() {}

  init?(encoded: some StringProtocol) {
    let values = encoded.split(separator: " ").compactMap { Int($0) }
    guard values.count == numbers.count + 1 else { return nil }
    schedules = values[0]
    numbers = Array(values[1...])
  }

  var encoded: String { ([schedules] + numbers).map(String.init).joined(separator: " ") }

  mutating func add(_ outcome: Simulation.Outcome) {
    add(
      1,
      [outcome.steps, outcome.commits, outcome.reads, outcome.kills, outcome.powerLosses])
  }

  mutating func add(_ other: SimulationSum) { add(other.schedules, other.numbers) }

  private mutating func add(_ count: Int, _ others: [Int]) {
    schedules += count
    for (index, number) in others.enumerated() { numbers[index] += number }
  }

  public var description: String {
    let rest = zip(numbers, Self.names).map { "\($0) \($1)" }
    return (["\(schedules) schedules"] + rest).joined(separator: ", ")
  }
}
