import EngineLab
import Platform
import Storage
import TestSupport

/// How large a file becomes in which leaves are replaced at random, without any reader.
public struct RandomUpdates {
  public var commits: Int
  public var leaves = 20
  public var boundRatio = 2.2

  public init(commits: Int) { self.commits = commits }

  public func run(
    _ shape: LeafShape, compacts: Bool, seed: UInt64
  ) throws -> ScenarioReport {
    var report = ScenarioReport()
    let directory = TemporaryDirectory()
    let file = LeafFile(
      path: directory.file("random.realm"), tree: shape.tree, compacts: compacts)
    try file.make(batch: 2000)
    let system = CountingSystem()
    let database = try file.open(system)
    let size = FileSize(file.path)
    var random = SeededGenerator(seed: seed)
    var largest = size.now
    let start = MonotonicClock.now()
    for _ in 0..<commits {
      try file.tree.change(leaves, in: database, &random)
      largest = largest.or(size.now)
    }
    let seconds = Double(MonotonicClock.now() - start) / 1e9
    let live = try file.tree.contents(of: try database.pinNewest()).bytes
    let ratio = Double(largest.size) / Double(live)
    let name = "\(shape), compaction \(compacts ? "on" : "off")"
    report.lines.append(
      "\(name): \(commits) commits of \(leaves) in \(Int(seconds)) s"
        + " (\(Int(Double(commits) / seconds)) a second,"
        + " \(system.bytesWritten / UInt64(commits)) bytes each): live \(Amount.mb(live)), file at"
        + " most \(Amount.mb(largest.size)) (\(Amount.ratio(ratio)) x), now \(size.now)")
    report.expect(ratio <= boundRatio, "\(name): the file was \(Amount.ratio(ratio)) x live")
    let verified = try database.verify()
    report.lines.append(
      "  at the end \(Amount.mb(verified.liveBytes)) are live, \(Amount.mb(verified.reusableBytes))"
        + " reusable, \(Amount.mb(verified.waitingBytes)) waiting")
    report.findings += verified.findings.prefix(3).map(\.description)
    return report
  }
}
