import Foundation
import Testing

@Suite("the pages") struct PageTests {
  private let checkout = Checkout()
  private let names: CodeNames
  private let pages: [Page]

  init() throws {
    let checkout = checkout
    names = CodeNames(try Sources.all.get())
    let paths =
      ["README.md", "CONTRIBUTING.md"] + checkout.paths(in: "docs", ending: ".md")
      + checkout.paths(in: "Sources", ending: ".md")
    pages = try paths.map { Page(path: $0, text: try checkout.text($0)) }
  }

  private func expect(_ complaints: [String], _ location: SourceLocation = #_sourceLocation) {
    for complaint in complaints { Issue.record("\(complaint)", sourceLocation: location) }
  }

  private func page(_ path: String) throws -> Page { try #require(pages.first { $0.path == path }) }

  @Test("are there")
  func pagesExist() {
    let wanted = ["ARCHITECTURE", "FORMAT", "TESTING", "DEBUGGING", "GLOSSARY"]
    for name in wanted { #expect(pages.contains { $0.path == "docs/\(name).md" }, "\(name)") }
    #expect(pages.filter { $0.folder == "docs/decisions" }.count >= 8)
  }

  @Test("link to files and headings that exist")
  func links() throws {
    for page in pages {
      for link in page.links {
        let parts = link.text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let url = checkout.root.appending(path: page.folder).appending(path: String(parts[0]))
        let path = parts[0].isEmpty ? checkout.root.appending(path: page.path) : url.standardized
        let place = "\(page.path):\(link.line) \(link.text)"
        guard FileManager.default.fileExists(atPath: path.path) else {
          Issue.record("\(place): there is no such file")
          continue
        }
        guard parts.count == 2 else { continue }
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(Page(path: "", text: text).anchors.contains(String(parts[1])), "\(place)")
      }
    }
  }

  @Test("can be reached from the README")
  func reachable() throws {
    var reached: Set<String> = []
    var open = ["README.md"]
    while let path = open.popLast() {
      guard reached.insert(path).inserted, let page = pages.first(where: { $0.path == path })
      else { continue }
      for link in page.links {
        let target = link.text.prefix { $0 != "#" }
        let url = checkout.root.appending(path: page.folder).appending(path: String(target))
        open.append(String(url.standardized.path.dropFirst(checkout.root.path.count + 1)))
      }
    }
    for page in pages where !page.path.hasPrefix("Sources/") {
      #expect(reached.contains(page.path), "no page links to \(page.path)")
    }
  }

  @Test("name files and types that exist")
  func codeNames() {
    expect(
      pages.flatMap { page in
        page.codeNames.compactMap { mention in
          names.complaint(about: mention.text).map { "\(page.path):\(mention.line) \($0)" }
        }
      })
  }

  @Test("say of every folder of the library what is in it")
  func folders() throws {
    let text = try page("docs/ARCHITECTURE.md").lines.filter { $0.hasPrefix("| `") }
    let folders = Set(
      try Sources.all.get().library.compactMap { file in
        file.folder.map { "\(file.target)/\($0)" }
      })
    #expect(folders.count >= 30)
    for folder in folders.sorted() {
      let line = text.first { $0.hasPrefix("| `\(folder)` |") }
      #expect(line != nil, "docs/ARCHITECTURE.md has no line for \(folder)")
    }
  }

  @Test("list calls that the library has: the ways of a write, a change and a commit")
  func ways() throws {
    expect(DocumentedWays(page: try page("docs/ARCHITECTURE.md")).complaints(names))
  }
}
