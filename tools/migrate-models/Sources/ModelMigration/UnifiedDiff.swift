/// The differences between two texts, in the form that `patch` reads.
public enum UnifiedDiff {
  private static let context = 3

  private struct Line {
    var mark: Character
    var text: Substring
  }

  /// Empty for equal texts.
  public static func text(from old: String, to new: String, path: String) -> String {
    let lines = lines(
      old.split(separator: "\n", omittingEmptySubsequences: false),
      new.split(separator: "\n", omittingEmptySubsequences: false))
    let changed = lines.indices.filter { lines[$0].mark != " " }
    if changed.isEmpty { return "" }
    var text = "--- \(path)\n+++ \(path)\n"
    var start = 0
    while start < changed.count {
      var end = start
      while end + 1 < changed.count, changed[end + 1] - changed[end] <= 2 * context { end += 1 }
      let first = max(0, changed[start] - context)
      let last = min(lines.count, changed[end] + context + 1)
      text += hunk(lines, first..<last)
      start = end + 1
    }
    return text
  }

  /// All lines of both texts, in order.
  private static func lines(_ old: [Substring], _ new: [Substring]) -> [Line] {
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var lines: [Line] = []
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < old.count || newIndex < new.count {
      if removed.contains(oldIndex) {
        lines.append(Line(mark: "-", text: old[oldIndex]))
        oldIndex += 1
      } else if inserted.contains(newIndex) {
        lines.append(Line(mark: "+", text: new[newIndex]))
        newIndex += 1
      } else {
        lines.append(Line(mark: " ", text: old[oldIndex]))
        oldIndex += 1
        newIndex += 1
      }
    }
    return lines
  }

  private static func hunk(_ lines: [Line], _ range: Range<Int>) -> String {
    func count(_ lines: ArraySlice<Line>, without mark: Character) -> Int {
      lines.count { $0.mark != mark }
    }
    let before = lines[..<range.lowerBound]
    let shown = lines[range]
    let old = "\(count(before, without: "+") + 1),\(count(shown, without: "+"))"
    let new = "\(count(before, without: "-") + 1),\(count(shown, without: "-"))"
    return "@@ -\(old) +\(new) @@\n" + shown.map { "\($0.mark)\($0.text)\n" }.joined()
  }
}
