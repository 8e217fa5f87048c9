import Foundation
import Testing

@Suite("the guides") struct GuideTests {
  let compiler = Compiler()

  private var catalogue: URL {
    compiler.package.appending(path: "Sources/RealmSwift/RealmSwift.docc")
  }

  private func guides() throws -> [Guide] {
    try FileManager.default.contentsOfDirectory(at: catalogue, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "md" }
      .sorted { $0.path < $1.path }
      .map(Guide.init)
  }

  @Test("are there, with code in each")
  func articles() throws {
    let guides = try guides()
    #expect(
      guides.map(\.name) == [
        "Actors", "AsyncWrites", "Durability", "Encryption", "LoopThreads", "Migrations", "Models",
        "Notifications", "Queries", "RealmSwift", "Synchronisation", "Threading",
      ])
    for guide in guides { #expect(try guide.blocks().count >= 2, "\(guide.name)") }
  }

  private func withTemporaryFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("have code that compiles, every block, in Swift 6 mode")
  func code() throws {
    try withTemporaryFolder { folder in
      let programs = try guides().map { guide in
        let file = folder.appending(path: "\(guide.name)Guide.swift")
        try guide.program().write(to: file, atomically: true, encoding: .utf8)
        return file
      }
      let files = try compiler.cases("Guides") + programs
      let complaints = try compiler.complaints(about: files, .nothing)
      #expect(complaints.isEmpty, "\(complaints)")
    }
  }

  @Test("link to what there is")
  func links() throws {
    let toolchain = try compiler.toolchain()
    try withTemporaryFolder { folder in
      let symbols = try compiler.extractSymbols(of: "RealmSwift", to: folder)
      #expect(symbols.status == 0, "\(symbols.output)")
      let documentation = try compiler.run(
        toolchain.tool("docc"),
        ["convert", catalogue.path, "--additional-symbol-graph-dir", folder.path]
          + ["--fallback-display-name", "RealmSwift", "--fallback-bundle-identifier", "RealmSwift"]
          + ["--output-path", folder.appending(path: "RealmSwift.doccarchive").path])
      #expect(documentation.status == 0, "\(documentation.output)")
      let broken = documentation.output.split(separator: "\n").filter {
        $0.contains("doesn't exist at") || $0.contains("couldn't be resolved")
      }
      #expect(broken.isEmpty)
    }
  }

  @Test("say with every rule why, what to do, and what breaks")
  func rules() throws {
    for guide in try guides() where guide.name != "RealmSwift" {
      let text = try String(contentsOf: guide.url, encoding: .utf8)
      let sections = text.components(separatedBy: "\n## ").dropFirst()
        .filter { !$0.hasPrefix("Overview") && !$0.hasPrefix("What may be sent") }
      #expect(sections.count >= 6, "\(guide.name)")
      for section in sections {
        for part in ["**Why.**", "**Do.**", "**What breaks.**"] {
          #expect(section.contains(part), "\(guide.name): \(section.prefix(60))")
        }
      }
    }
  }
}
