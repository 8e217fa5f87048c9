import EngineLab
import Platform
import Storage
import TestSupport

/// A file of gigabytes: random updates by processes that are killed, readers, compaction, and
/// checks.
public struct HugeFile {
  public var megabytes: Int
  /// How long the updates and the kills go on.
  public var seconds: Int
  /// A check of the file must do with so much memory.
  public var verifyBytesMax: UInt64 = 100_000_000

  public init(megabytes: Int, seconds: Int) {
    self.megabytes = megabytes
    self.seconds = seconds
  }

  public func run(seed: UInt64) throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    let file = LeafFile(
      path: directory.file("huge.realm"),
      tree: LeafTree(leafCount: megabytes * 1_000_000 / 4096, leafBytes: 1024...7168))
    let findings = FindingsFile(path: directory.file("findings"))
    var report = ScenarioReport()
    let start = MonotonicClock.now()
    try file.make(batch: 5000)
    show("made in \(Amount.ms(MonotonicClock.now() - start)), file \(FileSize(file.path).now)")
    try disturb(file, findings, seed: seed, &report)
    try check(file, &report)
    try shrink(file, findings, &report)
    try check(file, &report)
    report.findings += findings.all()
    return report
  }

  /// At once, since such a run takes long.
  private func show(_ line: String) { say(line) }

  // MARK: Updates and kills

  private func changer(_ file: LeafFile) throws -> ChildProcess {
    try file.child("change-leaves")
  }

  private func watcher(_ file: LeafFile, _ findings: FindingsFile) throws -> ChildProcess {
    try file.child("watch-leaves", findings.path)
  }

  private func disturb(
    _ file: LeafFile, _ findings: FindingsFile, seed: UInt64, _ report: inout ScenarioReport
  ) throws {
    var random = SeededGenerator(seed: seed)
    var changers = [try changer(file), try changer(file)]
    var watchers = [try watcher(file, findings), try watcher(file, findings)]
    let end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    var kills = 0
    var largest = FileSize(file.path).now
    while MonotonicClock.now() < end {
      BackgroundThread.pause(nanoseconds: 200_000_000 + random.next() % 800_000_000)
      let place = random.below(2)
      if random.below(3) > 0 {
        changers[place].kill()
        changers[place] = try changer(file)
      } else {
        watchers[place].kill()
        watchers[place] = try watcher(file, findings)
      }
      kills += 1
      largest = largest.or(FileSize(file.path).now)
    }
    let commits = try stop(changers)
    let reads = try stop(watchers)
    show(
      "\(seconds) s, \(kills) kills; the last processes made \(commits) commits of 20 leaves"
        + " and read \(reads) leaves; file at most \(largest)")
    report.expect(commits > 0 && reads > 0, "the last processes did nothing")
  }

  private func stop(_ children: [ChildProcess]) throws -> UInt64 {
    var sum: UInt64 = 0
    for child in children {
      sum += try child.expect("stop", "stopped")[0]
      child.waitForEnd()
    }
    return sum
  }

  // MARK: Compaction, checks

  private func shrink(
    _ file: LeafFile, _ findings: FindingsFile, _ report: inout ScenarioReport
  ) throws {
    let watchers = [try watcher(file, findings), try watcher(file, findings)]
    let client = try file.client()
    try client.ask("open", seconds: 600)
    _ = try client.expect("remove-half", "removed", seconds: 3600)
    show("every second leaf taken out, file \(FileSize(file.path).now)")
    let figures = try client.expect("compact", "compacted", seconds: 7200)
    let live = try client.expect("walk", "walked", seconds: 3600)[1]
    show(
      "compacted in \(Amount.ms(figures[0])), holding the writer for \(Amount.ms(figures[1])) at"
        + " most, \(Amount.mb(figures[2])) moved, \(Amount.mb(figures[3])) of memory; live"
        + " \(Amount.mb(live)), file \(FileSize(file.path).now)")
    _ = try stop(watchers)
    try client.leave()
    let size = FileSize(file.path).now.size
    report.expect(Double(size) <= 2.2 * Double(live), "compaction left \(size) bytes for \(live)")
  }

  private func check(_ file: LeafFile, _ report: inout ScenarioReport) throws {
    let client = try file.client()
    let opened = try client.expect("open", "opened", seconds: 600)
    let sound = try client.expect("verify", "sound", seconds: 7200)
    let walked = try client.expect("walk checking", "walked", seconds: 7200)
    show(
      "opened in \(Amount.ms(opened[0])), verified in \(Amount.ms(sound[0])) with"
        + " \(Amount.mb(sound[1])) of memory; \(walked[0]) leaves compared in"
        + " \(Amount.ms(walked[2]))")
    report.expect(
      sound[1] <= verifyBytesMax, "verification took \(Amount.mb(sound[1])) of memory")
    try client.leave()
  }
}
