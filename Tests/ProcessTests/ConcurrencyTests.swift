import EngineLab
import Testing

@Suite(.serialized) struct ConcurrencyTests {
  @Test func `readers in other processes see whole versions only`() throws {
    let report = try TornReads(seconds: 5, seed: 20_261_010).run()
    report.show()
    #expect(report.findings == [])
  }

  @Test(arguments: [false, true])
  func `eight threads share one open file`(isEncrypted: Bool) throws {
    let report = try Threads(seconds: 2, seed: 20_261_011, isEncrypted: isEncrypted).run()
    report.show()
    #expect(report.findings == [])
  }
}
