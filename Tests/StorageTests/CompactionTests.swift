import SimulatedDisk
import Storage
import StorageLab
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
    let newest = bench.database.newestVersion
    _ = try bench.database.compact()
    for version in newest...bench.database.newestVersion {
      bench.leaves[version] = bench.leaves[newest]
    }
    let after = try bench.database.verify()
    print("before \(before.logicalSize), after \(after.logicalSize), live \(after.liveBytes)")
    #expect(after.findings == [])
    #expect(after.logicalSize < after.liveBytes * 5 / 4 + 200_000)
    #expect(bench.system.contents(of: "/a.realm").count == Int(after.logicalSize))
    try bench.check(try bench.database.pinNewest())
    try bench.open()
    try bench.check(try bench.database.pinNewest())
  }

  @Test func `nothing of the bookkeeping keeps the end of the file in place`() throws {
    let bench = try shrunken(kept: 100)
    // Commits in between spread the log of the free space and the history over the file.
    let pinned = try bench.database.pinNewest()
    for _ in 0..<300 { try bench.commit() }
    pinned.release()
    let newest = bench.database.newestVersion
    _ = try bench.database.compact()
    for version in newest...bench.database.newestVersion {
      bench.leaves[version] = bench.leaves[newest]
    }
    let report = try bench.database.verify()
    print("live \(report.liveBytes), file \(report.logicalSize)")
    #expect(report.findings == [])
    #expect(report.logicalSize < report.liveBytes * 5 / 4 + 200_000)
    try bench.check(try bench.database.pinNewest())
  }

  @Test func `compaction leaves a pinned version as it is`() throws {
    let bench = try shrunken(kept: 200)
    let pinned = try bench.database.pinNewest()
    let newest = bench.database.newestVersion
    _ = try bench.database.compact()
    for version in newest...bench.database.newestVersion {
      bench.leaves[version] = bench.leaves[newest]
    }
    try bench.check(pinned)
    try bench.verify()
    pinned.release()
    _ = try bench.database.compact()
    let report = try bench.database.verify()
    #expect(report.logicalSize < report.liveBytes * 5 / 4 + 200_000)
  }
}
