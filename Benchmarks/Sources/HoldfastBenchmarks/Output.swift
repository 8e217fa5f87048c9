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
    var group: String?
    for figure in figures {
      if figure.group != group {
        group = figure.group
        table.add([figure.group.uppercased(), "", "", "", "", "", "", ""])
      }
      table.add(
        Self.cells(figure) + [Self.ratio(figure), figure.goal ?? "", Self.verdict(figure)])
    }
    return heading + "\n" + table.text() + "\n" + summary
  }

  /// Tables for a page, one for each group.
  var markdown: String {
    var lines = [heading]
    var group: String?
    for figure in figures {
      if figure.group != group {
        group = figure.group
        let stores = Self.stores.joined(separator: " | ")
        lines += ["", "| \(figure.group) | unit | \(stores) | goal |"]
        lines.append("| --- | --- |" + String(repeating: " --- |", count: Self.stores.count + 1))
      }
      let goal = figure.goal.map { "\($0): \(Self.verdict(figure))" } ?? ""
      lines.append("| " + (Self.cells(figure) + [goal]).joined(separator: " | ") + " |")
    }
    return (lines + ["", summary]).joined(separator: "\n")
  }

  private var heading: String {
    let day = date.formatted(.iso8601.year().month().day())
    return "\(day), medians of \(rounds), \(Quantity.count(rows)) objects where no number is named"
  }

  private var summary: String {
    let judged = figures.compactMap(\.isReached)
    return "\(judged.count(where: \.self)) of \(judged.count) goals reached"
  }

  private static func cells(_ figure: Figure) -> [String] {
    [figure.workload, figure.unit] + stores.map { figure.values[$0].map(Output.number) ?? "-" }
  }

  private static func verdict(_ figure: Figure) -> String {
    figure.isReached.map { $0 ? "reached" : "missed" } ?? ""
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
