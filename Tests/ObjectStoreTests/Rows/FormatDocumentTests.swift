import Foundation
import Storage
import Testing

@testable import ObjectStore

/// The page on the object store's nodes against the code.
@Suite struct RowsFormatDocumentTests {
  private let sections: [String: [[String]]]

  init() throws {
    let documents = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs")
    var text = ""
    for name in ["FORMAT.md", "format-objects.md"] {
      let file = documents.appendingPathComponent(name)
      text += (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }
    var sections: [String: [[String]]] = [:]
    var section = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") { section = String(line.drop { $0 == "#" || $0 == " " }) }
      guard line.hasPrefix("|") else { continue }
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
        .dropLast()
      sections[section, default: []].append(
        cells.map { $0.trimmingCharacters(in: .whitespaces) })
    }
    self.sections = sections
  }

  /// The section whose heading begins so.
  private func rows(_ heading: String) throws -> [[String]] {
    try #require(sections.first { $0.key.hasPrefix(heading) }?.value)
  }

  @Test func theHeadingsNameTheKindsOfTheCode() throws {
    let kinds: [(String, NodeKind)] = [
      ("Store root", .storeRoot), ("Schema", .schema), ("Table", .table),
      ("Inner node of clusters", .clusterInner), ("Cluster", .cluster),
      ("Byte vector", .byteVector), ("Backlinks", .backlinkVector),
    ]
    let headings = try rows("The object store's nodes").map { $0[0] }
    #expect(headings.contains("35, 36"))
    for (name, kind) in kinds where name != "Store root" && name != "Schema" {
      #expect(sections.keys.contains("\(name) (\(kind.rawValue))"), "\(name)")
    }
    let vectors = try rows("Vectors of equal width")
    for kind in [NodeKind.integerVector, .floatVector, .doubleVector, .fixedVector] {
      #expect(vectors.contains { $0[0] == "\(kind.rawValue)" })
    }
  }

  @Test func theTableNodeIsThatOfTheCode() throws {
    let table = try rows("Table (34)")
    #expect(table.contains(["\(TableNode.nextKey)", "8", "the key that the next object will get"]))
    #expect(table.contains(["\(TableNode.count)", "8", "number of objects"]))
  }

  @Test func innerNodesHaveTheStridesOfTheCode() throws {
    let clusters = try rows("Inner node of clusters")
    #expect(clusters.contains { $0[0] == "\(InnerNode.clusterStride) i" })
    let pairs = try rows("Indexes")
    #expect(pairs.contains { $0[0] == "\(InnerNode.pairStride) i" })
    #expect(pairs.contains { $0[0] == "\(PairLeaf.headSize) + i (v + k)" })
  }

  @Test func theHashIsTheOneThatIsDescribed() {
    func fold(_ state: UInt64, _ word: UInt64) -> UInt64 {
      let product = (state ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(
        by: word ^ 0xE703_7ED1_A0B4_28DB)
      return product.high ^ product.low ^ (state >> 29)
    }
    for length in [0, 1, 7, 8, 9, 16, 100] {
      let bytes = (0..<length).map { UInt8($0) }
      var state = 0x9E37_79B9_7F4A_7C15 ^ UInt64(length)
      var words = stride(from: 0, to: length / 8 * 8, by: 8).map { Array(bytes[$0..<($0 + 8)]) }
      words.append(Array(bytes[(length / 8 * 8)...]))
      for word in words {
        state = fold(state, word.reversed().reduce(0) { $0 << 8 | UInt64($1) })
      }
      let hash = Int64(bitPattern: fold(state, 0xD6E8_FEB8_6659_FD93))
      #expect(unsafe bytes.withUnsafeBytes { unsafe IndexValue.hash($0) } == hash)
    }
  }
}
