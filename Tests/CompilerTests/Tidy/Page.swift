import Foundation

/// A page of documentation: its links, its headings, and what it names in backticks.
struct Page {
  struct Mention {
    let text: String
    let line: Int
  }

  let path: String
  let lines: [String]
  /// Lines that are prose, not code between fences, with their numbers.
  private let prose: [(line: Int, text: String)]

  init(path: String, text: String) {
    self.path = path
    lines = text.components(separatedBy: "\n")
    var prose: [(line: Int, text: String)] = []
    var isCode = false
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if !isCode, !line.hasPrefix("    ") {
        prose.append((index + 1, line))
      }
    }
    self.prose = prose
  }

  var folder: String { (path as NSString).deletingLastPathComponent }

  /// What stands between single backticks. Double ones are links of the documentation compiler.
  var codeNames: [Mention] {
    prose.flatMap { line, text in
      let parts = text.replacing("``", with: "").components(separatedBy: "`")
      return parts.enumerated().filter { $0.offset % 2 == 1 && $0.offset < parts.count - 1 }
        .map { Mention(text: $0.element, line: line) }
    }
  }

  /// Targets of links that stay in the checkout.
  var links: [Mention] {
    prose.flatMap { line, text in
      text.components(separatedBy: "](").dropFirst().compactMap { rest in
        guard let end = rest.firstIndex(of: ")") else { return nil }
        let target = String(rest[..<end])
        let isElsewhere = target.contains("://") || target.hasPrefix("mailto:")
        return isElsewhere ? nil : Mention(text: target, line: line)
      }
    }
  }

  /// As links name them: lower case, with dashes for spaces.
  var anchors: Set<String> {
    Set(
      prose.filter { $0.text.hasPrefix("#") }.map { _, text in
        text.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
          .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
      })
  }

  /// The lines under a heading that begins so, to the next heading.
  func section(_ heading: String) -> [Mention]? {
    guard let start = lines.firstIndex(where: { $0.hasPrefix(heading) }) else { return nil }
    return lines[(start + 1)...].enumerated().prefix { !$0.element.hasPrefix("#") }
      .map { Mention(text: $0.element, line: start + 2 + $0.offset) }
  }
}
