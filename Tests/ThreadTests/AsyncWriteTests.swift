import EngineLab
import Testing
import RealmLab

@Suite(.serialized) struct AsyncWriteRunTests {
  @Test func `a loop turns while its writes wait for other writers and for a flush`() async throws {
    let report = try await onOwnThread { try TurnsWhileBlocked().run() }
    report.show()
    #expect(report.findings == [])
  }

  @Test func `grouped commits take less than a twentieth of the flushes`() async throws {
    let report = try await onOwnThread { try FlushCounts(commits: 1000).run() }
    report.show()
    #expect(report.findings == [])
  }

  @Test func `what a killed process called durable is there, in order and whole`() async throws {
    let report = try await onOwnThread { try GroupedKills(kills: 12, seed: 20_261_121).run() }
    report.show()
    #expect(report.findings == [])
  }
}
