import EngineLab
import RealmLab
import Testing

/// Real processes on one file, by way of the object API.
@Suite(.serialized) struct OtherProcessTests {
  private func expectGood(_ report: ScenarioReport) {
    report.show()
    #expect(report.findings == [])
  }

  @Test func `an encrypted file keeps what was acknowledged, and is sound, after kills`() throws {
    expectGood(try EncryptedKills(kills: 40, seed: 20_261_123).run())
  }

  @Test(arguments: [false, true])
  func `a migration and other processes get along`(isEncrypted: Bool) throws {
    let meetings = MigrationMeetings(isEncrypted: isEncrypted)
    expectGood(try meetings.run())
  }
}
