import Foundation
import ToolReports

/// Shows what goes on: redrawn in place on a terminal, line by line anywhere else.
struct Screen {
  let isTerminal: Bool
  private var lastDrawn: UInt64 = 0
  private var linesDrawn = 0
  private var events: [String] = []
  private let startedAt = monotonicNanoseconds()
  private static let drawingInterval: UInt64 = 100_000_000

  init() {
    isTerminal = isatty(STDOUT_FILENO) == 1
  }

  /// Something that happened once.
  mutating func event(_ text: String) {
    let line = stamp + text
    events.append(line)
    if events.count > 12 { events.removeFirst() }
    if !isTerminal { say(line) }
  }

  /// A viewer's view has changed.
  mutating func view(_ view: View, of name: String) {
    if isTerminal { return }
    let counts = view.counts.map { "\($0.name) \(Quantity.count($0.value))" }
    var text = "\(name): " + counts.joined(separator: ", ")
    if !view.changes.isEmpty {
      text += " (\(Self.text(of: view.changes, changeSets: view.changeSets)))"
    }
    if let first = view.top.first {
      text += "; \(view.title): \(first.name) \(Quantity.count(first.value))"
    }
    say(stamp + text)
  }

  /// Draws the whole picture if the last one is old enough. On a terminal only.
  mutating func draw(headline: String, views: [(name: String, view: View?)]) {
    let now = monotonicNanoseconds()
    guard isTerminal, now - lastDrawn > Self.drawingInterval else { return }
    lastDrawn = now
    var lines = [headline, ""]
    for (name, view) in views { lines += Self.lines(of: view, name: name) + [""] }
    // The rest of the screen shows what happened last; a longer picture would scroll.
    let size = Self.size
    lines += events.suffix(max(0, size.rows - 1 - lines.count))
    draw(Array(lines.prefix(size.rows - 1)), width: size.columns)
  }

  private mutating func draw(_ lines: [String], width: Int) {
    var text = linesDrawn > 0 ? "\u{1B}[\(linesDrawn)A" : ""
    for line in lines { text += line.prefix(width) + "\u{1B}[K\n" }
    text += "\u{1B}[J"
    linesDrawn = lines.count
    say(text, terminator: "")
  }

  private static func lines(of view: View?, name: String) -> [String] {
    guard let view else { return ["[\(name)] starting"] }
    let counts = view.counts.map { "\($0.name) \(Quantity.count($0.value))" }
    var lines = ["[\(name)] " + counts.joined(separator: "   ")]
    var top = TextTable([(view.title, .left), ("", .right)])
    for line in view.top { top.add(line.name, Quantity.count(line.value)) }
    lines += top.text(indent: 2).split(separator: "\n").map(String.init)
    // The same number of lines whatever there is to show, so that the picture stands still.
    while lines.count < 7 { lines.append("") }
    return lines + ["  " + text(of: view.changes, changeSets: view.changeSets)]
  }

  private static func text(of changes: View.Changes, changeSets: Int) -> String {
    changes.isEmpty
      ? "no changes"
      : "+\(changes.insertions) ~\(changes.modifications) -\(changes.deletions) in "
        + Quantity.number(of: changeSets, "change set")
  }

  private var stamp: String {
    String(format: "%6.2f  ", Double(monotonicNanoseconds() - startedAt) / 1e9)
  }

  private static var size: (rows: Int, columns: Int) {
    var size = winsize()
    let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? (max(2, Int(size.ws_row)), Int(size.ws_col)) : (40, 100)
  }
}
