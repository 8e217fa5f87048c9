import Platform
import Testing

@testable import Coordination

@Suite struct LayoutTests {
  private static let documented: [String: Int] = [
    "magic": LockFileLayout.magic,
    "headerLayoutVersion": LockFileLayout.headerLayoutVersion,
    "headerMinimumLayout": LockFileLayout.headerMinimumLayout,
    "headerBoot": LockFileLayout.headerBoot,
    "headerFile": LockFileLayout.headerFile,
    "headerGeneration": LockFileLayout.headerGeneration,
    "headerChecksum": LockFileLayout.headerChecksum,
    "headerUsed": LockFileLayout.headerUsed,
    "newestVersion": LockFileLayout.newestVersion,
    "durableVersion": LockFileLayout.durableVersion,
    "writerRole": LockFileLayout.writerRole,
    "pinCapacity": LockFileLayout.pinCapacity,
    "pinsUsed": LockFileLayout.pinsUsed,
    "participantsUsed": LockFileLayout.participantsUsed,
    "writerHolder": LockFileLayout.writerHolder,
    "flushedVersion": LockFileLayout.flushedVersion,
    "flushFailure": LockFileLayout.flushFailure, "pendingSlot": LockFileLayout.pendingSlot,
    "ring": LockFileLayout.ring,
    "participants": LockFileLayout.participants,
    "pins": LockFileLayout.pins,
    "ringVersion": LockFileLayout.ringVersion,
    "ringRoot": LockFileLayout.ringRoot,
    "ringLogicalSize": LockFileLayout.ringLogicalSize,
    "ringCheck": LockFileLayout.ringCheck,
    "participantProcess": LockFileLayout.participantProcess,
    "participantSince": LockFileLayout.participantSince,
    "participantName": LockFileLayout.participantName,
    "participantAsleep": LockFileLayout.participantAsleep,
    "participantWriting": LockFileLayout.participantWriting,
    "pinWord": LockFileLayout.pinWord,
    "pinRoot": LockFileLayout.pinRoot,
    "pinLogicalSize": LockFileLayout.pinLogicalSize,
    "pinSince": LockFileLayout.pinSince,
    "pinLabel": LockFileLayout.pinLabel,
    "pinExpired": LockFileLayout.pinExpired,
    "openingByte": Int(LockFileLayout.openingByte),
    "sessionByte": Int(LockFileLayout.sessionByte),
    "privateReaderByte": Int(LockFileLayout.privateReaderByte),
    "agentByte": Int(LockFileLayout.agentByte),
    "lockFileSessionByte": Int(LockFileLayout.lockFileSessionByte),
    "growthByte": Int(LockFileLayout.growthByte),
    "firstParticipantByte": Int(LockFileLayout.firstParticipantByte),
  ]

  private static let documentedSizes: [String: Int] = [
    "ring": LockFileLayout.ringCount * LockFileLayout.ringEntrySize,
    "participants": LockFileLayout.participantsMax * LockFileLayout.participantSize,
    "participantName": LockFileLayout.participantNameSize,
    "pinLabel": LockFileLayout.pinLabelSize,
  ]

  @Test func thePageAndTheTableAgree() throws {
    let page = try readText(root + "/docs/format-lockfile.md")
    var found: [String: Int] = [:]
    for line in page.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmed }
      let name = String(cells[0].dropFirst().dropLast())
      found[name] = offset(cells[1])
      if let size = LayoutTests.documentedSizes[name] { #expect(Int(cells[2]) == size, "\(name)") }
    }
    #expect(found == LayoutTests.documented)
    #expect(page.contains("256 at first, doubled when they do not suffice, up to 262144"))
    #expect(LockFileLayout.pinsInitially == 256)
    #expect(LockFileLayout.pinsMax == 262144)
  }

  /// "12", "2^62 + 3" or "4096 + i".
  private func offset(_ cell: String) -> Int? {
    let terms = cell.split(separator: "+").map { $0.trimmed }
    return terms.reduce(0 as Int?) { sum, term in
      if term == "2^62" { return sum.map { $0 + 1 << 62 } }
      if term == "i" { return sum }
      return sum.flatMap { sum in Int(term).map { sum + $0 } }
    }
  }

  @Test func nothingOverlaps() {
    let names = [
      "newestVersion", "durableVersion", "writerRole",
      "pinCapacity", "pinsUsed", "participantsUsed", "writerHolder", "flushedVersion",
      "flushFailure", "pendingSlot", "ring", "participants", "pins",
    ]
    let words = names.compactMap { LayoutTests.documented[$0] }
    #expect(Set(words).count == names.count)
    for word in words { #expect(word % 64 == 0 && word >= LockFileLayout.headerUsed) }
    let ringEnd = LockFileLayout.ring + LockFileLayout.ringCount * LockFileLayout.ringEntrySize
    #expect(ringEnd <= LockFileLayout.participants)
    #expect(LockFileLayout.pins % 4096 == 0)
    #expect(LockFileLayout.participantsMax <= 1 << LockFileLayout.pinParticipantBits)
  }

  @Test func theHeaderIsWhatThePageSays() throws {
    let header = SessionHeader(
      boot: BootIdentifier(high: 1, low: 2), file: FileIdentity(device: 3, inode: 4), generation: 5)
    let encoded = header.encoded()
    #expect(Array(encoded[..<8]) == Array("HFLOCK01".utf8))
    let decoded = try SessionHeader(encoded)
    #expect(decoded.boot == header.boot && decoded.file == header.file)
    #expect(decoded.generation == 5)
    for index in encoded.indices.prefix(LockFileLayout.headerUsed) {
      var damaged = encoded
      damaged[index] ^= 0x10
      #expect(throws: SessionHeader.Damage.self, "byte \(index)") { try SessionHeader(damaged) }
    }
    for count in 0..<LockFileLayout.headerUsed {
      #expect(throws: SessionHeader.Damage.self) { try SessionHeader(Array(encoded[..<count])) }
    }
  }

  private var root: String {
    #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
  }

  private func readText(_ path: String) throws -> String {
    let file = try PosixSystem.shared.openFile(path: path, mode: .readOnly)
    var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
    _ = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: 0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
