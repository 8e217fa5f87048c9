import Platform
import TestSupport
import Storage
import EngineLab
import Testing

/// A database on a simulated machine, and the leaves that its versions should have.
final class Bench {
  let system = SimulatedSystem()
  /// What the database sees of it.
  private let seen: any System
  let model: LeafModel
  var leaves: [Version: [LeafModel.Leaf]] = [1: []]
  var options = DatabaseOptions()
  private(set) var database: Database!

  init(
    leafCount: Int = 30, wordsMax: Int = 200, changesMax: Int = 4, seed: UInt64 = 1,
    durability: Durability = .full, key: EncryptionKey? = nil,
    through stand: (SimulatedSystem) -> any System = { $0 }
  ) throws {
    seen = stand(system)
    model = LeafModel(
      leafCount: leafCount, wordsMax: wordsMax, changesMax: changesMax, seed: seed)
    options.durability = durability
    options.encryptionKey = key
    options.compactsInBackground = false
    unsafe options.mergeHistory = { older, newer in unsafe Array(Set(older).union(newer)) }
    options.mappingReservation = 1 << 28
    try open()
  }

  func open() throws {
    database = nil
    database = try Database.open(path: "/a.realm", options: options, system: seen)
  }

  @discardableResult
  func commit() throws -> Snapshot {
    let transaction = try database.beginWrite()
    let version = transaction.version
    leaves[version] = model.next(leaves[transaction.baseVersion]!, version: version)
    try model.apply(to: transaction)
    return try transaction.commit()
  }

  /// Versions that compaction has made hold what the ones before them do.
  func noteUnchanged() {
    var version = Version(1)
    while version < database.newestVersion {
      leaves[version.next] = leaves[version.next] ?? leaves[version]
      version = version.next
    }
  }

  /// Commits a version without most leaves.
  func dropAllLeaves(butEvery step: Int) throws {
    let transaction = try database.beginWrite()
    let root = try transaction.writer.mutable(transaction.root)
    var leaves = leaves[transaction.baseVersion]!
    for index in leaves.indices where index % step != 0 {
      try transaction.writer.release(root.node.reference(index))
      root.setReference(index, .none)
      leaves[index] = LeafModel.Leaf(seed: 0, words: 0)
    }
    transaction.root = root.reference
    self.leaves[transaction.version] = leaves
    _ = try transaction.commit()
  }

  func check(_ snapshot: Snapshot) throws {
    let difference = try model.mismatch(in: snapshot, leaves: leaves[snapshot.version]!)
    #expect(difference == nil)
  }

  func verify() throws {
    let report = try database.verify()
    #expect(report.findings == [])
  }
}

@Suite struct CommitTests {
  @Test func `a new file holds an empty first version`() throws {
    let bench = try Bench()
    let snapshot = try bench.database.pinNewest()
    #expect(snapshot.version == 1)
    #expect(snapshot.root.isNone)
    try bench.verify()
  }

  @Test func `what was committed is read, by its own version and after reopening`() throws {
    let bench = try Bench()
    var kept: [Snapshot] = []
    for _ in 0..<20 { kept.append(try bench.commit()) }
    for snapshot in kept { try bench.check(snapshot) }
    try bench.verify()
    kept = []
    try bench.open()
    #expect(bench.database.newestVersion == 21)
    try bench.check(try bench.database.pinNewest())
    try bench.verify()
  }

  @Test func `a cancelled transaction leaves nothing`() throws {
    let bench = try Bench()
    try bench.commit()
    let transaction = try bench.database.beginWrite()
    try bench.model.apply(to: transaction)
    transaction.cancel()
    #expect(bench.database.newestVersion == 2)
    try bench.check(try bench.database.pinNewest())
    try bench.commit()
    try bench.verify()
  }

  @Test func `a transaction without changes makes no version`() throws {
    let bench = try Bench()
    try bench.commit()
    let snapshot = try bench.database.beginWrite().commit()
    #expect(snapshot.version == 2)
  }

  @Test func `a small durable commit costs one flush`() throws {
    let bench = try Bench()
    for _ in 0..<50 { try bench.commit() }
    let before = bench.system.flushCount
    for _ in 0..<10 { try bench.commit() }
    #expect(bench.system.flushCount - before == 10)
  }

  @Test func `a group of commits shares two flushes`() throws {
    let bench = try Bench(durability: .relaxed)
    let before = bench.system.flushCount
    for _ in 0..<10 { try bench.commit() }
    #expect(bench.system.flushCount == before)
    #expect(bench.database.durableVersion == 1)
    try bench.database.flush()
    #expect(bench.system.flushCount - before == 2)
    #expect(bench.database.durableVersion == 11)
    try bench.verify()
  }

  @Test(arguments: Durability.allCases)
  func `long runs keep every byte accounted for`(durability: Durability) throws {
    let bench = try Bench(durability: durability)
    var kept: [Snapshot] = []
    var random = SeededGenerator(seed: 7)
    for step in 0..<600 {
      let snapshot = try bench.commit()
      if random.below(10) == 0 { kept.append(snapshot) }
      if kept.count > 4 { kept.remove(at: random.below(kept.count)) }
      if step % 100 == 0 {
        for snapshot in kept { try bench.check(snapshot) }
        try bench.verify()
      }
      if durability == .relaxed, step % 50 == 0 { try bench.database.flush() }
      if durability != .inMemory, step % 150 == 149 {
        kept = []
        try bench.open()
      }
    }
    try bench.check(try bench.database.pinNewest())
    try bench.verify()
  }

  @Test func `the history covers what lies between a pinned version and the newest`() throws {
    let bench = try Bench()
    let old = try bench.commit()
    var between: [Snapshot] = []
    defer { between = [] }
    for index in 0..<5 {
      let transaction = try bench.database.beginWrite()
      try bench.model.apply(to: transaction)
      between.append(try transaction.commit(history: [UInt8(index)]))
    }
    let newest = try bench.database.pinNewest()
    let entries = try newest.historyEntries(after: old.version)
    #expect(entries.map(\.from) == [2, 3, 4, 5, 6])
    #expect(entries.map(\.to) == [3, 4, 5, 6, 7])
    #expect(entries.map(\.bytes) == [[0], [1], [2], [3], [4]])
  }
}

@Suite struct SpaceTests {
  @Test func `a pinned reader keeps its version and nothing else`() throws {
    let bench = try Bench(leafCount: 100, wordsMax: 240, changesMax: 3, durability: .inMemory)
    try bench.commit()
    for _ in 0..<200 { try bench.commit() }
    let pinned = try bench.commit()
    let before = try bench.database.pinNewest().logicalSize
    for _ in 0..<5000 { try bench.commit() }
    let after = try bench.database.pinNewest().logicalSize
    print("file before \(before), after 5,000 commits under a pinned version \(after)")
    #expect(after - before <= 512 * 1024)
    try bench.check(pinned)
    let report = try bench.database.verify()
    print(report)
    #expect(report.findings == [])
  }

  @Test func `without pins the file stays near its live data`() throws {
    let bench = try Bench(leafCount: 1000, wordsMax: 240, changesMax: 4, durability: .inMemory)
    for step in 0..<20000 {
      try bench.commit()
      if step % 2000 == 1999 {
        print(step, try bench.database.pinNewest().logicalSize)
      }
    }
    let report = try bench.database.verify()
    print(
      "live \(report.liveBytes), file \(report.logicalSize) after 20,000 commits;"
        + " reusable \(report.reusableBytes), waiting \(report.waitingBytes)")
    #expect(report.findings == [])
    #expect(Double(report.logicalSize) <= 2.2 * Double(report.liveBytes))
  }
}
