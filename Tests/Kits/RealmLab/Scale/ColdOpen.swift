import Foundation
import EngineLab
import Storage
import TestSupport

/// How long the first opening of a file takes, cold and warm, after its last process has closed it
/// and after that has been killed.
public struct ColdOpen {
  public var rounds = 5

  public init() {}

  private enum Ending: String {
    /// By the process that made it, in one transaction.
    case made
    case closed, killed
  }

  private enum Warmth: String, CaseIterable {
    case warm, cold
  }

  // MARK: One large commit

  /// A file that consists of one commit.
  public func runLargeCommit(megabytes: Int, boundNanoseconds: UInt64) throws -> ScenarioReport {
    var report = ScenarioReport()
    for ending in [Ending.closed, .killed] {
      let directory = TemporaryDirectory()
      let leaves = megabytes * 1_000_000 / 4096
      let file = LeafFile(
        path: directory.file("cold.realm"),
        tree: LeafTree(leafCount: leaves, leafBytes: 4096...4096))
      let maker = try file.client()
      try maker.ask("open")
      _ = try maker.expect("fill \(leaves)", "filled", seconds: 3600)
      if ending == .closed { try maker.leave() } else { maker.kill() }
      let left = PageCache.drop(file.path)
      let opener = try file.client()
      let cold = try opener.expect("open", "opened")[0]
      let walked = try opener.expect("walk", "walked")
      report.expect(walked[0] == UInt64(leaves), "\(walked[0]) of \(leaves) leaves are there")
      try opener.leave()
      let again = try file.client()
      let warm = try again.expect("open", "opened")[0]
      try again.leave()
      report.lines.append(
        "one commit of \(megabytes) MB, \(ending): opened in \(Amount.ms(cold)) cold"
          + " (\(Int(left * 100)) % still in memory), then closed and opened in"
          + " \(Amount.ms(warm)) warm")
      report.expect(
        cold <= boundNanoseconds, "\(ending), cold: opening took \(Amount.ms(cold))")
    }
    return report
  }

  /// How long the thread runs that opens a file of one commit, nanoseconds.
  public static func busyTime(megabytes: Int) throws -> UInt64 {
    let directory = TemporaryDirectory()
    let leaves = megabytes * 1_000_000 / 4096
    let file = LeafFile(
      path: directory.file("busy.realm"),
      tree: LeafTree(leafCount: leaves, leafBytes: 4096...4096))
    try file.make(batch: leaves)
    return try file.client().expect("open", "opened")[1]
  }

  // MARK: Objects

  /// A file of objects, each time opened by a process that has had another file open, which then
  /// reads one object.
  public func runObjects(
    _ objects: Int, boundNanosecondsWarm: UInt64, boundNanosecondsCold: UInt64
  ) throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    var report = ScenarioReport()
    let made = PersonFile(path: directory.file("objects.realm"))
    try made.make(objects)
    try reopen(made, objects, boundNanosecondsWarm, &report)
    var file = PersonFile(path: directory.file("copy.realm"))
    for durability in PersonFile.levels {
      file.durability = durability
      for ending in [Ending.made, .closed, .killed] {
        for warmth in Warmth.allCases {
          let openings = try (0..<rounds).map { _ in
            try copy(made, to: file)
            return try open(file, objects, after: ending, warmth, &report)
          }
          let times = openings.map { $0[0] }
          let bound = warmth == .warm ? boundNanosecondsWarm : boundNanosecondsCold
          let name = "\(objects) objects, \(durability), \(ending), \(warmth)"
          report.lines.append(
            "\(name): opened and read one in \(Amount.ms(times.median)) (longest"
              + " \(Amount.ms(times.max()!)); busy \(Amount.ms(openings.map { $0[1] }.median)),"
              + " waiting for \(openings.map { $0[2] }.median) pages)")
          report.expect(
            times.median <= bound, "\(name): opening took \(Amount.ms(times.median))")
        }
      }
    }
    return report
  }

  /// In one process, again and again.
  private func reopen(
    _ file: PersonFile, _ objects: Int, _ bound: UInt64, _ report: inout ScenarioReport
  ) throws {
    let times = 1000
    let process = try file.client()
    let each = try process.expect("reopen \(objects / 2) \(times)", "reopened")
    report.lines.append(
      "\(objects) objects, opened, one read, and closed \(times) times by one process:"
        + " \(Amount.ms(each[0])) each, busy \(Amount.ms(each[1]))")
    report.expect(each[0] <= bound, "opening and closing took \(Amount.ms(each[0])) each")
    try process.leave()
  }

  private func copy(_ made: PersonFile, to file: PersonFile) throws {
    for path in [file.path, file.path + ".lock"] {
      try? FileManager.default.removeItem(atPath: path)
    }
    try FileManager.default.copyItem(atPath: made.path, toPath: file.path)
    PageCache.writeBack(file.path)
  }

  private func open(
    _ file: PersonFile, _ objects: Int, after ending: Ending, _ warmth: Warmth,
    _ report: inout ScenarioReport
  ) throws -> [UInt64] {
    if ending != .made {
      let writer = try file.client()
      try writer.ask("open")
      _ = try writer.expect("commits 100 \(objects)", "committed")
      if ending == .closed { try writer.leave() } else { writer.kill() }
    }
    let opener = try file.client()
    _ = try opener.expect("prepare", "prepared")
    if warmth == .cold {
      let left = PageCache.drop(file.path)
      report.expect(left < 0.01, "\(Int(left * 100)) % of the file stay in memory")
    }
    let opened = try opener.expect("open-and-read \(objects / 2)", "opened")
    try opener.leave()
    return opened
  }
}
