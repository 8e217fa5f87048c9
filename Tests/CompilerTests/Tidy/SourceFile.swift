import Foundation

/// A Swift file of the checkout, taken apart.
struct SourceFile {
  /// From the checkout's root, such as `Sources/Storage/Nodes/Node.swift`.
  let path: String
  let lines: [Substring]
  let tokens: [Token]
  let declarations: [Declaration]
  let imports: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    tokens = Lexer.tokens(of: text)
    declarations = DeclarationReader.declarations(in: tokens)
    imports = Self.imports(in: tokens)
  }

  private var components: [Substring] { path.split(separator: "/") }

  /// `Storage` of `Sources/Storage/Nodes/Node.swift`.
  var target: String { String(components[1]) }

  /// `Nodes` of `Sources/Storage/Nodes/Node.swift`; nil beside the folders.
  var folder: String? { components.count > 3 ? String(components[2]) : nil }

  var name: String { String(components.last ?? "") }

  private static func imports(in tokens: [Token]) -> [String] {
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "typealias", "var"]
    var imports: [String] = []
    for (index, token) in tokens.enumerated()
    where token.text == "import" && index + 1 < tokens.count {
      let isMember = index > 0 && tokens[index - 1].text == "."
      let next = tokens[index + 1]
      guard !isMember, next.line == token.line, next.isWord else { continue }
      let isOfKind = kinds.contains(next.text) && index + 2 < tokens.count
      imports.append(String(isOfKind ? tokens[index + 2].text : next.text))
    }
    return imports
  }
}

/// The checkout that this test was built from.
struct Checkout: Sendable {
  let root: URL

  init() {
    root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
  }

  /// The paths of all files in a folder that end so, in order.
  func paths(in folder: String, ending: String) -> [String] {
    let start = root.appending(path: folder).path
    guard let walk = FileManager.default.enumerator(atPath: start) else { return [] }
    var paths: [String] = []
    for case let path as String in walk
    where path.hasSuffix(ending) && !path.contains(".build") {
      paths.append("\(folder)/\(path)")
    }
    return paths.sorted()
  }

  func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  func swiftFiles(in folder: String) throws -> [SourceFile] {
    try paths(in: folder, ending: ".swift").map { SourceFile(path: $0, text: try text($0)) }
  }
}

/// All Swift code of the checkout, read once for all tests of this suite.
struct Sources {
  /// The library.
  let library: [SourceFile]
  let tests: [SourceFile]
  /// The tool, the demonstration and the benchmarks: programs that use the library.
  let programs: [SourceFile]

  static let all = Result {
    let checkout = Checkout()
    return Sources(
      library: try checkout.swiftFiles(in: "Sources"),
      tests: try checkout.swiftFiles(in: "Tests"),
      programs: try checkout.swiftFiles(in: "tools") + checkout.swiftFiles(in: "Benchmarks/Sources")
    )
  }

  var everything: [SourceFile] { library + tests + programs }
}
