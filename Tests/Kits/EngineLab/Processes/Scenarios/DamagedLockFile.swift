import Platform
import Storage
import TestSupport

/// Lock-files with damage. At rest they are of no consequence: whoever opens the file first makes
/// the lock-file anew. While the file is open, an opener gets correct data or a clear error, and
/// nothing that was acknowledged is lost.
public enum DamagedLockFile {
  public static func atRest(rounds: Int, seed: UInt64) throws -> ScenarioReport {
    print("lock-file damaged at rest: \(rounds) rounds, seed \(seed)")
    let directory = TemporaryDirectory()
    var report = ScenarioReport()
    let child = try ChildProcess([
      "open-damaged", directory.file("a.realm"), "\(seed)", "\(rounds)",
    ])
    var last = "start"
    do {
      while last != "done", report.findings.count < 10 {
        last = try child.readLine(seconds: 60)
        if last.hasPrefix("wrong") { report.findings.append(last) }
      }
    } catch {
      report.findings.append("the opener ended after '\(last)': \(error)")
    }
    report.lines.append("\(rounds) lock-files damaged and opened")
    return report
  }

  public static func whileOpen(rounds: Int, seed: UInt64) throws -> ScenarioReport {
    print("lock-file damaged while open: \(rounds) rounds, seed \(seed)")
    var run = DamageWhileOpen(seed: seed)
    for round in 0..<rounds where run.report.findings.count < 10 {
      try within(120, "round \(round)") { try run.round(round) }
    }
    run.report.lines.append(run.summary)
    return run.report
  }
}

private struct DamageWhileOpen {
  var report = ScenarioReport()
  private let directory = TemporaryDirectory()
  private let ledger = Ledger()
  private let seed: UInt64
  private var random: SeededGenerator
  private var holder: ChildProcess?
  private var opener: ChildProcess?
  private var answers: [String: Int] = [:]
  private var acknowledged = [0, 0]
  private var attempted = [0, 0]

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
  }

  private var path: String { directory.file("a.realm") }

  var summary: String {
    answers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  mutating func round(_ round: Int) throws {
    let holder = try self.holder ?? client()
    let opener = try self.opener ?? client()
    (self.holder, self.opener) = (holder, opener)
    let opened = try holder.ask("open")
    report.expect(opened.hasPrefix("opened"), "round \(round): \(opened)")
    try commit(holder, 0, times: 1 + random.below(20), "holder before")
    var vandal = LockFileVandal(path: path + ".lock", seed: seed &+ UInt64(round))
    let cuts = random.below(10) == 0
    for _ in 0...random.below(3) { try vandal.scratch() }
    if cuts { try vandal.cut(to: random.below(400_000)) }
    try use(opener, round)
    if cuts {
      // A process whose shared memory has been cut off cannot go on.
      holder.kill()
      self.holder = nil
    } else {
      try commit(holder, 0, times: 1, "holder after")
    }
    for child in [self.holder, self.opener] { _ = try child?.ask("close") }
    try compare(round)
  }

  private func client() throws -> ChildProcess {
    let child = try ChildProcess(["obey", path, "full"])
    _ = try child.readLine()
    return child
  }

  private mutating func use(_ opener: ChildProcess, _ round: Int) throws {
    let opened = try opener.ask("open")
    count("opener", opened)
    guard opened.hasPrefix("opened") else { return }
    let read = try opener.ask("check-newest")
    count("reading", read)
    report.expect(
      read.hasPrefix("sound") || read.hasPrefix("error"), "round \(round), reading: \(read)")
    try commit(opener, 1, times: 1, "opener")
  }

  private mutating func commit(
    _ child: ChildProcess, _ writer: Int, times: Int, _ name: String
  ) throws {
    attempted[writer] += times
    let answer = try child.ask("commit \(writer) \(times)")
    count(name, answer)
    if answer.hasPrefix("committed") { acknowledged[writer] += times }
  }

  private mutating func count(_ name: String, _ answer: String) {
    let words = answer.split(separator: " ")
    let kind = words.prefix(words.first == "error" ? 2 : 1).joined(separator: " ")
    answers["\(name): \(kind)", default: 0] += 1
  }

  /// Everybody has closed the file.
  private mutating func compare(_ round: Int) throws {
    let database = try Database.open(path: path)
    let snapshot = try database.pinNewest()
    let stored = try ledger.counters(snapshot)
    for writer in 0..<2 {
      let found = Int(stored[writer])
      report.expect(
        acknowledged[writer] <= found && found <= attempted[writer],
        "round \(round): \(found) stored, \(acknowledged[writer]) acknowledged")
      (acknowledged[writer], attempted[writer]) = (found, found)
    }
    if let violation = try ledger.violation(in: snapshot) {
      report.findings.append("round \(round): \(violation)")
    }
    report.findings += try database.verify().findings.prefix(2).map { "round \(round): \($0)" }
  }
}
