import ProcessLab
import Testing
import ThreadsLab

@Suite(.serialized) struct AsyncWriteRunTests {
  @Test func `a loop turns while its writes wait for another process and for a flush`() throws {
    let report = try TurnsWhileBlocked().run()
    report.show()
    #expect(report.findings == [])
  }

  @Test func `grouped commits take less than a twentieth of the flushes`() throws {
    let report = try FlushCounts(commits: 1000).run()
    report.show()
    #expect(report.findings == [])
  }

  @Test func `what a killed process called durable is there, in order and whole`() throws {
    let report = try GroupedKills(kills: 12, seed: 20_261_121).run()
    report.show()
    #expect(report.findings == [])
  }
}
