import Foundation
import Storage
import Testing

/// docs/FORMAT.md against the tables in the code.
@Suite struct FormatDocumentTests {
  private let rows: [[String]]

  init() throws {
    let document = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("docs/FORMAT.md")
    let text = try String(contentsOf: document, encoding: .utf8)
    rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private func offset(of name: String) -> Int? {
    rows.first { $0.count >= 4 && $0[2] == name }.flatMap { Int($0[0]) }
  }

  @Test func `the header and slot tables are those of the code`() {
    let expected = [
      ("headerMagic", FileLayout.headerMagic),
      ("headerFormatVersion", FileLayout.headerFormatVersion),
      ("headerFlags", FileLayout.headerFlags),
      ("headerFileIdentifier", FileLayout.headerFileIdentifier),
      ("headerChecksum", FileLayout.headerChecksum),
      ("slotMagic", FileLayout.slotMagic),
      ("slotChecksum", FileLayout.slotChecksum),
      ("slotVersion", FileLayout.slotVersion),
      ("slotRoot", FileLayout.slotRoot),
      ("slotLogicalSize", FileLayout.slotLogicalSize),
      ("slotBoot", FileLayout.slotBoot),
      ("slotExtentCount", FileLayout.slotExtentCount),
      ("slotFlags", FileLayout.slotFlags),
      ("slotExtents", FileLayout.slotExtents), ("markMagic", FileLayout.markMagic),
      ("markChecksum", FileLayout.markChecksum), ("markVersion", FileLayout.markVersion),
      ("markSlotChecksum", FileLayout.markSlotChecksum),
      ("headerSalt", FileLayout.headerSalt), ("headerSeal", FileLayout.headerSeal),
      ("headerSaltChecksum", FileLayout.headerSaltChecksum),
      ("slotSalt", FileLayout.slotSalt), ("slotTag", FileLayout.slotTag),
    ]
    for (name, value) in expected { #expect(offset(of: name) == value, "\(name)") }
  }

  @Test func `the node table is that of the code`() {
    let expected = [
      ("checksum", NodeLayout.checksum), ("kind", NodeLayout.kind), ("width", NodeLayout.width),
      ("flags", NodeLayout.flags), ("byteSize", NodeLayout.byteSize),
      ("count", NodeLayout.count), ("createdIn", NodeLayout.createdIn),
      ("referenceCount", NodeLayout.referenceCount), ("auxiliary", NodeLayout.auxiliary),
      ("sealedTag", SealedNodeLayout.tag), ("sealedCreatedIn", SealedNodeLayout.createdIn),
      ("sealedByteSize", SealedNodeLayout.byteSize), ("sealedSalt", SealedNodeLayout.salt),
      ("sealedText", SealedNodeLayout.text),
    ]
    for (name, value) in expected { #expect(offset(of: name) == value, "\(name)") }
  }

  @Test func `the places in the file are those of the code`() {
    func place(_ what: String) -> Int? {
      rows.first { $0.count == 2 && $0[1] == what }.flatMap { Int($0[0]) }
    }
    #expect(place("header") == FileLayout.header)
    #expect(place("durable slot 0") == FileLayout.durableSlots[0])
    #expect(place("durable slot 1") == FileLayout.durableSlots[1])
    #expect(place("volatile slot 0") == FileLayout.volatileSlots[0])
    #expect(place("volatile slot 1") == FileLayout.volatileSlots[1])
    #expect(place("closing mark") == FileLayout.closingMark)
    #expect(rows.contains { $0.first == "\(FileLayout.firstNode)" })
  }

  @Test func `the kinds are those of the code`() {
    let kinds: [(String, NodeKind)] = [
      ("snapshot", .snapshot), ("freeSpaceIndex", .freeSpaceIndex),
      ("freeSpaceRegion", .freeSpaceRegion), ("freeSpaceLog", .freeSpaceLog),
      ("regionMap", .regionMap), ("historyIndex", .historyIndex),
      ("historyEntry", .historyEntry), ("regionGroup", .regionGroup),
    ]
    for (name, kind) in kinds {
      let row = rows.first { $0.count >= 2 && $0[1] == name && Int($0[0]) != nil }
      #expect(row.flatMap { Int($0[0]) } == Int(kind.rawValue), "\(name)")
    }
  }
}
