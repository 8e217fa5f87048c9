import EngineLab
import Testing

@Suite(.serialized) struct SpaceTests {
  @Test func `a pinned version costs half a megabyte at most over 20,000 commits`() throws {
    let report = try Space.pinnedReader(commits: 20_000, durability: .inMemory, seed: 20_261_030)
    report.show()
    #expect(report.findings == [])
  }

  @Test func `50,000 commits leave the file as small as its content`() throws {
    let report = try Space.manyCommits(50_000, durability: .inMemory, seed: 20_261_031)
    report.show()
    #expect(report.findings == [])
  }

  @Test(arguments: [false, true])
  func `what was deleted goes back to the file system in the background`(
    hasCompany: Bool
  ) throws {
    let report = try GivingBack(
      megabytes: 100, leafBytes: 4096, durability: .full, hasCompany: hasCompany, seed: 20_261_032
    ).run()
    report.show()
    #expect(report.findings == [])
  }
}
