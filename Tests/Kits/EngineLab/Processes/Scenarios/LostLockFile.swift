import Platform
import Storage
import TestSupport

/// What happens to commits when the lock-file is deleted under processes that have the file open.
public enum LostLockFile {
  private static func client(_ path: String, prefix: [String] = []) throws -> ChildProcess {
    let child = try ChildProcess(prefix: prefix, ["obey", path, "full"])
    _ = try child.readLine()
    return child
  }

  /// Two go on, in turn, without a commit lost; a newcomer is told; once both have gone, however
  /// they went, everything is there and the file can be opened again.
  public static func deletedWhileOpen() throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    let path = directory.file("a.realm")
    var report = ScenarioReport()
    let (first, second) = (try client(path), try client(path))
    let newcomer = try client(path)
    var counts = [0, 0]
    func expect(_ answer: String, _ prefix: String, _ what: String) {
      report.expect(answer.hasPrefix(prefix), "\(what): \(answer)")
    }
    for round in 0..<6 {
      expect(try first.ask("open"), "opened", "first")
      expect(try second.ask("open"), "opened", "second")
      expect(try first.ask("commit 0 2"), "committed", "first")
      directory.remove("a.realm.lock")
      for _ in 0..<5 {
        expect(try second.ask("commit 1 2"), "committed", "second")
        expect(try newcomer.ask("open"), "error incompatibleLockFile", "newcomer")
        expect(try first.ask("commit 0 1"), "committed", "first")
      }
      counts = [counts[0] + 7, counts[1] + 10]
      expect(try second.ask("counters"), "counters \(counts[0]) \(counts[1])", "second")
      expect(try first.ask("verify"), "sound", "first")
      expect(try second.ask("close"), "closed", "second")
      expect(try newcomer.ask("open"), "error incompatibleLockFile", "newcomer")
      expect(try first.ask("commit 0 1"), "committed", "first")
      counts[0] += 1
      if round == 5 { first.kill() } else { expect(try first.ask("close"), "closed", "first") }
      expect(try newcomer.ask("open"), "opened", "newcomer")
      expect(try newcomer.ask("counters"), "counters \(counts[0]) \(counts[1])", "newcomer")
      expect(try newcomer.ask("verify"), "sound", "newcomer")
      expect(try second.ask("open"), "opened", "second")
      expect(try second.ask("commit 1 1"), "committed", "second")
      counts[1] += 1
      expect(try newcomer.ask("counters"), "counters \(counts[0]) \(counts[1])", "newcomer")
      _ = try second.ask("close")
      _ = try newcomer.ask("close")
    }
    return report
  }

  /// Four come and go while the lock-file is deleted every few milliseconds.
  public static func deletedInAStorm(seconds: Int, seed: UInt64) throws -> ScenarioReport {
    print("lock-file deleted in a storm: \(seconds) s, seed \(seed)")
    let directory = TemporaryDirectory()
    let path = directory.file("a.realm")
    let progress = try Progress(path: path + ".progress")
    let findings = FindingsFile(path: path + ".findings")
    let ledger = Ledger()
    var report = ScenarioReport()
    var random = SeededGenerator(seed: seed)
    let visitors = try (0..<ledger.writers).map {
      try ChildProcess([
        "come-and-go", path, path + ".progress", findings.path, "\($0)",
        $0 % 2 == 0 ? "full" : "mixed", "\(seed + UInt64($0))",
      ])
    }
    for visitor in visitors { _ = try visitor.readLine() }
    let end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    var deletions = 0
    while MonotonicClock.now() < end {
      BackgroundThread.pause(nanoseconds: UInt64(500_000 + random.below(8_000_000)))
      directory.remove("a.realm.lock")
      deletions += 1
    }
    report.lines.append("\(deletions) deletions")
    for visitor in visitors { report.lines.append(try visitor.ask("stop")) }
    report.findings += findings.all().prefix(10)
    let database = try Database.open(path: path)
    let stored = try ledger.counters(try database.pinNewest())
    report.expect(
      stored == progress.acknowledged(upTo: ledger.writers),
      "\(stored) are stored, \(progress.acknowledged(upTo: ledger.writers)) acknowledged")
    report.findings += try database.verify().findings.prefix(3).map(\.description)
    return report
  }

  /// Processes of two namespaces, whose numbers are the same, and one outside.
  ///
  /// nil where this user may not make namespaces.
  public static func twoNamespaces() throws -> ScenarioReport? {
    let directory = TemporaryDirectory()
    let path = directory.file("a.realm")
    var report = ScenarioReport()
    let prefixes = [["-p", "-f", "--kill-child"], ["-U", "-r", "-p", "-f", "--kill-child"]]
    let prefix = prefixes.map { ["unshare"] + $0 }.first { (try? client(path, prefix: $0)) != nil }
    guard let prefix else { return nil }
    func expect(_ answer: String, _ wanted: String, _ what: String) {
      report.expect(answer.hasPrefix(wanted), "\(what): \(answer)")
    }
    let (first, second) = (try client(path, prefix: prefix), try client(path, prefix: prefix))
    let outside = try client(path)
    let all = [first, second, outside]
    for child in all { expect(try child.ask("open"), "opened", "open") }
    for _ in 0..<10 {
      for (writer, child) in all.enumerated() {
        expect(try child.ask("commit \(writer) 3"), "committed", "writer \(writer)")
      }
    }
    for child in all { expect(try child.ask("counters"), "counters 30 30 30", "counters") }
    // One namespace ends while its process pins a version and writes; the other ones go on.
    expect(try first.ask("pin"), "pinned", "first")
    expect(try first.ask("begin"), "begun", "first")
    for child in [second, outside] { child.send("commit 3 5") }
    first.kill()
    for child in [second, outside] { expect(try child.readLine(), "committed", "after the death") }
    expect(try outside.ask("counters"), "counters 30 30 30 10", "outside")
    expect(try second.ask("verify"), "sound", "second")
    let database = try Database.open(path: path)
    let deadline = MonotonicClock.now() + 5_000_000_000
    var random = SeededGenerator(seed: 1)
    while database.pins().contains(where: { !$0.isAlive }), MonotonicClock.now() < deadline {
      let transaction = try database.beginWrite()
      try Ledger().transfer(in: transaction, writer: 0, leaves: 2, &random)
      _ = try transaction.commit()
    }
    report.expect(database.pins().allSatisfy(\.isAlive), "the pin of the dead is still there")
    return report
  }
}
