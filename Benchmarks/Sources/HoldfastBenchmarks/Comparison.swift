import Foundation

/// A line of the table, which contenders fill in.
struct Row {
  let name: String
  let measure: Measure

  init(_ name: String, _ measure: Measure) {
    self.name = name
    self.measure = measure
  }
}

/// What seconds are turned into.
enum Measure {
  /// So many things, in so many seconds.
  case rate(String, of: Int)
  case nanoseconds(each: Int)
  case microseconds(each: Int)
  case milliseconds
  /// Of work that grows with the number of rows, scaled to a million of them.
  case millisecondsPerMillion(rows: Int)
  /// No time.
  case amount(String)

  var unit: String {
    switch self {
    case .rate(let unit, _), .amount(let unit): unit
    case .nanoseconds: "ns"
    case .microseconds: "us"
    case .milliseconds: "ms"
    case .millisecondsPerMillion: "ms per 1 M"
    }
  }

  var isHigherBetter: Bool { if case .rate = self { true } else { false } }

  func value(seconds: Double) -> Double {
    switch self {
    case .rate(_, let count): Double(count) / seconds
    case .nanoseconds(let times): seconds / Double(times) * 1e9
    case .microseconds(let times): seconds / Double(times) * 1e6
    case .milliseconds: seconds * 1e3
    case .millisecondsPerMillion(let rows): seconds * 1e3 * 1e6 / Double(rows)
    case .amount: seconds
    }
  }
}

/// One contender's turn at some rows.
final class Trial {
  /// Empty, and gone afterwards.
  let folder: URL
  private(set) var values: [String: Double] = [:]
  private(set) var outcomes: [Int] = []

  init(folder: URL) { self.folder = folder }

  func time<R>(_ row: Row, _ body: () throws -> R) rethrows -> R {
    let start = ContinuousClock.now
    let result = try body()
    add(row, row.measure.value(seconds: (ContinuousClock.now - start) / .seconds(1)))
    return result
  }

  /// Does short work several times, and takes the median. Work of milliseconds is done more often,
  /// for up to a tenth of a second, so that its data is in the processor's caches as it is for a
  /// program that repeats it: another contender's turn has taken their place, and where others use
  /// the last cache as well, it is a dozen times before the data is there again.
  func timeRepeatedly(_ row: Row, _ body: () throws -> Int) rethrows {
    var taken: [Double] = []
    while taken.count < 3 || taken.count < 40 && taken.reduce(0, +) < 0.1 {
      let start = ContinuousClock.now
      let outcome = try body()
      if taken.isEmpty { cameOut(outcome) }
      taken.append((ContinuousClock.now - start) / .seconds(1))
    }
    add(row, row.measure.value(seconds: median(taken)))
  }

  func add(_ row: Row, _ value: Double) { values[row.name] = value }

  /// What all contenders have to find alike, or the run ends: so none of them can do less.
  func cameOut(_ outcome: Int) { outcomes.append(outcome) }
}

/// A store that takes part, and what it does in its turn.
struct Contender {
  let name: String
  let work: (Trial) throws -> Void

  static func holdfast(_ work: @escaping (Trial) throws -> Void) -> Contender {
    Contender(name: HoldfastStore.name, work: work)
  }
  static func sqlite(_ work: @escaping (Trial) throws -> Void) -> Contender {
    Contender(name: SQLiteStore.name, work: work)
  }
  static func lmdb(_ work: @escaping (Trial) throws -> Void) -> Contender {
    Contender(name: LMDBStore.name, work: work)
  }
}

extension Harness {
  /// Lets the contenders take turns at the rows, and adds the medians.
  func compare(_ rows: [Row], _ contenders: [Contender]) throws {
    let wanted = rows.filter { wants($0.name) }
    if wanted.isEmpty { return }
    var values: [String: [String: [Double]]] = [:]
    for _ in 0..<scale.rounds {
      var outcomes: [Int]?
      try inFolders(contenders) { contender, folder in
        let trial = Trial(folder: folder)
        try contender.work(trial)
        for (row, value) in trial.values {
          values[row, default: [:]][contender.name, default: []].append(value)
        }
        if trial.outcomes != outcomes ?? trial.outcomes {
          throw StoreError(
            "\(rows[0].name): \(contender.name) finds \(trial.outcomes.prefix(10)), "
              + "the one before it \(outcomes!.prefix(10))")
        }
        outcomes = trial.outcomes
      }
    }
    for row in wanted {
      add(
        Figure(
          workload: row.name, unit: row.measure.unit, isHigherBetter: row.measure.isHigherBetter,
          values: values[row.name, default: [:]].mapValues(median)))
    }
  }
}
