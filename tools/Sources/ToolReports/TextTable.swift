/// Columns of text under headings: the first to the left, numbers to the right.
public struct TextTable {
  public enum Alignment: Sendable { case left, right }

  private let columns: [(title: String, alignment: Alignment)]
  private var rows: [[String]] = []

  public init(_ columns: [(String, Alignment)]) {
    self.columns = columns.map { (title: $0.0, alignment: $0.1) }
  }

  public var isEmpty: Bool { rows.isEmpty }

  /// Appends a row; missing cells at its end are empty.
  public mutating func add(_ cells: String...) { add(cells) }

  public mutating func add(_ cells: [String]) {
    precondition(cells.count <= columns.count, "more cells than columns")
    rows.append(cells + Array(repeating: "", count: columns.count - cells.count))
  }

  /// The table, a line for each row, without spaces at the ends of lines.
  public func text(indent: Int = 0) -> String {
    let titles = columns.map(\.title)
    let widths = columns.indices.map { column in
      rows.reduce(titles[column].count) { max($0, $1[column].count) }
    }
    let hasTitles = titles.contains { !$0.isEmpty }
    let lines = (hasTitles ? [titles] : []) + rows
    return lines.map { line(of: $0, widths: widths, indent: indent) }.joined(separator: "\n")
  }

  private func line(of cells: [String], widths: [Int], indent: Int) -> String {
    var line = String(repeating: " ", count: indent)
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      line += columns[column].alignment == .right ? padding + cell : cell + padding
      line += "  "
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
