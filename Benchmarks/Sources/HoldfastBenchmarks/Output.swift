import Foundation
import ToolReports

/// All figures of a run.
struct RunReport: TextReport {
  var date: Date
  var rounds: Int
  /// How many objects "a million" was.
  var rows: Int
  var figures: [Figure]

  var text: String {
    var table = TextTable(
      [("workload", .left), ("unit", .left)] + Self.stores.map { ($0, .right) }
        + [("to best rival", .right), ("goal", .left), ("", .left)])
    var group = ""
    for figure in figures {
      if figure.group != group {
        group = figure.group
        table.add([group.uppercased(), "", "", "", "", "", "", ""])
      }
      let values = Self.stores.map { figure.values[$0].map(Output.number) ?? "-" }
      let verdict = figure.isReached.map { $0 ? "reached" : "missed" } ?? ""
      table.add(
        [figure.workload, figure.unit] + values + [Self.ratio(figure), figure.goal ?? "", verdict])
    }
    let day = date.formatted(.iso8601.year().month().day())
    let judged = figures.compactMap(\.isReached)
    return
      "\(day), medians of \(rounds), \(Quantity.count(rows)) objects where no number is named\n"
      + table.text() + "\n\(judged.count(where: \.self)) of \(judged.count) goals reached"
  }

  private static var stores: [String] { StoreWorkloads.stores.map { $0.name } }

  /// How many times better (or worse, below 1) we are than the best of the others.
  private static func ratio(_ figure: Figure) -> String {
    let rivals = figure.values.filter { $0.key != HoldfastStore.name }.map(\.value)
    guard let ours = figure.values[HoldfastStore.name], ours > 0,
      let best = figure.isHigherBetter ? rivals.max() : rivals.min(), best > 0
    else { return "-" }
    return String(format: "%.2f x", figure.isHigherBetter ? ours / best : best / ours)
  }
}

enum Output {
  /// Three digits at least, in groups.
  static func number(_ value: Double) -> String {
    if value >= 1000 { return Quantity.count(Int(value)) }
    return String(format: value < 10 ? "%.2f" : "%.1f", value)
  }
}
