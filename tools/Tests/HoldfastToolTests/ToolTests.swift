import Foundation
import ObjectStore
import Storage
import Testing
import ToolReports

@Suite struct ToolTests {
  @Test func helpListsCommandsAndExitCodes() throws {
    let result = try Tool.run("--help")
    #expect(result.status == 0)
    for word in ["inspect", "pins", "verify", "compact", "Exit codes:", "3  the file could not"] {
      #expect(result.output.contains(word), "\(word)")
    }
  }

  @Test(arguments: [
    ["verify"], ["nonsense"], ["inspect", "a.realm", "--bogus"],
    ["compact", "a.realm", "--to", "b.realm", "--replace"], ["compact", "a.realm", "--steps", "0"],
    ["compact", "a.realm", "--to", "b.realm", "--steps", "3"],
  ])
  func wrongArgumentsExitWith2(_ arguments: [String]) throws {
    let result = try Tool.run(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(!result.errors.isEmpty)
  }

  @Test(arguments: ["inspect", "pins", "verify", "compact"])
  func aMissingFileExitsWith3AndIsNotMade(_ command: String) throws {
    try inFolder { folder in
      let path = folder + "/missing.realm"
      let result = try Tool.run(command, path)
      #expect(result.status == 3)
      #expect(result.errors.contains(path))
      let asJSON = try Tool.run(command, path, "--json")
      #expect(asJSON.status == 3)
      let failure = try FailureReport(json: Data(asJSON.output.utf8))
      #expect(failure.code == "fileNotFound")
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func aFileOfAnotherKindExitsWith3() throws {
    try inFolder { folder in
      let path = folder + "/text.realm"
      try String(repeating: "not a database\n", count: 5000).write(
        toFile: path, atomically: true, encoding: .utf8)
      let result = try Tool.run("verify", path)
      #expect(result.status == 3)
      let kept = try String(contentsOfFile: path, encoding: .utf8)
      #expect(kept.hasPrefix("not a database"))
    }
  }

  @Test func inspectTellsSchemaObjectsAndSpace() throws {
    try inFolder { folder in
      let shop = try Shop(folder: folder)
      try shop.fill(500)
      let text = try Tool.run("inspect", shop.path)
      #expect(text.status == 0)
      #expect(text.output.contains("500 objects"))
      let report: InspectReport = try Tool.report("inspect", shop.path)
      let table = try #require(report.tables.first)
      #expect(table.name == "Item" && table.objects == 500)
      #expect(table.properties.map(\.type) == ["Int", "String?", "List<Item>"])
      #expect(table.properties[0].isPrimaryKey && table.properties[0].indexBytes > 0)
      let space = report.space
      let sum =
        space.dataBytes + space.historyBytes + space.bookkeepingBytes + space.retainedBytes
        + space.freeBytes
      #expect(sum == report.file.sizeBytes)
      #expect(table.bytes <= space.dataBytes)
    }
  }

  @Test func verifyFindsNothingInASoundFileAndNamesDamage() throws {
    try inFolder { folder in
      let shop = try Shop(folder: folder)
      try shop.fill(500)
      let sound: ToolReports.VerifyReport = try Tool.report("verify", shop.path)
      #expect(sound.isSound && sound.objects == 500)
      let place = try shop.damage()
      let result = try Tool.run("verify", shop.path, "--json")
      #expect(result.status == 1)
      let report = try ToolReports.VerifyReport(json: Data(result.output.utf8))
      #expect(report.problems.contains { $0.offset == place })
    }
  }

  @Test func pinsShowWhoKeepsAnOldVersion() throws {
    try inFolder { folder in
      let shop = try Shop(folder: folder)
      try shop.fill(100)
      let snapshot = try shop.database.pinNewest()
      try shop.fill(200)
      let report: PinsReport = try Tool.report("pins", shop.path)
      let own = report.participants.first {
        $0.processIdentifier == ProcessInfo.processInfo.processIdentifier
      }
      let pin = try #require(own?.pins.first { $0.version == snapshot.version.rawValue })
      #expect(own?.isAlive == true)
      #expect((pin.retainedBytes ?? 0) > 0)
      #expect(report.newestVersion > snapshot.version.rawValue)
      snapshot.release()
      let reaped: PinsReport = try Tool.report("pins", shop.path, "--reap")
      #expect(reaped.reaped == 0)
      #expect(!reaped.participants.contains { $0.pins.contains { $0.version == pin.version } })
    }
  }

  @Test func compactMakesAFileInUseSmallerAndACopyAsWell() throws {
    try inFolder { folder in
      let shop = try Shop(folder: folder)
      try shop.fill(20_000)
      try shop.deleteAll()
      try shop.fill(100)
      let report: CompactReport = try Tool.report("compact", shop.path)
      #expect(report.allocatedBytesAfter < report.allocatedBytesBefore)
      let copy: CompactReport = try Tool.report(
        "compact", shop.path, "--to", folder + "/copy.realm")
      #expect(copy.sizeBytesAfter > 0)
      let verified: ToolReports.VerifyReport = try Tool.report("verify", folder + "/copy.realm")
      #expect(verified.isSound && verified.objects == 100)
      #expect(try Tool.run("compact", shop.path, "--to", folder + "/copy.realm").status == 4)
      #expect(try shop.count() == 100)
    }
  }

  @Test func replaceNeedsTheFileForItself() throws {
    try inFolder { folder in
      let path: String
      do {
        let shop = try Shop(folder: folder)
        path = shop.path
        try shop.fill(1000)
        #expect(try Tool.run("compact", path, "--replace").status != 0)
      }
      let report: CompactReport = try Tool.report("compact", path, "--replace")
      #expect(report.sizeBytesAfter <= report.sizeBytesBefore)
      let verified: ToolReports.VerifyReport = try Tool.report("verify", path)
      #expect(verified.isSound && verified.objects == 1000)
    }
  }
}
