import TestSupport
import Storage
import EngineLab
import Testing

@Suite struct CompactionTests {
  private func shrunken(kept: Int) throws -> Bench {
    let bench = try Bench(leafCount: 2000, wordsMax: 900, changesMax: 1)
    try bench.commit()
    try bench.dropAllLeaves(butEvery: 2000 / kept)
    return bench
  }

  @Test func `compaction in steps makes the file as small as its live data, nearly`() throws {
    let bench = try shrunken(kept: 200)
    let before = try bench.database.verify()
    _ = try bench.database.compact()
    bench.noteUnchanged()
    let after = try bench.database.verify()
    print("before \(before.logicalSize), after \(after.logicalSize), live \(after.liveBytes)")
    #expect(after.findings == [])
    #expect(after.logicalSize < after.liveBytes * 5 / 4 + 200_000)
    #expect(bench.system.contents(of: "/a.realm").count == Int(after.logicalSize))
    try bench.check(try bench.database.pinNewest())
    try bench.open()
    try bench.check(try bench.database.pinNewest())
  }

  @Test(arguments: [Durability.full, .relaxed])
  func `a file of which next to nothing is left becomes small in the background`(
    durability: Durability
  ) throws {
    let bench = try Bench(leafCount: 2000, wordsMax: 900, changesMax: 1, durability: durability)
    try bench.commit()
    try bench.dropAllLeaves(butEvery: 100)
    let before = bench.system.contents(of: "/a.realm").count
    var left = 100
    while left > 0 {
      let progress = try bench.database.compactStep()
      guard progress.hasMore || progress.isHeldBack else { break }
      // As the flush does that follows relaxed commits.
      if progress.isHeldBack { try bench.database.flush() }
      left -= 1
    }
    #expect(left > 0, "compaction did not come to rest")
    let report = try bench.database.verify()
    print("before \(before), after \(report.logicalSize), live \(report.liveBytes)")
    #expect(report.findings == [])
    #expect(report.logicalSize < report.liveBytes * 2 + 1_300_000)
  }

  @Test func `nothing of the bookkeeping keeps the end of the file in place`() throws {
    let bench = try shrunken(kept: 100)
    // Commits in between spread the log of the free space and the history over the file.
    let pinned = try bench.database.pinNewest()
    for _ in 0..<300 { try bench.commit() }
    pinned.release()
    _ = try bench.database.compact()
    bench.noteUnchanged()
    let report = try bench.database.verify()
    print("live \(report.liveBytes), file \(report.logicalSize)")
    #expect(report.findings == [])
    #expect(report.logicalSize < report.liveBytes * 5 / 4 + 200_000)
    try bench.check(try bench.database.pinNewest())
  }

  @Test func `compaction leaves a pinned version as it is`() throws {
    let bench = try shrunken(kept: 200)
    let pinned = try bench.database.pinNewest()
    _ = try bench.database.compact()
    bench.noteUnchanged()
    try bench.check(pinned)
    try bench.verify()
    pinned.release()
    _ = try bench.database.compact()
    let report = try bench.database.verify()
    #expect(report.logicalSize < report.liveBytes * 5 / 4 + 200_000)
  }
}

extension CompactionTests {
  /// Holes that are a little too short for every node that could be moved.
  @Test func `compaction ends where it can gain nothing`() throws {
    let system = SimulatedSystem()
    system.recordsCalls = false
    var options = DatabaseOptions()
    options.durability = .relaxed
    options.compactsInBackground = false
    let database = try Database.open(path: "/a.realm", options: options, system: system)
    let count = 4000
    func write(_ body: (WriteTransaction) throws -> Void) throws {
      let transaction = try database.beginWrite()
      try body(transaction)
      _ = try transaction.commit(history: [1])
    }
    // Leaves of two sizes in turns; those of the smaller size go.
    func leaves(_ writer: NodeWriter, _ kept: (Int) -> Bool) -> [NodeReference] {
      (0..<count).filter(kept).map { index in
        writer.make(
          kind: NodeKind(rawValue: 222), dataSize: index % 2 == 0 ? 13 * 8 : 12 * 8
        ).reference
      }
    }
    try write { transaction in
      let children = leaves(transaction.writer) { _ in true }
      let root = transaction.writer.make(
        kind: NodeKind(rawValue: 221), referenceCount: children.count)
      for (index, child) in children.enumerated() { root.setReference(index, child) }
      transaction.root = root.reference
    }
    try write { transaction in
      let root = try transaction.writer.mutable(transaction.root)
      for index in stride(from: 1, to: count, by: 2) {
        try transaction.writer.release(root.node.reference(index))
        root.setReference(index, .none)
      }
      transaction.root = root.reference
    }
    try database.flush()
    let before = database.newestVersion
    _ = try database.compact()
    // A few searches through the tree, and no more.
    #expect(database.newestVersion.distance(from: before) < 60)
    #expect(try database.verify().isSound)
  }

  /// What live data would fill has holes for small nodes only, and the large ones lie beyond.
  @Test(arguments: [Durability.full, .relaxed])
  func `large nodes move though the holes near the start are too small for them`(
    durability: Durability
  ) throws {
    let system = SimulatedSystem()
    system.recordsCalls = false
    var options = DatabaseOptions()
    options.durability = durability
    options.compactsInBackground = false
    let database = try Database.open(path: "/a.realm", options: options, system: system)
    let groups = 200
    func write(_ groups: Range<Int>, _ body: (MutableNode, NodeWriter) throws -> Void) throws {
      let transaction = try database.beginWrite()
      let writer = transaction.writer
      let root =
        transaction.root.isNone
        ? writer.make(kind: NodeKind(rawValue: 221), referenceCount: 201)
        : try writer.mutable(transaction.root)
      for index in groups {
        let old = root.node.reference(index)
        let group =
          old.isNone
          ? writer.make(kind: NodeKind(rawValue: 222), referenceCount: 100)
          : try writer.mutable(old)
        try body(group, writer)
        root.setReference(index, group.reference)
      }
      transaction.root = root.reference
      _ = try transaction.commit(history: [1])
    }
    func fill(_ groups: Range<Int>, _ range: Range<Int>, dataSize: Int) throws {
      try write(groups) { (group, writer) in
        for index in range {
          let leaf = writer.make(kind: NodeKind(rawValue: 223), dataSize: dataSize)
          group.setReference(index, leaf.reference)
        }
      }
    }
    func drop(_ groups: Range<Int>, butEvery kept: Int) throws {
      try write(groups) { (group, writer) in
        for index in 0..<100 where index % kept != kept - 1 {
          try writer.release(group.node.reference(index))
          group.setReference(index, .none)
        }
      }
    }
    try fill(0..<groups, 0..<100, dataSize: 20 * 8)
    for first in stride(from: 0, to: 100, by: 10) {
      try fill(groups..<groups + 1, first..<first + 10, dataSize: 200_000)
    }
    try drop(0..<groups, butEvery: 4)
    try drop(groups..<groups + 1, butEvery: 10)
    try database.flush()
    var left = 4000
    while left > 0 {
      let progress = try database.compactStep()
      guard progress.hasMore || progress.isHeldBack else { break }
      if progress.isHeldBack { try database.flush() }
      left -= 1
    }
    let report = try database.verify()
    print("live \(report.liveBytes), file \(report.logicalSize), \(4000 - left) steps")
    #expect(left > 0, "compaction did not come to rest")
    #expect(report.findings == [])
    #expect(report.logicalSize < report.liveBytes * 2 + 1_500_000)
    _ = try database.compact()
    let compacted = try database.verify()
    print("live \(compacted.liveBytes), file \(compacted.logicalSize)")
    #expect(compacted.isSound)
    #expect(compacted.logicalSize < compacted.liveBytes * 2 + 1_000_000)
  }
}
