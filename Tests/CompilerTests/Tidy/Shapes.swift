/// Sizes that read well, and what has to be said beside code.
enum Shapes {
  static let columnsMax = 100
  static let functionLinesMax = 70
  static let fileLinesMax = 400

  static let knownLongLines = Allowance(
    rule: "lines of more than 100 columns",
    known: [:])

  static let knownUnchecked = Allowance(
    rule: "@unchecked Sendable without a reason beside it",
    known: [:])

  /// Tables of test data.
  static let longFiles: Set<String> = ["DecimalVectors.swift"]

  /// What the compiler is expected to say stands in lines of its own length.
  private static let expectations = "Tests/CompilerTests/Cases/"

  static func complaints(about files: [SourceFile]) -> [String] {
    files.flatMap { longFunctions($0) + longFile($0) + unfinishedWork($0) }
  }

  /// Lines that are too long, by the target's folder.
  static func longLines(in files: [SourceFile]) -> [String: [String]] {
    var findings: [String: [String]] = [:]
    for file in files
    where !longFiles.contains(file.name) && !file.path.hasPrefix(expectations) {
      let folder = file.path.split(separator: "/").prefix(2).joined(separator: "/")
      for (offset, line) in file.lines.enumerated() where line.utf8.count > columnsMax {
        guard line.count > columnsMax else { continue }
        findings[folder, default: []].append("\(file.path):\(offset + 1)")
      }
    }
    return findings
  }

  private static func longFunctions(_ file: SourceFile) -> [String] {
    file.declarations.compactMap { declaration in
      let length = declaration.lastLine - declaration.line + 1
      guard ["func", "init", "deinit", "subscript"].contains(declaration.keyword),
        length > functionLinesMax
      else { return nil }
      return "\(file.path):\(declaration.line) \(declaration.qualifiedName) has \(length) lines"
    }
  }

  private static func longFile(_ file: SourceFile) -> [String] {
    // A text that ends with a newline has an empty line behind it.
    let count = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
    guard count > fileLinesMax, !longFiles.contains(file.name) else { return [] }
    return ["\(file.path) has \(count) lines"]
  }

  private static func unfinishedWork(_ file: SourceFile) -> [String] {
    let marks = ["TO" + "DO", "FIX" + "ME"]
    return file.lines.enumerated().compactMap { offset, line in
      marks.contains { line.contains($0) } ? "\(file.path):\(offset + 1) is unfinished" : nil
    }
  }

  /// Types that say `@unchecked Sendable` without a comment beside it that says why they are.
  static func uncheckedWithoutReason(in files: [SourceFile]) -> [String: [String]] {
    var findings: [String: [String]] = [:]
    for file in files {
      let lines = file.lines.map { $0.drop { $0 == " " } }
      for (offset, line) in lines.enumerated()
      where line.contains("@unchecked Sendable") && !line.hasPrefix("//") && !line.contains("\"") {
        guard !hasReason(lines, at: offset) else { continue }
        findings[file.path, default: []].append("line \(offset + 1)")
      }
    }
    return findings
  }

  /// A plain comment above the declaration or first thing in its body, or a documentation comment
  /// that speaks of it.
  private static func hasReason(_ lines: [Substring], at offset: Int) -> Bool {
    func isPlainComment(_ line: Substring) -> Bool {
      line.hasPrefix("//") && !line.hasPrefix("///")
    }
    var below = offset + 1
    while below < lines.count, !lines[below - 1].hasSuffix("{"), below < offset + 4 { below += 1 }
    if below < lines.count, isPlainComment(lines[below]) { return true }
    if lines[offset].contains("//") { return true }
    var above = offset - 1
    while above >= 0, lines[above].hasPrefix("//") || lines[above].hasPrefix("@") {
      let words = ["Sendable", "thread", "lock", "semaphore"]
      if isPlainComment(lines[above]) || words.contains(where: lines[above].contains) {
        return true
      }
      above -= 1
    }
    return false
  }
}
