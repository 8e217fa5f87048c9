import EngineLab
import Testing

@Suite(.serialized) struct ConcurrencyTests {
  @Test func `readers in other processes see whole versions only`() throws {
    let report = try TornReads(seconds: 5, seed: 20_261_010).run()
    report.show()
    #expect(report.findings == [])
  }

  @Test func `eight threads share one open file`() throws {
    let report = try Threads(seconds: 4, seed: 20_261_011).run()
    report.show()
    #expect(report.findings == [])
  }
}
