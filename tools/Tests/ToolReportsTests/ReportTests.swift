import Foundation
import Testing
import ToolReports

@Suite struct ReportTests {
  private let pins = PinsReport(
    path: "shop.realm", newestVersion: 1200,
    participants: [
      .init(
        slot: 0, processIdentifier: 41, name: "viewer", isAlive: true,
        pins: [
          .init(
            version: 200, label: "frozen", ageSeconds: 300, retainedBytes: 3 << 20)
        ]),
      .init(slot: 1, processIdentifier: 42, name: "importer", isAlive: false, pins: []),
    ],
    reaped: 1)

  @Test func pinsNameProcessVersionAgeAndCost() {
    #expect(
      pins.text == """
        shop.realm: newest version 1200
        process  name      state  version  behind    for   retains  label
             41  viewer    alive      200   1,000  5 min  3.00 MiB  frozen
             42  importer  dead
        taken back from dead processes: 1 pin
        """)
  }

  @Test func reportsComeBackFromJSON() throws {
    let again = try PinsReport(json: Data(try pins.json().utf8))
    #expect(again == pins)
  }

  @Test func aFileThatNobodyUsesHasNoTable() {
    let report = PinsReport(path: "a.realm", newestVersion: 1, participants: [])
    #expect(report.text == "a.realm: newest version 1\nnobody keeps a version")
  }

  @Test func verifyNamesEveryProblemWithItsPlace() {
    var report = VerifyReport(
      path: "a.realm", versions: [7], nodes: 1200, objects: 30, bytes: 1 << 20,
      seconds: 0.5, problems: [])
    #expect(report.isSound)
    #expect(report.text.hasSuffix("\nsound"))
    report.problems = [.init(place: "Package.size", offset: 4096, message: "count is 3, not 4")]
    #expect(!report.isSound)
    #expect(
      report.text == """
        a.realm: 1 version, 1,200 nodes, 30 objects, 1.00 MiB in 500.0 ms
        damaged: Package.size at byte 4096: count is 3, not 4
        1 problem
        """)
  }

  @Test func inspectShowsSpaceByPropertyAndIndex() {
    let report = InspectReport(
      file: .init(
        path: "a.realm", formatVersion: 1, identifier: "0f", sizeBytes: 1000,
        allocatedBytes: 900),
      versions: .init(newest: 5, oldestPinned: 3, pinned: 2, historyEntries: 1),
      schemaVersion: 0,
      tables: [
        .init(
          name: "Package", objects: 10,
          properties: [
            .init(
              name: "name", type: "String", isPrimaryKey: true, isIndexed: true, bytes: 155,
              indexBytes: 40)
          ], bytes: 200)
      ],
      space: .init(
        dataBytes: 500, historyBytes: 100, bookkeepingBytes: 50, retainedBytes: 100, freeBytes: 250)
    )
    let text = report.text
    #expect(text.contains("free                       250  250 B  25.0 %"))
    #expect(text.contains("name     String  primary key    155     40          15.5"))
    #expect(text.contains("10 objects, 200 B"))
  }
}
