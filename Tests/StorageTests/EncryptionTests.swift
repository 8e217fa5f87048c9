import EngineLab
import Foundation
import Platform
import TestSupport
import Testing

@testable import Storage

@Suite struct EncryptionTests {
  private let otherKey = EncryptionKey(repeatElement(9, count: 64))!

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do { try body() } catch { return (error as? StorageError)?.code }
    return nil
  }

  private func open(
    _ bytes: [UInt8], _ options: DatabaseOptions, key: EncryptionKey? = .lab
  ) throws(StorageError) -> Database {
    let system = SimulatedSystem()
    system.recordsCalls = false
    system.install(bytes, at: "/a.realm")
    var options = options
    options.encryptionKey = key
    options.mappingReservation = 1 << 20
    return try Database.open(path: "/a.realm", options: options, system: system)
  }

  @Test func `what was written can be read with the key, also after closing`() throws {
    let bench = try Bench(leafCount: 40, wordsMax: 300, key: .lab)
    var old: [Snapshot] = []
    for round in 0..<40 {
      let snapshot = try bench.commit()
      if round % 7 == 0 { old.append(snapshot) }
      try bench.check(snapshot)
    }
    for snapshot in old { try bench.check(snapshot) }
    #expect(try bench.database.verify().findings == [])
    old = []
    try bench.open()
    try bench.check(try bench.database.pinNewest())
    #expect(try bench.database.verify().findings == [])
    try bench.check(try bench.commit())
  }

  @Test func `another key, none, or one for a plain file is refused by name`() throws {
    let encrypted = try Bench(key: .lab)
    try encrypted.commit()
    let plain = try Bench()
    try plain.commit()
    let bytes = encrypted.system.contents(of: "/a.realm")
    for (bytes, key, part) in [
      (bytes, otherKey, "another key"), (bytes, nil, "open it with its key"),
      (plain.system.contents(of: "/a.realm"), otherKey, "not encrypted"),
    ] {
      let system = SimulatedSystem()
      system.install(bytes, at: "/a.realm")
      var options = encrypted.options
      options.encryptionKey = key
      let error = #expect(throws: StorageError.self) {
        try Database.open(path: "/a.realm", options: options, system: system)
      }
      #expect(error?.code == .wrongKey)
      #expect(error?.message.hasPrefix("Realm file decryption failed") == true)
      #expect(error?.message.contains(part) == true)
      #expect(system.contents(of: "/a.realm") == bytes)
    }
  }

  @Test func `a file that is open with another key is in use`() throws {
    let bench = try Bench(key: .lab)
    for key in [otherKey, nil] {
      var options = bench.options
      options.encryptionKey = key
      let found = code {
        _ = try Database.open(path: "/a.realm", options: options, system: bench.system)
      }
      #expect(found == .inUse)
    }
  }

  @Test func `a key has 64 bytes and does not show them`() {
    #expect(EncryptionKey(repeatElement(1, count: 63)) == nil)
    #expect("\(otherKey)" == "(64 bytes)")
    #expect(String(reflecting: [otherKey]).contains("9") == false)
  }

  /// Whether the newest version is there as if nothing had happened. Damage to what the last commit
  /// wrote may look like a commit that a power loss kept from the disk: then the one before is.
  private func isNewestSound(_ bytes: [UInt8], _ bench: Bench) throws(StorageError) -> Bool {
    let database = try open(bytes, bench.options)
    return try database.verify().isSound && database.newestVersion.rawValue == bench.leaves.count
  }

  /// One bit of every part of every node.
  @Test func `a flipped bit in a node of the newest version is an error`() throws {
    let bench = try Bench(leafCount: 12, wordsMax: 60, key: .lab)
    for _ in 0..<6 { try bench.commit() }
    let nodes = try SealedNodes.all(of: bench.database.pinNewest())
    let whole = bench.system.contents(of: "/a.realm")
    #expect(try isNewestSound(whole, bench))
    for node in nodes {
      for part in [0, 9, 17, 25, 29, 40, 50, 64, node.length - 1] {
        var bytes = whole
        bytes[Int(node.offset) + part] ^= 4
        do throws(StorageError) {
          let isSound = try isNewestSound(bytes, bench)
          #expect(!isSound, "byte \(part) of the node at \(node.offset)")
        } catch {
          #expect(error.code == .corrupt)
        }
      }
    }
  }

  @Test func `a node in another place, of this file or of a copy, is an error`() throws {
    let bench = try Bench(leafCount: 30, wordsMax: 40, key: .lab)
    for _ in 0..<6 { try bench.commit() }
    _ = try bench.database.writeCompactCopy(to: "/copy.realm", key: .lab)
    let whole = bench.system.contents(of: "/a.realm")
    let copy = bench.system.contents(of: "/copy.realm")
    let nodes = try SealedNodes.all(of: bench.database.pinNewest())
    var moved = 0
    for (one, other) in zip(nodes, nodes.dropFirst()) where one.length <= other.length {
      for source in [whole, copy] {
        let place = Int(one.offset)
        var bytes = whole
        bytes.replaceSubrange(
          Int(other.offset)..<Int(other.offset) + one.length,
          with: source[place..<place + one.length])
        guard bytes != whole else { continue }
        moved += 1
        let isSound = (try? isNewestSound(bytes, bench)) ?? false
        #expect(!isSound, "the node at \(one.offset) at \(other.offset)")
      }
    }
    #expect(moved > 10)
  }

  /// Parents know 15 bits of their children's tags, so one in 32,768 is not noticed.
  @Test func `an older node in its place is an error`() throws {
    let bench = try Bench(leafCount: 8, wordsMax: 30, key: .lab)
    var images: [[UInt8]] = []
    for _ in 0..<60 {
      try bench.commit()
      images.append(bench.system.contents(of: "/a.realm"))
    }
    let whole = images.last!
    var replayed = 0
    var unnoticed = 0
    for node in try SealedNodes.all(of: bench.database.pinNewest()) {
      let range = Int(node.offset)..<Int(node.offset) + node.length
      for old in images.dropLast() where old.count >= range.upperBound {
        guard SealedNodes.isNode(old, at: range.lowerBound), old[range] != whole[range] else {
          continue
        }
        var bytes = whole
        bytes.replaceSubrange(range, with: old[range])
        replayed += 1
        if (try? isNewestSound(bytes, bench)) ?? false { unnoticed += 1 }
        break
      }
    }
    #expect(replayed > 3)
    #expect(unnoticed <= 1)
  }

  @Test func `a slot in another place, or of another file, is an error`() throws {
    let bench = try Bench(leafCount: 8, wordsMax: 30, key: .lab)
    for _ in 0..<5 { try bench.commit() }
    let other = try Bench(leafCount: 8, wordsMax: 30, seed: 1, key: .lab)
    for _ in 0..<5 { try other.commit() }
    let whole = bench.system.contents(of: "/a.realm")
    let foreign = other.system.contents(of: "/a.realm")
    let slots = FileLayout.durableSlots.map { $0..<$0 + FileLayout.slotSize }
    for (source, from, to) in [
      (whole, slots[0], slots[1]), (whole, slots[1], slots[0]), (foreign, slots[0], slots[0]),
      (foreign, slots[1], slots[1]),
    ] {
      var bytes = whole
      bytes.replaceSubrange(to, with: source[from])
      #expect(code { _ = try open(bytes, bench.options) } == .corrupt)
    }
  }

  @Test func `an older slot in its place leads to a whole version or an error`() throws {
    let bench = try Bench(leafCount: 8, wordsMax: 30, key: .lab)
    var images: [[UInt8]] = []
    for _ in 0..<20 {
      try bench.commit()
      images.append(bench.system.contents(of: "/a.realm"))
    }
    for old in images.dropLast() {
      for slot in FileLayout.durableSlots {
        var bytes = images.last!
        let range = slot..<slot + FileLayout.slotSize
        bytes.replaceSubrange(range, with: old[range])
        #expect(try isReadCorrectlyOrRefused(bytes, bench))
      }
    }
  }

  private func isReadCorrectlyOrRefused(_ bytes: [UInt8], _ bench: Bench) throws -> Bool {
    do {
      let snapshot = try open(bytes, bench.options).pinNewest()
      return try bench.model.mismatch(in: snapshot, leaves: bench.leaves[snapshot.version]!) == nil
    } catch {
      return error.code == .corrupt
    }
  }

  @Test func `a truncated file is an error`() throws {
    let bench = try Bench(key: .lab)
    for _ in 0..<5 { try bench.commit() }
    let whole = bench.system.contents(of: "/a.realm")
    for length in [90, 5000, FileLayout.firstNode, whole.count / 2] {
      let found = code { _ = try open(Array(whole[..<length]), bench.options) }
      #expect(found == .corrupt || found == .notADatabase, "\(length)")
    }
  }

  @Test func `copies have the key that they are given`() throws {
    let bench = try Bench(leafCount: 40, wordsMax: 300, key: .lab)
    for _ in 0..<12 { try bench.commit() }
    _ = try bench.database.writeCompactCopy(to: "/other.realm", key: otherKey)
    _ = try bench.database.writeCompactCopy(to: "/plain.realm")
    var options = bench.options
    for (path, key) in [("/other.realm", otherKey), ("/plain.realm", nil)] {
      options.encryptionKey = key
      let copy = try Database.open(path: path, options: options, system: bench.system)
      #expect(try copy.verify().findings == [])
      let difference = try bench.model.mismatch(
        in: copy.pinNewest(), leaves: bench.leaves[bench.database.newestVersion]!)
      #expect(difference == nil)
      _ = try copy.writeCompactCopy(to: path + "2", key: .lab)
      options.encryptionKey = .lab
      let back = try Database.open(path: path + "2", options: options, system: bench.system)
      #expect(try back.verify().findings == [])
    }
  }

  @Test func `an encrypted file is compacted`() throws {
    let bench = try Bench(leafCount: 400, wordsMax: 1200, changesMax: 400, key: .lab)
    for _ in 0..<4 { try bench.commit() }
    try bench.dropAllLeaves(butEvery: 5)
    let before = bench.system.contents(of: "/a.realm").count
    _ = try bench.database.compact()
    let after = bench.system.contents(of: "/a.realm").count
    #expect(after < before / 2)
    #expect(try bench.database.verify().findings == [])
    let difference = try bench.model.mismatch(
      in: bench.database.pinNewest(), leaves: bench.leaves.max { $0.key < $1.key }!.value)
    #expect(difference == nil)
  }

  /// Pages of decrypted nodes that the process keeps.
  private func decryptedPages(_ database: Database, upTo size: Int) throws -> Int {
    try decryptedPages(try database.mappings.mapping(covering: 0), upTo: size)
  }

  private func decryptedPages(_ mapping: Mapping, upTo size: Int) throws -> Int {
    guard let shadow = unsafe mapping.shadow else { return 0 }
    return stride(from: 0, to: size, by: 4096).count { offset in
      unsafe UnsafeRawBufferPointer(start: shadow + offset, count: 4096)
        .bindMemory(to: UInt64.self).contains { $0 != 0 }
    }
  }

  /// Pages that the mappings which have been outgrown keep, oldest mapping first.
  private func outgrownPages(_ database: Database) throws -> [Int] {
    try database.mappings.all.withLock { Array($0.dropLast()) }.map { mapping in
      try decryptedPages(mapping, upTo: Int(mapping.length))
    }
  }

  @Test func `decrypted nodes of outgrown mappings go with the last who reads there`() throws {
    let bench = try Bench(leafCount: 20, wordsMax: 100, changesMax: 20, key: .lab)
    bench.options.mappingReservation = 1 << 12
    bench.options.durability = .relaxed
    try bench.open()
    var snapshots: [Snapshot] = []
    while bench.database.mappings.all.withLock({ $0.count }) < 4 {
      snapshots.append(try bench.commit())
      try bench.check(snapshots.last!)
    }
    // The first one has been read by transactions alone, which have ended.
    let before = try outgrownPages(bench.database)
    #expect(before.count == 3 && before[1] > 0 && before[2] > 0)
    // Those who have been reading there go on.
    for snapshot in snapshots { try bench.check(snapshot) }
    snapshots.filter { $0.version.rawValue % 3 > 0 }.forEach { $0.release() }
    for snapshot in snapshots where snapshot.version.rawValue % 3 == 0 { try bench.check(snapshot) }
    snapshots.forEach { $0.release() }
    #expect(try outgrownPages(bench.database).allSatisfy { $0 == 0 })
    try bench.check(try bench.commit())
    #expect(try bench.database.verify().findings == [])
  }

  @Test func `a writer reads on in a mapping that is outgrown meanwhile`() throws {
    let bench = try Bench(leafCount: 200, wordsMax: 400, key: .lab)
    for _ in 0..<4 { try bench.commit() }
    let transaction = try bench.database.beginWrite()
    // As another thread does that reads an older, larger version.
    _ = try bench.database.mappings.mapping(covering: 1 << 29)
    #expect(try outgrownPages(bench.database).allSatisfy { $0 > 0 })
    let version = transaction.version
    bench.leaves[version] = bench.model.next(
      bench.leaves[transaction.baseVersion]!, version: version)
    try bench.model.apply(to: transaction)
    try bench.check(try transaction.commit())
  }

  @Test func `decrypted nodes go with the space that is given back`() throws {
    let bench = try Bench(leafCount: 400, wordsMax: 1200, changesMax: 400, key: .lab)
    for _ in 0..<4 { try bench.commit() }
    let size = bench.system.contents(of: "/a.realm").count
    let before = try decryptedPages(bench.database, upTo: size)
    try bench.dropAllLeaves(butEvery: 20)
    _ = try bench.database.compact()
    #expect(try decryptedPages(bench.database, upTo: size) < before / 2)
    #expect(try bench.database.verify().findings == [])
  }

  @Test func `an encrypted in-memory file begins anew with each key`() throws {
    let bench = try Bench(durability: .inMemory, key: .lab)
    for _ in 0..<5 { try bench.check(try bench.commit()) }
    #expect(try bench.database.verify().findings == [])
    bench.options.encryptionKey = otherKey
    try bench.open()
    #expect(bench.database.newestVersion == 1)
  }
}
