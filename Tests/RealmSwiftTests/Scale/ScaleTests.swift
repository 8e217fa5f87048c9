import EngineLab
import RealmLab
import Testing

/// What things cost does not follow from the size of the file, nor from what others have done to
/// it.
@Suite(.serialized) struct ScaleTests {
  /// Shows what was measured, and expects that nothing was found.
  private func expectGood(_ report: ScenarioReport) {
    report.show()
    #expect(report.findings == [])
  }

  @Test func `a process's first write costs the same after many commits of others`() throws {
    let shape = LeafShape(
      tree: LeafTree(leafCount: 30_000, leafBytes: 512...512), description: "30,000 leaves")
    let few = try FirstWrite(commits: 300, rounds: 1).busyTime(shape)
    let many = try FirstWrite(commits: 3000, rounds: 1).busyTime(shape)
    #expect(many < 3 * few + 50_000_000, "\(few) ns after 300 commits, \(many) ns after 3,000")
  }

  @Test func `a small commit writes the same beside many free extents`() throws {
    expectGood(try CommitBytes(extents: 20_000, commits: 200).run())
  }

  @Test(arguments: [true, false])
  func `random updates leave the file at about the size of its content`(compacts: Bool) throws {
    let shape = LeafShape(
      tree: LeafTree(leafCount: 20_000, leafBytes: 64...936),
      description: "20,000 leaves of 64 to 936 bytes")
    expectGood(try RandomUpdates(commits: 1500).run(shape, compacts: compacts, seed: 1))
  }

  @Test func `updates that are not flushed hardly let the file grow`() throws {
    expectGood(try UpdateGrowth(objects: 50_000, commits: 20_000).run(seed: 1))
  }

  @Test func `opening a file costs the same after a large commit`() throws {
    let small = try ColdOpen.busyTime(megabytes: 2)
    let large = try ColdOpen.busyTime(megabytes: 60)
    #expect(large < 3 * small + 1_000_000, "\(small) ns after 2 MB, \(large) ns after 60 MB")
  }

  @Test func `reading a large file takes little memory of the process's own`() throws {
    var run = PrivateMemory(megabytes: 200)
    run.boundBytes = 1_500_000
    expectGood(try run.run())
  }

  @Test func `many open files share threads and rest when nothing happens`() throws {
    // Long enough for what compaction does once after the writes not to be taken for unrest.
    expectGood(try ManyFiles(files: 200).run())
  }

  @Test func `ten files can be open in little address space`() throws {
    expectGood(try ManyFiles(files: 10, addressSpace: 8 << 30).run())
  }

  @Test func `a migration that is killed leaves the old file or the new one`() throws {
    expectGood(try MigrationKills(megabytes: 2, kills: 6, seed: 1).run())
  }

  @Test func `all leaves of a large file stay as they should be`() throws {
    expectGood(try HugeFile(megabytes: 40, seconds: 2).run(seed: 1))
  }
}
