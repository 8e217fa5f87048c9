import EngineLab
import Storage
import TestSupport

/// What a process that reads a large file needs of memory for itself.
public struct PrivateMemory {
  public var megabytes: Int
  public var boundBytes: UInt64 = 4_000_000

  public init(megabytes: Int) { self.megabytes = megabytes }

  public func run() throws -> ScenarioReport {
    var report = ScenarioReport()
    for leafBytes in [4096, 256] {
      let directory = TemporaryDirectory()
      let leaves = megabytes * 1_000_000 / leafBytes
      let file = LeafFile(
        path: directory.file("memory.realm"),
        tree: LeafTree(leafCount: leaves, leafBytes: leafBytes...leafBytes))
      try file.make(batch: 20_000_000 / leafBytes)
      let reader = try file.client()
      let empty = try reader.expect("memory", "memory")[0]
      try reader.ask("open")
      let opened = try reader.expect("memory", "memory")[0]
      let walked = try reader.expect("walk", "walked", seconds: 600)
      let read = try reader.expect("memory", "memory")[0]
      let again = try reader.expect("walk", "walked", seconds: 600)
      let taken = read - min(empty, read)
      report.lines.append(
        "\(walked[0]) leaves of \(leafBytes) bytes, \(Amount.mb(walked[1])): read in"
          + " \(Amount.ms(walked[2])), again in \(Amount.ms(again[2])); private memory"
          + " \(Amount.mb(empty)), open \(Amount.mb(opened)), after reading \(Amount.mb(read))")
      report.expect(taken <= boundBytes, "reading took \(Amount.mb(taken)) of private memory")
      try reader.leave()
    }
    return report
  }
}
