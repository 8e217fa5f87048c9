import Foundation
import Testing

/// `tools/planted-bugs` takes long and is run by hand; that its patches still fit the sources is
/// seen here.
@Suite struct PlantedBugsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let folders = ["Simulator", "SyncLab"].map { "Tests/Kits/\($0)/PlantedBugs" }

  private static func patches(in folder: String) -> [String] {
    let path = root.appending(path: folder).path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".patch") }.sorted().map { "\(folder)/\($0)" }
  }

  static let patches = folders.flatMap { patches(in: $0) }

  @Test func patchesAreFound() {
    #expect(Self.folders.map { Self.patches(in: $0).count } == [19, 20])
  }

  @Test("a planted bug fits today's sources in one place each", arguments: patches)
  func patchFits(name: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
    let hunks = Self.hunks(of: text)
    #expect(!hunks.isEmpty)
    for hunk in hunks {
      let source = try String(contentsOf: Self.root.appending(path: hunk.file), encoding: .utf8)
      let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
      let places = lines.indices.filter { lines[$0...].starts(with: hunk.before) }
      #expect(places.count == 1, "\(name): the lines to change are not in \(hunk.file), or twice")
      #expect(hunk.before != hunk.after, "\(name) changes nothing")
    }
  }

  private struct Hunk {
    let file: String
    var before: [Substring] = []
    var after: [Substring] = []
  }

  private static func hunks(of patch: String) -> [Hunk] {
    var file = ""
    var hunks: [Hunk] = []
    for line in patch.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("--- a/") {
        file = String(line.dropFirst(6))
      } else if line.hasPrefix("@@ ") {
        hunks.append(Hunk(file: file))
      } else if let last = hunks.indices.last, !line.hasPrefix("+++ ") {
        let content = line.dropFirst()
        if line.hasPrefix(" ") || line.hasPrefix("-") { hunks[last].before.append(content) }
        if line.hasPrefix(" ") || line.hasPrefix("+") { hunks[last].after.append(content) }
      }
    }
    return hunks
  }
}
