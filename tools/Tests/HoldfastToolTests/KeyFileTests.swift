import Foundation
import Storage
import Testing
import ToolReports

@Suite struct KeyFileTests {
  private let bytes = (0..<64).map { UInt8($0) }

  private func write(_ bytes: [UInt8], _ path: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  @Test func everyCommandReadsAnEncryptedFileWithItsKey() throws {
    try inFolder { folder in
      let shop = try Shop(folder: folder, key: EncryptionKey(bytes))
      try shop.fill(500)
      let raw = try write(bytes, folder + "/key")
      let digits = try write(
        Array((bytes.map { String(format: "%02x", $0) }.joined() + "\n").utf8), folder + "/hex")
      for command in ["inspect", "pins", "verify", "compact"] {
        for key in [raw, digits] {
          #expect(try Tool.run(command, shop.path, "--key-file", key).status == 0, "\(command)")
        }
        let without = try Tool.run(command, shop.path)
        #expect(without.status == 3)
        #expect(without.errors.contains("open it with its key"))
      }
    }
  }

  @Test func theFormatOfAnEncryptedFileIsShown() throws {
    for (key, format) in [
      (nil, FileLayout.formatVersion), (bytes, FileLayout.encryptedFormatVersion),
    ] {
      try inFolder { folder in
        let shop = try Shop(folder: folder, key: key.flatMap { EncryptionKey($0) })
        try shop.fill(10)
        var arguments: [String] = []
        if let key { arguments = ["--key-file", try write(key, folder + "/key")] }
        let result = try Tool.run(["inspect", shop.path, "--json"] + arguments)
        let report = try InspectReport(json: Data(result.output.utf8))
        #expect(report.file.formatVersion == format)
        #expect(report.tables.map(\.objects) == [10])
      }
    }
    #expect(FileLayout.formatVersion != FileLayout.encryptedFormatVersion)
  }

  @Test func aCopyGetsAnotherKey() throws {
    try inFolder { folder in
      let shop = try Shop(folder: folder, key: EncryptionKey(bytes))
      try shop.fill(500)
      let old = try write(bytes, folder + "/old")
      let new = try write(bytes.reversed(), folder + "/new")
      let same = folder + "/same.realm"
      let other = folder + "/other.realm"
      #expect(try Tool.run("compact", shop.path, "--key-file", old, "--to", same).status == 0)
      #expect(
        try Tool.run(
          "compact", shop.path, "--key-file", old, "--to", other, "--new-key-file", new
        ).status == 0)
      #expect(try Tool.run("verify", same, "--key-file", old).status == 0)
      #expect(try Tool.run("verify", other, "--key-file", new).status == 0)
      #expect(try Tool.run("verify", other, "--key-file", old).status == 3)
    }
  }

  @Test func aKeyFileOfAnotherLengthIsRefused() throws {
    try inFolder { folder in
      let shop = try Shop(folder: folder)
      let short = try write([1, 2, 3], folder + "/short")
      let result = try Tool.run("verify", shop.path, "--key-file", short)
      #expect(result.status != 0)
      #expect(result.errors.contains("64 bytes"))
      #expect(try Tool.run("verify", shop.path, "--key-file", folder + "/none").status == 3)
      #expect(try Tool.run("compact", shop.path, "--new-key-file", short).status == 2)
    }
  }
}
