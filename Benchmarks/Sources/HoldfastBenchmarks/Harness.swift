import Foundation
import ToolReports

/// How much is done: all of it, or just enough to see that it runs.
struct Scale {
  var isSmoke: Bool
  /// Medians are taken over this many rounds; stores take turns within a round.
  var rounds: Int { isSmoke ? 1 : 5 }
  func of(_ full: Int, smoke: Int) -> Int { isSmoke ? smoke : full }
}

/// What one workload gave.
struct Figure: Codable {
  var workload: String
  var unit: String
  var isHigherBetter: Bool
  /// Medians by store.
  var values: [String: Double]
  /// What we want to reach, and whether we did; nil without a goal.
  var goal: String?
  var isReached: Bool?
}

/// Runs workloads, each store on files of its own below one folder.
final class Harness {
  let scale: Scale
  private let folder: URL
  /// Only rows whose names contain this are measured; for a profiler. Nil: all.
  private let row: String?
  private var folderCount = 0
  private(set) var figures: [Figure] = []

  init(scale: Scale, folder: URL, row: String? = nil) {
    self.scale = scale
    self.row = row
    self.folder = folder
  }

  /// An empty folder.
  func newFolder() throws -> URL {
    folderCount += 1
    let made = folder.appending(path: "\(folderCount)")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    return made
  }

  /// Calls `body` for each of `stores` in turns, with an empty folder each time.
  func takeTurns<S>(_ stores: [S], _ body: (S, URL) throws -> Void) throws {
    for _ in 0..<scale.rounds {
      for store in stores {
        let place = try newFolder()
        defer { try? FileManager.default.removeItem(at: place) }
        try body(store, place)
      }
    }
  }

  /// Measures `body` for each of `stores` in turns, a new store each time; adds the medians.
  func measure(
    _ workload: String, unit: String, isHigherBetter: Bool, stores: [any Store.Type],
    flushing: Flushing = .none, _ body: (any Store) throws -> Double
  ) throws {
    if let row, !workload.contains(row) { return }
    var values: [String: [Double]] = [:]
    try takeTurns(stores) { type, place in
      let store = try type.init(folder: place, flushing: flushing)
      values[type.name, default: []].append(try body(store))
    }
    add(
      Figure(
        workload: workload, unit: unit, isHigherBetter: isHigherBetter,
        values: values.mapValues(median)))
  }

  func add(_ figure: Figure) {
    if figure.values.isEmpty { return }
    figures.append(Goals.judge(figure))
    FileHandle.standardError.write(Data("measured: \(figure.workload)\n".utf8))
  }
}

/// Seconds that `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
  let taken = try ContinuousClock().measure(body)
  return taken / .seconds(1)
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Keeps the optimiser from leaving out what is measured.
@inline(never) func use<T>(_ value: T) {}
