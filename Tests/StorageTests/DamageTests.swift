import Platform
import TestSupport
import Storage
import EngineLab
import Testing

@Suite struct DamageTests {
  /// One way to damage a file.
  private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    switch random.below(6) {
    case 0: bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
    case 1: bytes[random.below(bytes.count)] = UInt8(random.below(256))
    case 2:
      let start = random.below(bytes.count)
      for index in start..<min(bytes.count, start + 1 + random.below(600)) {
        bytes[index] = UInt8(random.below(256))
      }
    case 3:
      let start = random.below(bytes.count)
      for index in start..<min(bytes.count, start + 512) { bytes[index] = 0 }
    case 4: bytes.removeSubrange(random.below(bytes.count)...)
    default:
      // A stretch of the file in another place of it.
      let from = random.below(bytes.count)
      let to = random.below(bytes.count)
      let count = min(512, bytes.count - max(from, to))
      bytes.replaceSubrange(to..<to + count, with: Array(bytes[from..<from + count]))
    }
  }

  @Test func `5,000 damaged files end in correct data or an error that names the place`() throws {
    let seed: UInt64 = 20_261_121
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let bench = try Bench(leafCount: 25, wordsMax: 120)
    for _ in 0..<12 { try bench.commit() }
    let whole = bench.system.contents(of: "/a.realm")
    var refused = 0
    var correct = 0
    for number in 0..<5000 {
      var bytes = whole
      for _ in 0...random.below(3) where !bytes.isEmpty { damage(&bytes, &random) }
      let system = SimulatedSystem()
      system.recordsCalls = false
      system.install(bytes, at: "/a.realm")
      var options = bench.options
      options.mappingReservation = 1 << 20
      do throws(StorageError) {
        let database = try Database.open(path: "/a.realm", options: options, system: system)
        let snapshot = try database.pinNewest()
        let difference = try bench.model.mismatch(
          in: snapshot, leaves: bench.leaves[snapshot.version]!)
        #expect(difference == nil, "seed \(seed), file \(number)")
        correct += 1
      } catch {
        refused += 1
        #expect(error.path == "/a.realm")
        #expect(!error.message.isEmpty)
      }
    }
    print("\(correct) read correctly, \(refused) refused")
    #expect(correct > 100 && refused > 100)
  }

  @Test func `verify names the place of a damaged node`() throws {
    let bench = try Bench()
    for _ in 0..<5 { try bench.commit() }
    let report = try bench.database.verify()
    #expect(report.isSound)
    var bytes = bench.system.contents(of: "/a.realm")
    let snapshot = try bench.database.pinNewest()
    let root = try snapshot.source.node(snapshot.root)
    let place = Int(root.reference(3).offset)
    bytes[place + 40] ^= 1
    let system = SimulatedSystem()
    system.install(bytes, at: "/a.realm")
    let database = try Database.open(path: "/a.realm", options: bench.options, system: system)
    let damaged = try database.verify()
    #expect(damaged.findings.contains { $0.offset == UInt64(place) })
  }

  @Test func `another kind of file is refused by name and left alone`() throws {
    let system = SimulatedSystem()
    let text = Array(String(repeating: "not a database\n", count: 100).utf8)
    system.install(text, at: "/a.realm")
    #expect {
      try Database.open(path: "/a.realm", options: DatabaseOptions(), system: system)
    } throws: { error in
      (error as? StorageError)?.code == .notADatabase
    }
    #expect(system.contents(of: "/a.realm") == text)
  }

  @Test func `a file of a newer format is refused with what to do`() throws {
    let bench = try Bench()
    var bytes = bench.system.contents(of: "/a.realm")
    bytes[FileLayout.headerFormatVersion] = 99
    let sum = unsafe bytes.withUnsafeBytes {
      unsafe checksum($0.baseAddress!, count: FileLayout.headerChecksum)
    }
    unsafe withUnsafeBytes(of: sum) { sum in
      unsafe bytes.replaceSubrange(
        FileLayout.headerChecksum..<FileLayout.headerChecksum + 4, with: Array(sum))
    }
    let system = SimulatedSystem()
    system.install(bytes, at: "/a.realm")
    #expect {
      try Database.open(path: "/a.realm", options: bench.options, system: system)
    } throws: { error in
      (error as? StorageError)?.code == .unsupportedFormat
    }
  }
}
