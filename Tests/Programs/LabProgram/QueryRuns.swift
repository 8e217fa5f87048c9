import Foundation
import RealmLab

extension LabProgram {
  /// Conditions on one set of items.
  private static let conditionsEach = 500

  /// Random queries against a plain evaluation; stops at the first disagreement.
  static func queries(conditions: Int, seed: UInt64) throws {
    let start = Date()
    var runs = RandomQueries()
    var next = seed
    while runs.conditions < conditions {
      try runs.run(
        conditions: min(conditionsEach, conditions - runs.conditions), seed: next)
      for line in runs.disagreements { print("WRONG: \(line)") }
      if !runs.disagreements.isEmpty { exit(1) }
      if next % 40 == 0 || runs.conditions >= conditions {
        print(
          "\(runs.conditions) conditions, \(runs.queries) queries, seeds \(seed)...\(next), "
            + "\(Int(-start.timeIntervalSinceNow)) s")
        fflush(nil)
      }
      next += 1
    }
  }
}
