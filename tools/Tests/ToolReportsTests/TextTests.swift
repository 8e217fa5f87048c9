import Foundation
import Testing
import ToolReports

@Suite struct TextTests {
  @Test func columnsAreAsWideAsTheirWidestCell() {
    var table = TextTable([("name", .left), ("bytes", .right)])
    table.add("a", "1")
    table.add("longer", "12,345")
    #expect(
      table.text() == """
        name     bytes
        a            1
        longer  12,345
        """)
  }

  @Test func aTableWithoutTitlesHasNoTitleLineAndMissingCellsAreEmpty() {
    var table = TextTable([("", .left), ("", .left)])
    table.add("only")
    #expect(table.text(indent: 2) == "  only")
  }

  @Test(arguments: [
    (UInt64(0), "0 B"), (1023, "1023 B"), (1536, "1.50 KiB"), (10 << 20, "10.0 MiB"),
    (3 << 40, "3.00 TiB"), (5 << 50, "5120.0 TiB"),
  ])
  func bytesHaveABinaryUnit(_ bytes: UInt64, _ text: String) {
    #expect(Quantity.bytes(bytes) == text)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000"),
  ])
  func countsAreSeparatedByThousands(_ count: Int, _ text: String) {
    #expect(Quantity.count(count) == text)
  }

  @Test(arguments: [
    (0.000017, "17 us"), (0.0032, "3.2 ms"), (2, "2.0 s"), (300, "5 min"), (9000, "2.5 h"),
  ])
  func secondsHaveTheUnitThatReadsBest(_ seconds: Double, _ text: String) {
    #expect(Quantity.seconds(seconds) == text)
  }
}
