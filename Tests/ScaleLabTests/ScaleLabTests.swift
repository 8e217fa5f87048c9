import ProcessLab
import ScaleLab
import Testing

@Suite(.serialized) struct ScaleLabTests {
  @Test func `all leaves of a large file are what they should be`() throws {
    let report = try HugeFile(megabytes: 40, seconds: 2).run(seed: 1)
    report.show()
    #expect(report.findings == [])
  }
}
