import Platform
import Storage
import TestSupport

/// Three processes read every version that they see while two others transfer between accounts.
public struct TornReads {
  private let seconds: Int
  private let seed: UInt64

  public init(seconds: Int, seed: UInt64) {
    self.seconds = seconds
    self.seed = seed
  }

  public func run() throws -> ScenarioReport {
    print("torn reads: \(seconds) s, seed \(seed)")
    let directory = TemporaryDirectory()
    let path = directory.file("accounts.realm")
    let ledger = Ledger()
    var report = ScenarioReport()
    let database = try Database.open(path: path, options: DurabilityMix.relaxed.options)
    let start = database.newestVersion
    let writers = try [DurabilityMix.relaxed, .mixed].enumerated().map { writer, mix in
      try ChildProcess(["transfer", path, "\(writer)", mix.rawValue, "\(seed + UInt64(writer))"])
    }
    let readers = try (0..<3).map {
      try ChildProcess(["watch", path, "\(seed + 10 + UInt64($0))"])
    }
    for child in writers + readers {
      let answer = try child.readLine()
      report.expect(answer == "ready", answer)
    }
    BackgroundThread.pause(nanoseconds: UInt64(seconds) * 1_000_000_000)
    var transfers = 0
    for writer in writers { transfers += Words(try writer.ask("stop")).number(1) }
    for (number, reader) in readers.enumerated() {
      let summary = try reader.ask("stop")
      report.lines.append("reader \(number): \(summary)")
      let words = Words(summary)
      report.expect(words.number(1) > seconds, "reader \(number) saw few versions: \(summary)")
      for _ in 0..<min(words.number(5), 5) {
        report.findings.append("reader \(number): \(try reader.readLine())")
      }
    }
    let snapshot = try database.pinNewest()
    let stored = try ledger.counters(snapshot).reduce(0, +)
    report.expect(stored == UInt64(transfers), "\(stored) of \(transfers) transfers are stored")
    report.lines.append(
      "\(transfers) transfers in \(snapshot.version.distance(from: start)) versions, each writing"
        + " all leaves"
    )
    let verified = try database.verify()
    report.findings += verified.findings.prefix(5).map(\.description)
    return report
  }
}
