import Foundation

/// The lists of calls in the architecture page: the way of something through the library.
struct DocumentedWays {
  static let headings = [
    "### From `book.title = \"x\"` to its bytes",
    "### From `observe` to its callback",
    "### From another process's commit to this one's loop",
  ]

  let page: Page

  /// `Type.method` of each step, in order.
  func calls(under heading: String) -> [Page.Mention]? {
    page.section(heading)?.compactMap { line in
      let parts = line.text.components(separatedBy: "`")
      guard line.text.first?.isNumber == true, parts.count > 2 else { return nil }
      return Page.Mention(text: String(parts[1].prefix { $0 != "(" }), line: line.line)
    }
  }

  func complaints(_ names: CodeNames) -> [String] {
    Self.headings.flatMap { heading -> [String] in
      guard let calls = calls(under: heading), calls.count >= 5 else {
        return ["\(page.path): the list of calls is missing: \(heading)"]
      }
      return calls.filter { !names.declares($0.text) }.map {
        "\(page.path):\($0.line) there is no \($0.text) any more (\(heading.dropFirst(4)))"
      }
    }
  }
}
