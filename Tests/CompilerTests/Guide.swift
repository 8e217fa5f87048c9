import Foundation

/// An article of the library's documentation, and the Swift code in it.
struct Guide {
  let url: URL

  /// A block of code, and the line of the article that it begins in.
  struct Block {
    let line: Int
    var lines: [Substring] = []

    /// Whether it declares something, rather than do something.
    var isDeclaration: Bool {
      let words = ["actor", "class", "enum", "extension", "final", "func", "struct", "@MainActor"]
      return words.contains { lines.first?.hasPrefix($0 + " ") == true }
    }
  }

  var name: String { url.deletingPathExtension().lastPathComponent }

  func blocks() throws -> [Block] {
    var blocks: [Block] = []
    var open: Block?
    let text = try String(contentsOf: url, encoding: .utf8)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line == "```swift" {
        open = Block(line: index + 2)
      } else if line == "```", let block = open {
        blocks.append(block)
        open = nil
      } else {
        open?.lines.append(line)
      }
    }
    return blocks
  }

  /// The code as one file: what blocks declare as it is, what they do in functions of the main
  /// actor that are given what guides talk about. Complaints name the lines of the article.
  func program() throws -> String {
    var program = "import Dispatch\nimport Foundation\nimport RealmSwift\n"
    // What takes the package trait is compiled by the package `SyncTests`, and has to parse here.
    let takesTrait = name == "Synchronisation"
    if takesTrait { program += "#if Sync\n" }
    for (index, block) in try blocks().enumerated() {
      let code = """
        #sourceLocation(file: "\(url.path)", line: \(block.line))
        \(block.lines.joined(separator: "\n"))
        #sourceLocation()

        """
      program += block.isDeclaration ? code : Self.function("\(name)Block\(index)", code)
    }
    return takesTrait ? program + "#endif\n" : program
  }

  private static func function(_ name: String, _ code: String) -> String {
    """
    @MainActor func do\(name)(
      _ realm: Realm, _ person: Person, _ dog: Dog, _ people: Results<Person>,
      _ dogs: Results<Dog>, _ token: NotificationToken
    ) async throws {
      do {
    \(code)  }
    }

    """
  }
}
