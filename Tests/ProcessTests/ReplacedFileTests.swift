import EngineLab
import Testing

@Suite(.serialized) struct ReplacedFileTests {
  @Test func `a file that is replaced while processes wait to open it loses no commit`() throws {
    let report = try ReplacedFile(seconds: 4, seed: 20_261_040).run()
    report.show()
    #expect(report.findings == [])
  }
}
