import EngineLab
import Storage
import TestSupport

/// How long the first write of a process takes after many commits of another one, while a third
/// process keeps the version from before them pinned.
public struct FirstWrite {
  public var commits: Int
  /// How many new processes are asked, one after the other.
  public var rounds: Int
  /// How many leaves, or objects, a commit changes.
  public var changes = 20
  public var boundNanoseconds: UInt64 = 10_000_000

  public init(commits: Int, rounds: Int) {
    self.commits = commits
    self.rounds = rounds
  }

  public func run(_ shape: LeafShape) throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    let file = LeafFile(path: directory.file("first.realm"), tree: shape.tree)
    try file.make(batch: 2000)
    var report = ScenarioReport()
    let (reader, writer) = (try file.client(), try file.client())
    try reader.ask("open")
    _ = try reader.expect("pin", "pinned")
    try writer.ask("open")
    let committed = try writer.expect("commits \(commits) \(changes)", "committed", seconds: 7200)
    report.lines.append(
      "\(shape): \(commits) commits of \(changes) beside an old reader:"
        + " \(Amount.ms(committed[0])), the longest \(Amount.ms(committed[1]));"
        + " file \(FileSize(file.path).now)")
    try measure(&report) { try file.client() }
    _ = try reader.expect("walk checking", "walked")
    withExtendedLifetime(writer) {}
    return report
  }

  /// The same through objects, in a file of that many of them.
  public func runObjects(_ objects: Int) throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    let file = PersonFile(path: directory.file("first.realm"))
    try file.make(objects)
    var report = ScenarioReport()
    let (reader, writer) = (try file.client(), try file.client())
    try reader.ask("open")
    _ = try reader.expect("pin", "pinned")
    try writer.ask("open")
    let committed = try writer.expect(
      "commits \(commits) \(objects) \(changes)", "committed", seconds: 7200)
    report.lines.append(
      "\(commits) commits of \(changes) of \(objects) objects beside an old reader:"
        + " \(Amount.ms(committed[0])), the longest \(Amount.ms(committed[1]));"
        + " file \(FileSize(file.path).now)")
    try measure(&report) { try file.client() }
    withExtendedLifetime((reader, writer)) {}
    return report
  }

  /// How long the thread runs for the first write of a new process, nanoseconds.
  public func busyTime(_ shape: LeafShape) throws -> UInt64 {
    let directory = TemporaryDirectory()
    let file = LeafFile(path: directory.file("busy.realm"), tree: shape.tree)
    try file.make(batch: 2000)
    let (reader, writer, newcomer) = (
      try file.client(), try file.client(), try file.client()
    )
    for child in [reader, writer] { _ = try child.expect("open", "opened") }
    _ = try reader.expect("pin", "pinned")
    _ = try writer.expect("commits \(commits) \(changes)", "committed")
    _ = try newcomer.expect("open", "opened")
    return try newcomer.expect("write", "wrote")[3]
  }

  private func measure(
    _ report: inout ScenarioReport, _ newcomer: () throws -> ChildProcess
  ) throws {
    for round in 1...rounds {
      let child = try newcomer()
      let opened = try child.expect("open", "opened")[0]
      let first = try child.expect("write", "wrote", seconds: 3600)
      let second = try child.expect("write", "wrote")
      report.lines.append(
        "process \(round): open \(Amount.ms(opened)), first write \(Self.text(first)),"
          + " second \(Self.text(second))")
      let taken = first.prefix(3).reduce(0, +)
      report.expect(
        taken <= boundNanoseconds,
        "the first write took \(Amount.ms(taken)), more than \(Amount.ms(boundNanoseconds))")
      try child.leave()
    }
  }

  private static func text(_ parts: [UInt64]) -> String {
    "\(Amount.ms(parts.prefix(3).reduce(0, +))) (begin \(Amount.ms(parts[0])), change"
      + " \(Amount.ms(parts[1])), commit \(Amount.ms(parts[2])); busy \(Amount.ms(parts[3])))"
  }
}
