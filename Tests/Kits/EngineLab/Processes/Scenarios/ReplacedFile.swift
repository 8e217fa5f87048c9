import Platform
import Storage
import TestSupport

/// A compact copy takes the file's place, as `holdfast compact --replace` does it, while processes
/// open the file, commit and close it.
public struct ReplacedFile {
  private let seconds: Int
  private let seed: UInt64
  private let directory = TemporaryDirectory()
  private var path: String { directory.file("a.realm") }

  public init(seconds: Int, seed: UInt64) {
    self.seconds = seconds
    self.seed = seed
  }

  public func run() throws -> ScenarioReport {
    print("replacement of the file in use: \(seconds) s, seed \(seed)")
    let progress = try Progress(path: path + ".progress")
    let findings = FindingsFile(path: path + ".findings")
    let ledger = Ledger()
    var report = ScenarioReport()
    let visitors = try (0..<ledger.writers).map {
      try ChildProcess([
        "come-and-go", path, path + ".progress", findings.path, "\($0)", "full",
        "\(seed + UInt64($0))", "20000", "replaced",
      ])
    }
    for visitor in visitors { _ = try visitor.readLine() }
    let end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    var replacements = 0
    // Where processes are slow, for as long as it takes to get in between them once.
    let limit = end + 60 * 1_000_000_000
    while MonotonicClock.now() < (replacements > 0 ? end : limit) {
      if try replace() { replacements += 1 }
      BackgroundThread.pause(nanoseconds: 100_000)
    }
    report.lines.append("\(replacements) replacements")
    for visitor in visitors { report.lines.append(try visitor.ask("stop")) }
    report.findings += findings.all().prefix(10)
    let stored = try ledger.counters(try Database.open(path: path).pinNewest())
    let acknowledged = progress.acknowledged(upTo: ledger.writers)
    report.expect(
      stored == acknowledged, "\(stored) are stored, \(acknowledged) acknowledged")
    report.expect(replacements > 0, "the file was never replaced")
    return report
  }

  /// False where somebody has the file open.
  private func replace() throws -> Bool {
    var options = DatabaseOptions()
    options.exclusive = true
    options.mustExist = true
    do {
      let database = try Database.open(path: path, options: options)
      let copy = directory.file("copy.realm")
      _ = try database.writeCompactCopy(to: copy)
      directory.remove("copy.realm.lock")
      try PosixSystem.shared.renameFile(from: copy, to: path)
      return withExtendedLifetime(database) { true }
    } catch let error as StorageError where error.code == .inUse || error.code == .fileNotFound {
      return false
    }
  }
}
