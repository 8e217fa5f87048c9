import Foundation
import ToolReports

/// All figures of a run.
struct Results: TextReport {
  var date: Date
  var rounds: Int
  var figures: [Figure]

  var text: String {
    var table = TextTable(
      [("workload", .left), ("unit", .left)] + Self.stores.map { ($0, .right) }
        + [("to best rival", .right), ("goal", .left), ("", .left)])
    for figure in figures {
      let values = Self.stores.map { figure.values[$0].map(Self.number) ?? "-" }
      let verdict = figure.isReached.map { $0 ? "reached" : "missed" } ?? ""
      table.add(
        [figure.workload, figure.unit] + values + [Self.ratio(figure), figure.goal ?? "", verdict])
    }
    let day = date.formatted(.iso8601.year().month().day())
    return "\(day), medians of \(rounds)\n" + table.text()
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

  private static func number(_ value: Double) -> String {
    value >= 1000 ? Quantity.count(Int(value)) : String(format: "%.1f", value)
  }
}
