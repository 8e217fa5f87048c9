import Foundation
import ToolReports

/// How much is done.
enum Scale {
  case full
  /// A fifth of the rows and fewer rounds: for a look in between.
  case quick
  /// Just enough to see that it runs.
  case smoke

  /// Medians are taken over this many rounds; stores take turns within a round.
  var rounds: Int {
    switch self {
    case .full: 5
    case .quick: 3
    case .smoke: 1
    }
  }

  func of(_ full: Int, smoke: Int) -> Int {
    switch self {
    case .full: full
    case .quick: max(smoke, full / 5)
    case .smoke: smoke
    }
  }
}

/// What one workload gave.
struct Figure: Codable {
  /// What it belongs to, for the reader of the table.
  var group = ""
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
  /// What the next figures belong to.
  var group = ""
  private(set) lazy var records = (0..<scale.of(1_000_000, smoke: 5000)).map(Record.init)
  /// The three stores with all records in them, for work that leaves no traces.
  private var filled: FilledStores?

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

  func filledStores() throws -> FilledStores {
    if let filled { return filled }
    let made = try FilledStores(folder: newFolder(), records: records)
    filled = made
    return made
  }

  func wants(_ workload: String) -> Bool {
    row.map { workload.contains($0) || group.contains($0) } ?? true
  }

  /// Calls `body` for each of `stores` in turns, with an empty folder each time.
  func takeTurns<S>(_ stores: [S], _ body: (S, URL) throws -> Void) throws {
    for _ in 0..<scale.rounds { try inFolders(stores, body) }
  }

  /// Calls `body` for each of `stores`, with an empty folder.
  func inFolders<S>(_ stores: [S], _ body: (S, URL) throws -> Void) throws {
    for store in stores {
      let place = try newFolder()
      defer { try? FileManager.default.removeItem(at: place) }
      try body(store, place)
    }
  }

  /// Measures `body` for each of `stores` in turns, a new store each time; adds the medians.
  func measure(
    _ workload: String, unit: String, isHigherBetter: Bool, stores: [any Store.Type],
    flushing: Flushing = .none, _ body: (any Store) throws -> Double
  ) throws {
    if !wants(workload) { return }
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
    var figure = figure
    figure.group = group
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
